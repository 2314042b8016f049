#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

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

/// `server.json` in the data directory: written whole or not at all, mode 0600, removed on destruction. Main thread.
class ServerFile {
 public:
  explicit ServerFile(const std::filesystem::path& data_directory);
  ~ServerFile();
  ServerFile(const ServerFile&) = delete;
  ServerFile& operator=(const ServerFile&) = delete;

  [[nodiscard]] Status write(const ServerFacts& facts);
  /// Removes the file this object wrote.
  void remove();
  /// Removes what a server that died left behind. Only the holder of the data directory's lock may.
  void removeStale();

 private:
  std::filesystem::path path_;
  bool written_ = false;
};

}  // namespace svc::http
