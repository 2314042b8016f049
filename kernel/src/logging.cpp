#include "logging.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/details/os.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>

#include "line_writer.h"

namespace svc::kernel {
namespace {

constexpr std::size_t kFileBytes = 10UL * 1024 * 1024;
constexpr std::size_t kFileCount = 3;
/// Lines for a reader of standard error that is behind.
constexpr std::size_t kConsoleBytes = 4UL * 1024 * 1024;
/// What the end of the program waits for such a reader.
constexpr std::chrono::seconds kConsoleGrace{1};
constexpr const char* kTextPattern = "%H:%M:%S.%e %^%-7l%$ %-12n %v";

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

using FormatterPtr = std::unique_ptr<spdlog::formatter>;

std::string formatted(spdlog::formatter& formatter, const spdlog::details::log_msg& message) {
  message.color_range_start = 0;
  message.color_range_end = 0;
  spdlog::memory_buf_t text;
  formatter.format(message, text);
  return {text.data(), text.size()};
}

/// Standard error, which may be a pipe that nobody reads: logging does not wait for it.
class ConsoleSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  ConsoleSink(std::shared_ptr<LineWriter> writer, FormatterPtr formatter)
      : base_sink(std::move(formatter)),
        writer_(std::move(writer)),
        colors_(spdlog::details::os::in_terminal(stderr) &&
                spdlog::details::os::is_color_terminal()) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    auto text = formatted(*formatter_, message);
    const auto end = message.color_range_end;
    if (colors_ && message.color_range_start < end && end <= text.size()) {
      text.insert(end, "\033[m");
      text.insert(message.color_range_start, color(message.level));
    }
    writer_->write(std::move(text));
  }
  /// Called after every line; what waits is written when it can be.
  void flush_() override {}

  static const char* color(spdlog::level::level_enum level) {
    constexpr std::array<const char*, 7> kColors{
        "\033[37m",        "\033[36m",        "\033[32m", "\033[33m\033[1m",
        "\033[31m\033[1m", "\033[1m\033[41m", ""};
    return kColors.at(static_cast<std::size_t>(level));
  }

  const std::shared_ptr<LineWriter> writer_;
  const bool colors_;
};

std::shared_ptr<LineWriter> consoleWriter(const spdlog::formatter& formatter) {
  return std::make_shared<LineWriter>(LineWriter::Options{
      .fd = STDERR_FILENO,
      .limit = kConsoleBytes,
      .dropped = [format = std::shared_ptr(formatter.clone())](std::uint64_t count) {
        const auto text = fmt::format(
            "{} line(s) are missing here: standard error was not read; the log file has them",
            count);
        return formatted(*format, {"kernel", spdlog::level::warn, text});
      }});
}

/// spdlog opens its files so that every program started from here could write to them.
spdlog::file_event_handlers keptFromChildren() {
  spdlog::file_event_handlers handlers;
  handlers.after_open = [](const spdlog::filename_t&, std::FILE* file) {
    ::fcntl(::fileno(file), F_SETFD, FD_CLOEXEC);
  };
  return handlers;
}

/// A file that rotates, and is there again with the next line when somebody has moved or removed it.
class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FileSink(std::filesystem::path path)
      : base_sink(std::make_unique<JsonFormatter>()), path_(std::move(path)) {
    open();
  }

 private:
  using Rotating = spdlog::sinks::rotating_file_sink_st;

  void open() {
    file_ = std::make_unique<Rotating>(path_.string(), kFileBytes, kFileCount, false,
                                       keptFromChildren());
    file_->set_formatter(formatter_->clone());
  }
  void sink_it_(const spdlog::details::log_msg& message) override {
    std::error_code ignored;
    if (!std::filesystem::exists(path_, ignored)) {
      open();
    }
    file_->log(message);
  }
  void flush_() override { file_->flush(); }

  const std::filesystem::path path_;
  std::unique_ptr<Rotating> file_;
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
      return Error{errc::kInvalidArgument,
                   fmt::format("expected auto, text or json, got \"{}\"", options.format)};
    }
    logging.level_ = level.value();
    const bool json =
        options.format == "json" || (options.format == "auto" && ::isatty(STDERR_FILENO) == 0);
    auto formatter = json ? FormatterPtr(std::make_unique<JsonFormatter>())
                          : std::make_unique<spdlog::pattern_formatter>(kTextPattern);
    logging.console_ = consoleWriter(*formatter);
    logging.sinks_.push_back(std::make_shared<ConsoleSink>(logging.console_, std::move(formatter)));
    if (!options.file.empty()) {
      logging.sinks_.push_back(std::make_shared<FileSink>(options.file));
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
    return Error{errc::kInvalidArgument,
                 fmt::format(R"(expected trace, debug, info, warn, error or off, got "{}")", name)};
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
  console_->drain(kConsoleGrace);
}

}  // namespace svc::kernel
