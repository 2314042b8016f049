#include "dev_loop.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "svc/common/limits/builds.h"

#include "exit_code.h"
#include "sdk_pins.h"
#include "text.h"

namespace svc::client {
namespace {

using common::BuildTarget;
using common::Json;
using std::chrono::milliseconds;

/// Files that are written without end (a log in the plugin's directory) must not keep a save from being seen.
constexpr milliseconds kLongestDebounce = 10 * limits::kDevDebounce;
/// How often the record is looked at while nothing changes.
constexpr milliseconds kUiLook{2000};
/// How often a person sees what the plugin and windows have said.
constexpr milliseconds kCockpitLook{500};
/// A window takes a moment to load the page of a new load.
constexpr int kLooksUntilOver = 2;
constexpr const char* kRetry = " — fix and save to retry";

const char* failureLabel(BuildTarget target) {
  return target == BuildTarget::kHost ? "host build failed: " : "build failed: ";
}

/// One line: the server's message without the code frame it may have, which the plugin's log shows.
std::string reloadFailure(std::string_view message) {
  constexpr std::string_view kLabel = "reload failed: ";
  constexpr std::string_view kKept = " (the previous instance is still running)";
  if (message.starts_with(kLabel)) {
    message.remove_prefix(kLabel.size());
  }
  auto line = std::string(kLabel) + firstLine(message);
  if (message.ends_with(kKept) && !line.ends_with(kKept)) {
    line += kKept;
  }
  return line;
}

}  // namespace

void Debounce::touch(Time now) {
  if (!first_) {
    first_ = now;
  }
  last_ = now;
}

std::optional<milliseconds> Debounce::left(Time now) const {
  if (!first_) {
    return std::nullopt;
  }
  const auto due = std::min(last_ + limits::kDevDebounce, *first_ + kLongestDebounce);
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(due - now));
}

const std::string& declaredEntry(const Json& manifest, const char* entry) {
  return manifest["svc"][entry].asString();
}

std::string startLine(const DevLoop::Plugin& plugin, const Json& manifest) {
  std::string built;
  if (!declaredEntry(manifest, "app").empty()) {
    built = "frontend";
  }
  if (!declaredEntry(manifest, "host").empty()) {
    built += built.empty() ? "host" : " + host";
  }
  return fmt::format("Watching {} for plugin \"{}\" ({}reload on change) — Ctrl+C to stop.",
                     oneLine(plugin.root.string()), oneLine(plugin.id),
                     built.empty() ? "" : built + " rebuild + ");
}

int DevLoop::run() {
  cycle("initial build");
  while (const auto reason = nextReason()) {
    cycle(*reason);
  }
  return kExitOk;
}

std::optional<std::string> DevLoop::takeChanges() {
  const auto count = ports_.watcher.takeChanges().size();
  if (count == 0) {
    return std::nullopt;
  }
  return fmt::format("{} {} changed", count, count == 1 ? "file" : "files");
}

std::optional<std::string> DevLoop::nextReason() {
  Debounce debounce;
  for (;;) {
    const auto left = debounce.left(ports_.now());
    if (left && left->count() == 0) {
      if (auto changed = takeChanges()) {
        return changed;
      }
      debounce.reset();
      continue;
    }
    switch (ports_.watcher.wait(left ? left : untilNextLook())) {
      case IFileWatcher::Wake::kStopped:
        return std::nullopt;
      case IFileWatcher::Wake::kActivity:
        debounce.touch(ports_.now());
        break;
      case IFileWatcher::Wake::kTimeout:
        if (!left) {
          lookAround();
        }
        break;
      case IFileWatcher::Wake::kOther:
        switch (ports_.cockpit->attend()) {
          case IDevCockpit::Wish::kQuit:
            return std::nullopt;
          case IDevCockpit::Wish::kReload:
            // What has changed by now is in it.
            static_cast<void>(ports_.watcher.takeChanges());
            return "asked for";
          case IDevCockpit::Wish::kNothing:
            break;
        }
        break;
    }
  }
}

std::optional<milliseconds> DevLoop::untilNextLook() const {
  if (ports_.cockpit != nullptr) {
    return kCockpitLook;
  }
  const bool has_page = !declaredEntry(manifest_, "app").empty();
  return has_page ? std::optional(kUiLook) : std::nullopt;
}

void DevLoop::lookAround() {
  if (ports_.cockpit == nullptr) {
    lookAtUi();
    return;
  }
  ports_.cockpit->look();
  const bool has_page = !declaredEntry(manifest_, "app").empty();
  if (const auto now = ports_.now(); has_page && now - ui_looked_ >= kUiLook) {
    ui_looked_ = now;
    lookAtUi();
  }
}

void DevLoop::lookAtUi() {
  const auto failure = ports_.server.uiFailure(plugin_.id);
  if (!failure) {
    return;  // without a server there is no window either
  }
  if (!failure.value().empty()) {
    looks_without_ = 0;
    if (failure.value() != ui_failure_) {
      ui_failure_ = failure.value();
      if (ports_.cockpit == nullptr) {  // which shows what windows say
        printLine(false, {ui_failure_ + kRetry});
      }
    }
  } else if (!ui_failure_.empty() && ++looks_without_ >= kLooksUntilOver) {
    ui_failure_.clear();
    printLine(true, {"UI fails no longer"});
  }
  if (ports_.cockpit == nullptr) {
    tellWindowFailures();
  }
}

void DevLoop::tellWindowFailures() {
  for (const auto& failure : ports_.server.windowFailures(plugin_.id)) {
    // A page that could not be loaded is told of above.
    const bool is_known = ui_failure_.find(firstLine(failure)) != std::string::npos;
    if (!is_known && told_.insert(failure).second) {
      printLine(false, {"error in a window: " + failure});
    }
  }
}

void DevLoop::cycle(const std::string& reason) {
  std::vector<std::string> parts{reason};
  auto file = readPackageFile(plugin_.root);
  std::string problem;
  if (!file) {
    problem = file.error().message;
  } else if (declaredEntry(file.value().json, "server").empty()) {
    problem = "package.json: svc.server is missing: it names the server entry";
  }
  if (!problem.empty()) {
    parts.push_back("manifest read failed: " + problem + kRetry);
    printLine(false, parts);
    return;
  }
  manifest_ = std::move(file.value().json);
  if (!build(parts)) {
    if (!parts.empty()) {
      printLine(false, parts);
    }
    return;
  }
  clearProblems();
  const bool reloaded = reload(parts);
  printLine(reloaded, parts);
  told_.clear();
  if (ports_.cockpit != nullptr) {
    if (reloaded) {
      ports_.cockpit->loaded();
    }
    ports_.cockpit->look();
  }
}

bool DevLoop::build(std::vector<std::string>& parts) {
  common::BuildRequest request{.root = plugin_.root, .targets = {}, .minify = false};
  if (!declaredEntry(manifest_, "app").empty()) {
    request.targets.push_back(BuildTarget::kApp);
  }
  if (!declaredEntry(manifest_, "host").empty()) {
    request.targets.push_back(BuildTarget::kHost);
  }
  if (request.targets.empty()) {
    return true;
  }
  auto report = ports_.builder.build(request);
  if (!report && report.error().code == errc::kAborted) {
    parts.clear();  // the person has ended the loop, which is no failure to tell of
    return false;
  }
  if (!report) {
    return failBuild(request.targets.front(), report.error().message, parts);
  }
  reportBuild(report.value(), parts);
  if (const auto* const failed = report.value().failed()) {
    return failBuild(failed->target, failureText(*failed), parts);
  }
  return true;
}

void DevLoop::reportBuild(const common::BuildReport& report, std::vector<std::string>& parts) {
  std::vector<std::string> warnings;
  const auto* const failed = report.failed();
  for (const auto& target : report.targets) {
    for (const auto& warning : target.warnings) {
      warnings.push_back(shortText(warning));
    }
    if (&target != failed) {
      parts.push_back(
          fmt::format("rebuilt {} in {}ms", targetName(target.target), target.took.count()));
    }
  }
  // The same ones every time would bury what is new.
  if (warnings != warned_) {
    for (const auto& warning : warnings) {
      console_.complain("warning: " + oneLine(warning));
    }
    warned_ = std::move(warnings);
  }
}

bool DevLoop::failBuild(BuildTarget target, const std::string& message,
                        std::vector<std::string>& parts) {
  parts.push_back(failureLabel(target) + message + kRetry);
  problems_sent_ = true;
  // Without a server nobody looks at the status; the line says what is wrong.
  static_cast<void>(ports_.server.setProblems(plugin_.id, {{target, message}}));
  return false;
}

void DevLoop::clearProblems() {
  if (problems_sent_ && ports_.server.setProblems(plugin_.id, {})) {
    problems_sent_ = false;
  }
}

bool DevLoop::reload(std::vector<std::string>& parts) {
  const auto record = ports_.server.reload(plugin_.id);
  if (!record) {
    parts.push_back(reloadFailure(record.error().message));
    return false;
  }
  auto part = "reloaded " + plugin_.id;
  const auto& status = record.value()["status"].asString();
  if (!status.empty() && status != "running") {
    const auto& detail = record.value()["statusDetail"].asString();
    part += fmt::format(" ({}{}{})", status, detail.empty() ? "" : ": ", detail);
  }
  parts.push_back(std::move(part));
  return true;
}

void DevLoop::printLine(bool ok, const std::vector<std::string>& parts) const {
  const auto line = oneLine(fmt::format("{}", fmt::join(parts, " · ")));
  if (console_.json) {
    console_.out << Json::object().set("ok", ok).set("line", line).dump() << '\n' << std::flush;
  } else {
    console_.out << line << '\n' << std::flush;
  }
}

}  // namespace svc::client
