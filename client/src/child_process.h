#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::client {

struct ChildCommand {
  /// The program is looked for on PATH.
  std::vector<std::string> argv;
  std::filesystem::path directory;
};

struct ChildOutcome {
  /// 128 + n for a child ended by signal n.
  int exit_code = 0;
  /// Both streams as they came; only the end of a long output.
  std::string output{};
  /// The caller was interrupted: the child and everything it started was ended.
  bool interrupted = false;
};

/// Runs a program to its end. Errors: `not_found` when there is no such program, `unavailable` when it cannot be
/// started.
class IChildRunner {
 public:
  /// Called about once a second while the child runs.
  using Tick = std::function<void(std::chrono::milliseconds elapsed)>;

  virtual ~IChildRunner() = default;
  [[nodiscard]] virtual Result<ChildOutcome> run(const ChildCommand& command, const Tick& tick) = 0;
};

/// Children get a process group of their own and nothing to read. `interrupts` becomes readable when they are to be
/// ended (Interrupts::descriptor).
class ChildRunner final : public IChildRunner {
 public:
  explicit ChildRunner(int interrupts) : interrupts_(interrupts) {}
  [[nodiscard]] Result<ChildOutcome> run(const ChildCommand& command, const Tick& tick) override;

 private:
  int interrupts_;
};

}  // namespace svc::client
