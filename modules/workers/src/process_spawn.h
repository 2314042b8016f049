#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::workers {

/// A descriptor that closes itself.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }
  void reset();
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

struct FdPair {
  Fd read;   ///< or one end of a socket
  Fd write;  ///< or the other
};

[[nodiscard]] Result<FdPair> makePipe();
[[nodiscard]] Result<FdPair> makeSocketPair();

struct SpawnOptions {
  /// The program by its path, and its arguments.
  std::vector<std::string> arguments;
  /// What lists of processes show instead of the path; empty for the path.
  std::string shown_as{};
  std::map<std::string, std::string> environment;
  /// Standard streams; -1 is /dev/null. Standard input always is.
  int out = -1;
  int err = -1;
  /// Becomes descriptor 3 (kWorkerSocket) when it is not -1.
  int socket = -1;
  /// Working directory; empty is that of this process.
  std::string directory;
};

/// Starts a program as the leader of a process group and a session of its own, with default signals and no other descriptor of
/// this process. Safe in a process with threads. Error: `unavailable`.
[[nodiscard]] Result<pid_t> spawn(const SpawnOptions& options);

}  // namespace svc::workers
