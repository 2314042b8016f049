#include "logging.h"

#include <unistd.h>

#include <chrono>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>

namespace svc::kernel {
namespace {

constexpr std::size_t kFileBytes = 10UL * 1024 * 1024;
constexpr std::size_t kFileCount = 3;

/// One JSON object per line: {"ts","level","logger","message"}.
class JsonFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    const auto since_epoch = message.time.time_since_epoch();
    const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
    const auto level = spdlog::level::to_string_view(message.level);
    fmt::format_to(std::back_inserter(out), R"({{"ts":{},"level":"{}","logger":")", millis,
                   std::string_view(level.data(), level.size()));
    escape(out, {message.logger_name.data(), message.logger_name.size()});
    fmt::format_to(std::back_inserter(out), R"(","message":")");
    escape(out, {message.payload.data(), message.payload.size()});
    fmt::format_to(std::back_inserter(out), "\"}}\n");
  }
  [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }

 private:
  static void escape(spdlog::memory_buf_t& out, std::string_view text) {
    for (const char character : text) {
      const auto byte = static_cast<unsigned char>(character);
      if (character == '"' || character == '\\') {
        out.push_back('\\');
        out.push_back(character);
      } else if (character == '\n') {
        fmt::format_to(std::back_inserter(out), "\\n");
      } else if (byte < 0x20 || byte == 0x7f) {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
      } else {
        out.push_back(character);
      }
    }
  }
};

}  // namespace

Result<Logging> Logging::create(const LogOptions& options) {
  return guarded([&options]() -> Result<Logging> {
    Logging logging;
    const auto level = Logging::level(options.level);
    if (!level) {
      return level.error();
    }
    if (options.format != "auto" && options.format != "text" && options.format != "json") {
      return Error{
          errc::kInvalidArgument,
          fmt::format("log.format: expected auto, text or json, got \"{}\"", options.format)};
    }
    logging.level_ = level.value();
    auto console = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    if (options.format == "json" || (options.format == "auto" && ::isatty(STDERR_FILENO) == 0)) {
      console->set_formatter(std::make_unique<JsonFormatter>());
    } else {
      console->set_pattern("%H:%M:%S.%e %^%-7l%$ %-12n %v");
    }
    logging.sinks_.push_back(std::move(console));
    if (!options.file.empty()) {
      auto file = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(options.file.string(),
                                                                         kFileBytes, kFileCount);
      file->set_formatter(std::make_unique<JsonFormatter>());
      logging.sinks_.push_back(std::move(file));
    }
    logging.sinks_ = {
        std::make_shared<FilteredSink>(logging.filters_, std::exchange(logging.sinks_, {}))};
    return logging;
  });
}

std::shared_ptr<spdlog::logger> Logging::logger(const std::string& name) const {
  auto made = std::make_shared<spdlog::logger>(name, sinks_.begin(), sinks_.end());
  made->set_level(level_);
  made->flush_on(spdlog::level::info);
  // A full disk must not take the server down, nor fill standard error.
  made->set_error_handler([](const std::string&) {});
  made_.push_back(made);
  return made;
}

Result<spdlog::level::level_enum> Logging::level(const std::string& name) {
  const auto level = spdlog::level::from_str(name);
  if (level == spdlog::level::off && name != "off") {
    return Error{
        errc::kInvalidArgument,
        fmt::format(R"(log.level: expected trace, debug, info, warn, error or off, got "{}")",
                    name)};
  }
  return level;
}

void Logging::setLevel(spdlog::level::level_enum level) {
  level_ = level;
  for (const auto& made : made_) {
    if (const auto logger = made.lock()) {
      logger->set_level(level);
    }
  }
}

void Logging::flush() const {
  for (const auto& sink : sinks_) {
    sink->flush();
  }
}

}  // namespace svc::kernel
