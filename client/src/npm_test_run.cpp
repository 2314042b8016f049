#include "npm_test_run.h"

#include <csignal>
#include <utility>

#include "sdk_pins.h"

namespace svc::client {
namespace {

/// What an ended test runner has to tidy up.
constexpr std::chrono::milliseconds kTestGrace{2000};
/// A runner that draws its progress hides it.
constexpr std::string_view kShowCursor = "\x1b[?25h";

}  // namespace

bool hasScript(const common::Json& manifest, const char* name) {
  return !manifest["scripts"][name].asString().empty();
}

NpmTestRun::~NpmTestRun() {
  if (child_) {
    static_cast<void>(child_.terminate(kTestGrace));
    static_cast<void>(base::writeAll(output_, kShowCursor));
  }
}

Status NpmTestRun::start() {
  const auto manifest = readPackageFile(root_);
  if (!manifest) {
    return manifest.error();
  }
  if (!hasScript(manifest.value().json, "test")) {
    return Error{
        errc::kNotFound,
        R"(package.json has no tests to run: add "test" to its scripts, such as "vitest run")"};
  }
  auto started = base::spawn({.argv = {"npm", "test"},
                              .directory = root_,
                              .out = output_,
                              .err = output_,
                              .group = base::ProcessGroup::kOwn,
                              .parent_death_signal = SIGTERM});
  if (!started) {
    return started.error().code == errc::kNotFound
               ? Error{errc::kNotFound, "npm is not on PATH: install Node.js 20 or newer"}
               : std::move(started).error();
  }
  child_ = std::move(started).value();
  return {};
}

std::optional<std::string> NpmTestRun::takeEnd() {
  if (!child_ || !child_.awaitEnd(std::chrono::milliseconds(0))) {
    return std::nullopt;
  }
  child_.signalGroup(SIGKILL);
  const auto status = child_.reap();
  return status.ok() ? "Tests passed." : "Tests failed: npm test " + status.text();
}

}  // namespace svc::client
