#include "plugin_worker.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/hosts.h"
#include "svc/common/limits/plugins.h"
#include "svc/hostworkers/worker_protocol.h"

namespace svc::hostworkers {
namespace {

using common::Json;

constexpr std::int64_t kLeastHeapMiB = 16;

Error retiredError(const std::string& plugin_id) {
  return {errc::kGenerationRetired,
          fmt::format("\"{}\" was reloaded or stopped: this version of its host entry does not run "
                      "any more",
                      plugin_id)};
}

std::string signalName(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

std::string exitDetails(const WorkerExit& exit) {
  auto details = Json::object();
  details.set("code", exit.code ? Json(std::int64_t{*exit.code}) : Json());
  details.set("signal", exit.signal == 0 ? Json() : Json(signalName(exit.signal)));
  return details.dump();
}

std::string exitText(const WorkerExit& exit) {
  return exit.code ? fmt::format("exited with code {}", *exit.code)
                   : fmt::format("was killed by {}", signalName(exit.signal));
}

}  // namespace

PluginWorker::PluginWorker(std::string plugin_id, WorkerServices services)
    : plugin_id_(std::move(plugin_id)),
      services_(std::move(services)),
      calls_(
          services_.main,
          {.cancel =
               [this](const std::string& number) {
                 process_->send(simpleMessage(to_worker::kCancel, "callId", number));
               },
           .stuck =
               [this] {
                 kill({{errc::kWorkerExited,
                        fmt::format("the worker was ended: a handler did not settle within {} ms "
                                    "after its call was given up (limit cancel-grace)",
                                    limits::kCancelGrace.count())}});
               }}) {}

void PluginWorker::call(HostCall call, Completion<std::string> done) {
  if (auto accepted = accept(call); !accepted) {
    done(accepted.error());
    return;
  }
  if (call.generation != current_) {
    replaceIdentity(call);
  }
  wanted_heap_mib_ = call.heap_mib > 0 ? call.heap_mib : limits::kPluginHeapMiB;
  idle_timer_.reset();
  calls_.add(std::move(call), std::move(done));
  next();
}

Status PluginWorker::accept(const HostCall& call) {
  if (closed_) {
    return Error{errc::kHostUnavailable, "the daemon is stopping"};
  }
  if (std::find(retired_.begin(), retired_.end(), call.generation) != retired_.end()) {
    return retiredError(plugin_id_);
  }
  if (call.generation == current_ &&
      (call.digest != current_artifact_.digest || call.bytes != current_artifact_.bytes)) {
    return Error{
        errc::kArtifactMismatch,
        fmt::format("\"{}\" has one version of its host entry with two contents; reload it",
                    plugin_id_)};
  }
  return calls_.admit(call);
}

void PluginWorker::remember(const std::string& generation) {
  if (std::find(retired_.begin(), retired_.end(), generation) != retired_.end()) {
    return;
  }
  retired_.push_back(generation);
  if (retired_.size() > limits::kRetired) {
    retired_.pop_front();
  }
}

void PluginWorker::replaceIdentity(const HostCall& call) {
  const auto old = std::exchange(current_, call.generation);
  current_artifact_ = {plugin_id_, call.digest, call.bytes};
  if (old.empty()) {
    return;
  }
  remember(old);
  calls_.failWaiting(retiredError(plugin_id_), old);
  end({retiredError(plugin_id_), true});
}

bool PluginWorker::cancel(const std::string& generation, const std::string& call_id) {
  const bool cancelled = calls_.cancel(generation, call_id);
  awaitIdle();
  return cancelled;
}

void PluginWorker::retire(const std::string& generation, Completion<bool> done) {
  remember(generation);
  const bool running = state_ != State::kIdle && generation_ == generation;
  const bool known = running || current_ == generation;
  if (current_ == generation) {
    current_.clear();
    current_artifact_ = {};
    calls_.failWaiting(retiredError(plugin_id_), generation);
  }
  if (running) {
    waiting_for_end_.emplace_back([answer = std::make_shared<Completion<bool>>(std::move(done))](
                                      const Status&) { (*answer)(true); });
    end({retiredError(plugin_id_), true});
    return;
  }
  done(known);
}

void PluginWorker::sessionOpened(const std::optional<std::string>& current) {
  calls_.cancelAll();
  has_session_ = true;
  if (const auto exited = std::exchange(untold_exit_, {}); !exited.empty() && exited == current) {
    services_.tell(exitedMessage(plugin_id_, exited));
  }
  if (current) {
    std::erase(retired_, *current);
  }
  const auto running = state_ == State::kIdle ? std::string() : generation_;
  for (const auto& generation : {running, current_}) {
    if (!generation.empty() && generation != current) {
      retire(generation, {});
    }
  }
  awaitIdle();
}

void PluginWorker::shutDown(Completion<void> done) {
  closed_ = true;
  const Error stopping{errc::kHostUnavailable, "the daemon is stopping"};
  calls_.failWaiting(stopping);
  waiting_for_end_.push_back(std::move(done));
  end({stopping, true});
  settled();
}

/// Starts what is wanted, or gives the worker what came.
void PluginWorker::next() {
  if (state_ == State::kRunning && generation_ == current_) {
    flush();
  } else if (state_ == State::kIdle && calls_.firstWaiting() != nullptr) {
    fetch();
  }
}

void PluginWorker::fetch() {
  state_ = State::kFetching;
  generation_ = current_;
  artifact_ = current_artifact_;
  ending_.reset();
  const auto attempt = ++attempt_;
  services_.artifacts.acquire(
      artifact_, [weak = weak_from_this(), attempt](Result<std::filesystem::path> file) {
        const auto self = weak.lock();
        if (!self || self->attempt_ != attempt) {
          return;
        }
        if (!file) {
          self->startFailed(file.error());
          return;
        }
        self->launch(file.value());
      });
}

/// Less than kLeastHeapMiB would not get a worker as far as `ready`.
std::int64_t PluginWorker::heapLimit() const {
  const auto wanted = std::max(wanted_heap_mib_, kLeastHeapMiB);
  return services_.most_heap_mib > 0 ? std::min(wanted, services_.most_heap_mib) : wanted;
}

void PluginWorker::launch(const std::filesystem::path& module) {
  state_ = State::kStarting;
  heap_mib_ = heapLimit();
  start_timer_ = services_.main.after(limits::kWorkerStart, [this] {
    kill({{errc::kWorkerStartFailed,
           fmt::format("the worker of \"{}\" was not ready within {} ms (limit worker-start)",
                       plugin_id_, limits::kWorkerStart.count())}});
  });
  services_.launcher.launch(
      {plugin_id_, generation_, module, heap_mib_}, events(),
      [self = shared_from_this()](Result<std::shared_ptr<IWorkerProcess>> process) {
        self->launched(std::move(process));
      });
}

void PluginWorker::launched(Result<std::shared_ptr<IWorkerProcess>> process) {
  if (!process) {
    startFailed(ending_ ? ending_->error : process.error());
    return;
  }
  process_ = std::move(process).value();
  if (ending_) {
    process_->kill();
  }
}

/// There is no process. The calls it was for fail; a later one tries again.
void PluginWorker::startFailed(const Error& error) {
  state_ = State::kIdle;
  start_timer_.reset();
  stop_timer_.reset();
  calls_.failWaiting(error, generation_);
  settled();
}

WorkerEvents PluginWorker::events() {
  const auto weak = weak_from_this();
  return {.messages =
              [weak](std::vector<WorkerMessage> messages) {
                if (const auto self = weak.lock()) {
                  self->onMessages(std::move(messages));
                }
              },
          .broken =
              [weak](std::string why) {
                if (const auto self = weak.lock()) {
                  self->kill({{errc::kWorkerExited, "the worker was ended: " + std::move(why)}});
                }
              },
          .gone =
              [weak](const WorkerExit& exit) {
                if (const auto self = weak.lock()) {
                  self->onGone(exit);
                }
              }};
}

void PluginWorker::flush() {
  for (auto& message : calls_.send(generation_)) {
    // Calls of many callers go together.
    if (calls_.size() == 1) {
      process_->sendAtOnce(std::move(message));
    } else {
      process_->send(std::move(message));
    }
  }
}

/// Starts the time after which a worker that nobody needs is stopped, once nobody does.
void PluginWorker::awaitIdle() {
  if (state_ != State::kRunning || !calls_.empty() || !leases_.empty() || watches_->count() > 0) {
    idle_timer_.reset();
  } else if (!idle_timer_) {
    idle_timer_ = services_.main.after(limits::kWorkerIdle, [this] {
      stop({{errc::kWorkerExited, "the worker was stopped because nobody used it"}, true});
    });
  }
}

/// Ends the process the way its state allows.
void PluginWorker::end(Ending ending) {
  switch (state_) {
    case State::kIdle:
    case State::kStopping:
      return;
    case State::kFetching:
      ++attempt_;
      startFailed(ending.error);
      return;
    case State::kStarting:
      kill(std::move(ending));
      return;
    case State::kRunning:
      stop(std::move(ending));
      return;
  }
}

void PluginWorker::stop(Ending ending) {
  state_ = State::kStopping;
  ending_ = std::move(ending);
  idle_timer_.reset();
  watches_.reset();
  leases_.clear();
  process_->send(disposeMessage());
  stop_timer_ = services_.main.after(limits::kWorkerStop, [this] { process_->kill(); });
}

/// The first reason counts. The state stays kStarting for calls that wait for this start, which fail with its error.
void PluginWorker::kill(Ending ending) {
  if (state_ == State::kIdle || state_ == State::kFetching) {
    return;
  }
  if (!ending_) {
    ending_ = std::move(ending);
  }
  if (state_ == State::kRunning) {
    state_ = State::kStopping;
  }
  start_timer_.reset();
  if (process_) {
    process_->kill();
  }
}

std::string PluginWorker::heapExitText() const {
  const bool bounded = heap_mib_ == services_.most_heap_mib && heap_mib_ < wanted_heap_mib_;
  return fmt::format(
      "the worker of \"{}\" reached its heap limit of {} MiB (limit worker-heap); {}", plugin_id_,
      heap_mib_,
      bounded ? "workers.heapMiB in the configuration of this machine's daemon allows no more"
              : "plugins.heapMiB and plugins.overrides in the server's configuration set it");
}

Error PluginWorker::exitError(const WorkerExit& exit, bool started) const {
  if (ending_) {
    auto error = ending_->error;
    if (error.code == errc::kWorkerExited && error.details.empty()) {
      error.details = exitDetails(exit);
    }
    return error;
  }
  if (!started) {
    const auto said = exit.last_words.empty() ? std::string() : ": " + exit.last_words;
    return {errc::kWorkerStartFailed,
            fmt::format("the worker of \"{}\" {} before it was ready{}", plugin_id_, exitText(exit),
                        said),
            exitDetails(exit)};
  }
  if (exit.code == kHeapLimitExit) {
    return {errc::kWorkerExited, heapExitText(), exitDetails(exit)};
  }
  return {errc::kWorkerExited, fmt::format("the worker of \"{}\" {}", plugin_id_, exitText(exit)),
          exitDetails(exit)};
}

void PluginWorker::onGone(const WorkerExit& exit) {
  const bool started = state_ != State::kStarting;
  const bool asked = ending_ && ending_->asked;
  const auto error = exitError(exit, started);
  process_.reset();
  watches_.reset();
  leases_.clear();
  start_timer_.reset();
  stop_timer_.reset();
  idle_timer_.reset();
  state_ = State::kIdle;
  calls_.failSent(error);
  if (!asked) {
    services_.log->warn("{}: {}", plugin_id_, error.message);
    if (started && has_session_) {
      services_.tell(exitedMessage(plugin_id_, generation_));
    } else if (started) {
      untold_exit_ = generation_;
    } else {
      calls_.failWaiting(error, generation_);
    }
  }
  settled();
}

/// No process is left: who waited for that hears of it, and what came meanwhile is begun.
void PluginWorker::settled() {
  if (state_ != State::kIdle) {
    return;
  }
  for (auto& done : std::exchange(waiting_for_end_, {})) {
    done({});
  }
  next();
}

}  // namespace svc::hostworkers
