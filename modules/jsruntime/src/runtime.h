#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include <spdlog/logger.h>

#include "svc/jsruntime/script_runtime.h"

namespace svc::jsruntime {

class RuntimeState;

struct RuntimeOptions {
  /// Holds toolchain/node_modules/esbuild and sdk/dist.
  std::filesystem::path share;
  /// Between SIGTERM and SIGKILL for child processes that outlive their environment.
  std::chrono::milliseconds kill_children_after{5'000};
  /// Keep one prepared environment waiting once the first has been asked for.
  bool keep_spare = true;
  std::shared_ptr<spdlog::logger> log{};
};

/// Creates environments, keeps a spare one, and runs the builder that turns an author's TypeScript into one text.
/// Thread-safe. The destructor waits a bounded time for the environments.
class Runtime final : public script::IScriptRuntime {
 public:
  explicit Runtime(RuntimeOptions options);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime() override;

  void create(script::InstanceOptions options,
              Completion<std::shared_ptr<script::IScriptInstance>> done) override;
  [[nodiscard]] std::string nodeVersion() const override;
  /// Ends all environments and waits at most `limit`. False when some are still there.
  bool shutDown(std::chrono::milliseconds limit);

 private:
  std::shared_ptr<RuntimeState> state_;
};

}  // namespace svc::jsruntime
