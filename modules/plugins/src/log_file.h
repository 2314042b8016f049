#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "svc/base/fd.h"
#include "svc/plugins/plugins.h"

#include "log_line.h"

namespace svc::plugins {

/// plugin.log and plugin.log.1 of one plugin. Not thread-safe; blocks.
class LogFile {
 public:
  explicit LogFile(std::filesystem::path directory) : directory_(std::move(directory)) {}
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  ~LogFile() = default;

  /// Writes one line and returns its number. On failure nothing of the line is in the file and no
  /// number is used.
  [[nodiscard]] Result<std::uint64_t> append(const LogEntry& entry);
  /// The newest lines of both files that fit the query, oldest first; with `after` the oldest ones behind it, so that
  /// a reader that follows misses none.
  [[nodiscard]] LogPage read(const LogQuery& query);

 private:
  [[nodiscard]] Status open();
  /// A crash can leave the beginning of a line behind; the next line must not continue it.
  [[nodiscard]] Status endHalfLine();
  [[nodiscard]] Status rotate();
  [[nodiscard]] Status write(const std::string& line);
  [[nodiscard]] std::filesystem::path current() const { return directory_ / "plugin.log"; }
  [[nodiscard]] std::filesystem::path rotated() const { return directory_ / "plugin.log.1"; }
  [[nodiscard]] std::uint64_t lastSeq() const;

  std::filesystem::path directory_;
  base::Fd file_;
  std::uint64_t size_ = 0;
  std::uint64_t seq_ = 0;
};

}  // namespace svc::plugins
