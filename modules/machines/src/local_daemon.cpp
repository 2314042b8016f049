#include "local_daemon.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/limits/hosts.h"

namespace svc::machines {
namespace {

/// A daemon that ran this long was fine: its next end is a new story.
constexpr auto kRanWell = std::chrono::minutes(5);

}  // namespace

void LocalDaemon::start() {
  if (::access(settings_.executable.c_str(), X_OK) != 0) {
    const auto what = fmt::format(
        "no host daemon runs on the server's own machine: {} is not there; install svc as a whole, "
        "or set hosts.local to false",
        settings_.executable.string());
    log_->warn("{}", what);
    settings_.note(what);
    return;
  }
  launch();
}

void LocalDaemon::launch() {
  timer_.reset();
  if (stopping_) {
    return;
  }
  auto key = settings_.enroll_key();
  if (!key) {
    return tryAgainAfter("could not be enrolled: " + key.error().message);
  }
  auto process = launcher_.launch(
      {.argv = {settings_.executable.string(), "--data-dir", settings_.data_directory().string(),
                "--server", settings_.server_url(), "--local", "--enroll-fd", "3", "--parent-fd",
                "4"},
       .enroll_key = std::move(key).value()},
      [this](const std::string& how) { ended(how); });
  if (!process) {
    return tryAgainAfter("could not be started: " + process.error().message);
  }
  started_ = clock_.steadyNow();
  process_ = std::move(process).value();
  settings_.note({});
}

void LocalDaemon::ended(const std::string& how) {
  process_.reset();
  if (stopping_) {
    timer_.reset();
    stopped_({});
    return;
  }
  if (clock_.steadyNow() - started_ >= kRanWell) {
    pause_ = limits::kLocalRestart;
  }
  tryAgainAfter(how);
}

void LocalDaemon::tryAgainAfter(const std::string& what) {
  const auto pause = pause_;
  pause_ = std::min(pause_ * 2, limits::kLocalRestartMax);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(pause).count();
  log_->warn("the local host daemon {}; next try in {} s", what, seconds);
  settings_.note(fmt::format(
      "its host daemon {}; the server tries again in {} s, and `svc server logs` says more", what,
      seconds));
  timer_ = main_.after(pause, [this] { launch(); });
}

void LocalDaemon::stop(std::chrono::milliseconds patience, Completion<void> done) {
  stopping_ = true;
  timer_.reset();
  if (!process_) {
    done({});
    return;
  }
  stopped_ = std::move(done);
  process_->terminate();
  timer_ = main_.after(patience, [this] { stopped_({}); });
}

void LocalDaemon::release(std::chrono::milliseconds wait) {
  stopping_ = true;
  timer_.reset();
  if (process_ && !process_->awaitExit(wait)) {
    log_->warn("the local host daemon is still stopping; it ends by itself within {} s",
               std::chrono::duration_cast<std::chrono::seconds>(limits::kDaemonExit).count());
  }
  process_.reset();
}

}  // namespace svc::machines
