#pragma once

#include <sys/types.h>

#include <utility>
#include <vector>

#include "svc/base/fd.h"

namespace svc::jsruntime {

/// A process held by a file descriptor, so that a signal never reaches a reused number. Move-only.
class ProcessHandle {
 public:
  /// Not valid() when the process is gone or cannot be held.
  explicit ProcessHandle(pid_t pid);
  ProcessHandle(pid_t pid, base::Fd descriptor) : pid_(pid), descriptor_(std::move(descriptor)) {}

  [[nodiscard]] bool valid() const { return static_cast<bool>(descriptor_); }
  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;
  [[nodiscard]] bool ended() const;
  /// True once it has ended; collects its status when it is ours, so that no zombie stays.
  [[nodiscard]] bool reap() const;

 private:
  pid_t pid_;
  base::Fd descriptor_;
};

/// The processes started by thread `thread_id` of this process, and their descendants, parents first.
[[nodiscard]] std::vector<ProcessHandle> processesStartedBy(pid_t thread_id);

}  // namespace svc::jsruntime
