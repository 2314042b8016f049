#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace svc::metrics {

/// Of a line of the server's log, in the words of the logs of plugins: `warning` is kWarn, `critical` kError, `trace` kDebug.
enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };

struct ServerLogQuery {
  std::size_t tail = 0;  ///< the newest lines; with `after` the oldest behind it
  std::string after;     ///< a cursor of an earlier page; empty = none
  LogLevel level = LogLevel::kDebug;
};
struct ServerLogPage {
  std::vector<std::string> lines;  ///< JSON lines as they are stored, oldest first
  std::string cursor;              ///< for `after`
  /// `after` names what is in no file any more: the lines are the newest ones, as without it.
  bool anew = false;
};

/// server.log and the older files that rotation leaves beside it. Only reads; blocks.
class ServerLog {
 public:
  /// Text of one page; the rest comes with its cursor.
  static constexpr std::size_t kPageBytes = 4UL * 1024 * 1024;

  explicit ServerLog(std::filesystem::path directory) : directory_(std::move(directory)) {}

  [[nodiscard]] ServerLogPage read(const ServerLogQuery& query) const;

 private:
  std::filesystem::path directory_;
};

}  // namespace svc::metrics
