#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <spdlog/logger.h>

#include "svc/kernel/result.h"

#include "log_filters.h"

namespace svc::kernel {

struct LogOptions {
  std::string level = "info";   ///< debug, info, warn, error
  std::string format = "auto";  ///< auto: text on a terminal, JSON lines elsewhere; text; json
  std::filesystem::path file;   ///< empty = standard error only
};

class LineWriter;

/// Makes loggers that share standard error and one rotating file. A line is in the file when the call that logs it returns; standard
/// error never holds up who logs. Thread-safe after create().
class Logging {
 public:
  [[nodiscard]] static Result<Logging> create(const LogOptions& options);
  [[nodiscard]] std::shared_ptr<spdlog::logger> logger(const std::string& name) const;
  /// Waits for a reader of standard error that is behind, but not for long.
  void flush() const;
  [[nodiscard]] static Result<spdlog::level::level_enum> level(const std::string& name);
  /// Of every logger, made or to be made. Main thread, as is logger().
  void setLevel(spdlog::level::level_enum level);
  [[nodiscard]] LogFilters& filters() const { return *filters_; }

 private:
  std::shared_ptr<LogFilters> filters_ = std::make_shared<LogFilters>();
  std::shared_ptr<LineWriter> console_;
  std::vector<spdlog::sink_ptr> sinks_;
  mutable std::vector<std::weak_ptr<spdlog::logger>> made_;
  spdlog::level::level_enum level_ = spdlog::level::info;
};

}  // namespace svc::kernel
