#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "svc/kernel/executor.h"
#include "svc/kernel/result.h"

namespace svc::http {

/// What a running server says about itself in `server.json`, where the command line finds it.
struct ServerFacts {
  pid_t pid = 0;
  std::string url{};
  std::string version{};
  /// For programs whose user the system does not tell.
  std::string access_token{};
  std::int64_t started_at_ms = 0;
};

inline constexpr std::chrono::seconds kServerFileRetry{5};

/// `server.json` in the data directory: written whole or not at all, mode 0600, removed on destruction. Main thread.
class ServerFile {
 public:
  explicit ServerFile(const std::filesystem::path& data_directory);
  ~ServerFile();
  ServerFile(const ServerFile&) = delete;
  ServerFile& operator=(const ServerFile&) = delete;

  [[nodiscard]] Status write(const ServerFacts& facts);
  /// Writes again on `main`, the thread of this object, every kServerFileRetry until it succeeds, and then calls
  /// `written`. remove() and destruction end it. For disks that are full for a while.
  void keepTrying(ServerFacts facts, IExecutor& main, Task written);
  /// Removes the file this object wrote.
  void remove();
  /// Removes what a server that died left behind. Only the holder of the data directory's lock may.
  void removeStale();

 private:
  std::filesystem::path path_;
  bool written_ = false;
  Handle retry_;
};

}  // namespace svc::http
