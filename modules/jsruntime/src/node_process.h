#pragma once

#include <filesystem>

#include "svc/kernel/result.h"

namespace node {
class MultiIsolatePlatform;
}

namespace svc::jsruntime {

/// Node and V8 of this process, initialised on first use and never taken down: V8 cannot start twice. Thread-safe.
class NodeProcess {
 public:
  /// Sets environment variables that libuv reads: while the process has one thread that uses them.
  /// The file keeps the code of scripts for the next process (CodeCache); empty: for this one only.
  static void prepare(std::filesystem::path code_cache);
  /// The same answer every time.
  [[nodiscard]] static const Result<NodeProcess*>& instance();

  [[nodiscard]] node::MultiIsolatePlatform& platform() const { return *platform_; }

 private:
  explicit NodeProcess(node::MultiIsolatePlatform* platform) : platform_(platform) {}
  static Result<NodeProcess*> initialise();

  node::MultiIsolatePlatform* platform_;
};

}  // namespace svc::jsruntime
