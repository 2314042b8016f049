#include "svc/common/bundle_builder.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "svc/common/json.h"

#include "builder_process.h"

namespace svc::common {
namespace {

constexpr std::array<BuildTarget, 3> kTargets{BuildTarget::kServer, BuildTarget::kApp,
                                              BuildTarget::kHost};

BuildMessage readMessage(const Json& line) {
  return {.text = line["text"].asString(),
          .file = line["file"].asString(),
          .line = line["line"].asInteger(),
          .column = line["column"].asInteger(),
          .source_line = line["lineText"].asString(),
          .length = line["length"].asInteger()};
}

std::optional<BuildTarget> readTarget(const Json& line) {
  const auto& name = line["target"].asString();
  for (const auto target : kTargets) {
    if (targetName(target) == name) {
      return target;
    }
  }
  return std::nullopt;
}

std::string requestLine(std::uint64_t id, const BuildRequest& request) {
  auto targets = Json::array();
  for (const auto target : request.targets) {
    targets.push(Json(targetName(target)));
  }
  return Json::object()
             .set("id", id)
             .set("root", request.root.string())
             .set("targets", std::move(targets))
             .set("minify", request.minify)
             .set("foreign", request.foreign)
             .dump() +
         "\n";
}

/// What the lines of one request amount to.
class Reading {
 public:
  explicit Reading(const std::function<void(const std::string&)>& progress) : progress_(progress) {}

  /// True when a target has ended: the next one has its own time.
  bool take(const Json& line) {
    const auto& type = line["type"].asString();
    const auto target = readTarget(line);
    if (type == "progress") {
      if (progress_) {
        progress_(line["message"].asString());
      }
    } else if (type == "done") {
      done_ = true;
    } else if (!target) {
      return false;
    } else if (type == "absent") {
      erase(*target);
      return true;
    } else {
      return takeResult(type, line, report(*target));
    }
    return false;
  }
  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] BuildReport result() && { return std::move(report_); }

 private:
  static bool takeResult(const std::string& type, const Json& line, TargetReport& report) {
    if (type == "warning") {
      report.warnings.push_back(readMessage(line));
    } else if (type == "error") {
      report.errors.push_back(readMessage(line));
    } else if (type == "wrote") {
      report.files.push_back(
          {line["path"].asString(), static_cast<std::uint64_t>(line["bytes"].asInteger())});
    } else if (type == "built" || type == "failed") {
      report.took = std::chrono::milliseconds{line["ms"].asInteger()};
      if (type == "failed" && report.errors.empty()) {
        report.errors.push_back({.text = "the build failed without a message"});
      }
      return true;
    }
    return false;
  }
  TargetReport& report(BuildTarget target) {
    for (auto& report : report_.targets) {
      if (report.target == target) {
        return report;
      }
    }
    return report_.targets.emplace_back(TargetReport{.target = target});
  }
  void erase(BuildTarget target) {
    std::erase_if(report_.targets,
                  [target](const TargetReport& report) { return report.target == target; });
  }

  const std::function<void(const std::string&)>& progress_;
  BuildReport report_;
  bool done_ = false;
};

/// The part of a long line around the place, so that a minified file stays readable.
std::string cutLine(const std::string& line, std::size_t& column) {
  constexpr std::size_t kBefore = 60;
  constexpr std::size_t kWidth = 120;
  if (line.size() <= kWidth) {
    return line;
  }
  const auto start = column > kBefore ? column - kBefore : 0;
  column -= start;
  return line.substr(std::min(start, line.size()), kWidth);
}

}  // namespace

std::string_view targetName(BuildTarget target) {
  constexpr std::array<std::string_view, 3> kNames{"server", "app", "host"};
  return kNames.at(static_cast<std::size_t>(target));
}

const TargetReport* BuildReport::failed() const {
  const auto found = std::ranges::find_if(
      targets, [](const TargetReport& report) { return !report.errors.empty(); });
  return found == targets.end() ? nullptr : &*found;
}

std::string shortText(const BuildMessage& message) {
  if (message.file.empty()) {
    return message.text;
  }
  if (message.line == 0) {
    return fmt::format("{}: {}", message.file, message.text);
  }
  return fmt::format("{}:{}:{}: {}", message.file, message.line, message.column, message.text);
}

std::string codeFrame(const BuildMessage& message) {
  auto out = shortText(message);
  if (message.line == 0 || message.source_line.empty()) {
    return out;
  }
  auto column = static_cast<std::size_t>(std::max<std::int64_t>(message.column, 1)) - 1;
  auto line = cutLine(message.source_line, column);
  // A mark below a tab has to be as wide as the tab.
  std::string indent;
  for (std::size_t i = 0; i < std::min(column, line.size()); ++i) {
    indent += line[i] == '\t' ? '\t' : ' ';
  }
  const auto room = line.size() > column ? line.size() - column : 1;
  const auto length = std::clamp<std::size_t>(
      static_cast<std::size_t>(std::max<std::int64_t>(message.length, 1)), 1, room);
  const auto number = std::to_string(message.line);
  out += fmt::format("\n  {} | {}\n  {} | {}{}", number, line, std::string(number.size(), ' '),
                     indent, std::string(length, '^'));
  return out;
}

std::string failureText(const TargetReport& report) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> texts;
  for (const auto& error : report.errors) {
    if (texts.size() == kShown) {
      texts.push_back(fmt::format("and {} more", report.errors.size() - kShown));
      break;
    }
    texts.push_back(shortText(error));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

class BundleBuilder::Process : public BuilderProcess {
 public:
  using BuilderProcess::BuilderProcess;
};

BundleBuilder::BundleBuilder(Options options) : options_(std::move(options)) {}
BundleBuilder::~BundleBuilder() = default;

Status BundleBuilder::ensureProcess() {
  if (process_) {
    return {};
  }
  process_ = std::make_unique<Process>();
  std::vector<std::string> argv{options_.node, (options_.toolchain / "build.mjs").string(),
                                "serve"};
  if (!options_.installed_toolchains.empty()) {
    argv.insert(argv.end(), {"--toolchain", options_.installed_toolchains.string()});
  }
  auto status = process_->start(argv);
  if (!status) {
    process_.reset();
  }
  return status;
}

Result<BuildReport> BundleBuilder::build(const BuildRequest& request, const std::stop_token& stop,
                                         const std::function<void(const std::string&)>& progress) {
  const bool was_there = process_ != nullptr;
  auto report = attempt(request, stop, progress);
  // One that stood by may have been ended meanwhile, by whoever needs its memory: that says nothing about this build.
  return !report && was_there && report.error().code == errc::kUnavailable
             ? attempt(request, stop, progress)
             : std::move(report);
}

Result<BuildReport> BundleBuilder::attempt(const BuildRequest& request, const std::stop_token& stop,
                                           const Progress& progress) {
  if (auto status = ensureProcess(); !status) {
    return std::move(status).error();
  }
  const auto id = ++last_request_;
  Reading reading(progress);
  const auto failed = [this](Error error) -> Result<BuildReport> {
    process_.reset();
    return error;
  };
  if (auto status = process_->send(requestLine(id, request)); !status) {
    return failed(std::move(status).error());
  }
  auto deadline = std::chrono::steady_clock::now() + options_.limit;
  while (!reading.done()) {
    auto line = process_->readLine(deadline, stop);
    if (!line) {
      auto error = std::move(line).error();
      if (error.code == errc::kTimeout) {
        error.message =
            fmt::format("the build took longer than {} s (limit build)",
                        std::chrono::duration_cast<std::chrono::seconds>(options_.limit).count());
      }
      return failed(std::move(error));
    }
    const auto parsed = Json::parse(line.value());
    if (!parsed) {
      continue;  // something a package of the toolchain printed
    }
    if (parsed.value()["type"].asString() == "fatal") {
      return failed({errc::kUnavailable, parsed.value()["text"].asString()});
    }
    if (parsed.value()["id"].isNull() && parsed.value()["type"].asString() == "progress") {
      // Before the first request is read.
      reading.take(parsed.value());
      continue;
    }
    if (static_cast<std::uint64_t>(parsed.value()["id"].asInteger()) == id &&
        reading.take(parsed.value())) {
      deadline = std::chrono::steady_clock::now() + options_.limit;
    }
  }
  return std::move(reading).result();
}

}  // namespace svc::common
