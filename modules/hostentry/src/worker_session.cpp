#include "worker_session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "svc/base/marked_processes.h"
#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostworkers/worker_protocol.h"

#include "hostentry_scripts.h"

namespace svc::hostentry {
namespace {

using common::Json;
using common::JsonSlices;
namespace to_worker = hostworkers::to_worker;
namespace from_worker = hostworkers::from_worker;

/// A signal waits for the daemon from here on, and is refused from L:ipc on.
constexpr std::size_t kSignalBacklog = 1024UL * 1024;
/// What was said last gets so long to be written.
constexpr std::chrono::seconds kLastWords{1};
constexpr int kFailed = 1;
/// As shells say it: ended by signal n.
constexpr int kSignalBase = 128;
constexpr int kAbortExit = 134;

std::string messageOf(std::string_view type) {
  return std::string("{\"type\":\"").append(type).append("\"");
}

void appendText(std::string& out, std::string_view key, std::string_view text) {
  out.append(",\"").append(key).append("\":");
  common::appendJsonString(out, text);
}

/// Each line of it, as the daemon tells them apart.
std::string asError(std::string_view text) {
  std::string out(1, hostworkers::kErrorLine);
  for (const char character : text) {
    out.push_back(character);
    if (character == '\n') {
      out.push_back(hostworkers::kErrorLine);
    }
  }
  return out;
}

WorkerEnd endOf(const script::Termination& termination) {
  using Reason = script::TerminationReason;
  switch (termination.reason) {
    case Reason::kProcessExit:
      return {.code = termination.exit_code};
    case Reason::kProcessAbort:
      return {.code = kAbortExit};
    case Reason::kSignal:
      return {.signal = termination.exit_code - kSignalBase};
    case Reason::kHeapLimit:
      return {.code = hostworkers::kHeapLimitExit};
    case Reason::kRequested:
    case Reason::kWatchdog:
    case Reason::kBootstrapFailed:
      break;
  }
  return {.code = kFailed};
}

}  // namespace

WorkerSession::WorkerSession(WorkerOptions options, Surroundings surroundings)
    : options_(std::move(options)),
      surroundings_(std::move(surroundings)),
      socket_(
          std::make_shared<DaemonSocket>(surroundings_.io, options_.socket, limits::kIpcMessage)),
      limit_(surroundings_.io) {}

void WorkerSession::start() {
  const auto self = shared_from_this();
  socket_->start({.line = [self](std::string_view line) { self->onLine(line); },
                  .closed = [self](const std::string& why) { self->onClosed(why); },
                  .drained = [self] { self->drained(); }});
  surroundings_.runtime.create(
      instanceOptions(), [self](Result<Instance> created) { self->created(std::move(created)); });
}

script::InstanceOptions WorkerSession::instanceOptions() {
  script::InstanceOptions options;
  options.name = options_.plugin_id;
  options.root = options_.module.parent_path();
  options.cache_dir = options_.temp_dir;
  if (!options_.mark.empty()) {
    options.environment[base::kProcessMark] = options_.mark;
  }
  options.limits.heap_bytes = options_.heap_bytes;
  // Deadlines and their grace are what bounds a handler that blocks; within them it may.
  options.limits.watchdog = limits::kHostCallMax;
  options.limits.terminate = limits::kHostCallMax;
  options.parts.push_back({"host_entry", scripts::kHostEntry});
  options.functions = functions();
  options.natives = options_.natives;
  options.natives.push_back({"daemon_socket", socket_});
  options.observer = shared_from_this();
  return options;
}

std::vector<script::HostFunction> WorkerSession::functions() {
  const auto weak = weak_from_this();
  return script::hostFunctions({
      {.name = "worker.send",
       .sync = [weak](const std::string& message) -> Result<std::string> {
         if (const auto self = weak.lock()) {
           self->socket_->send(message);
         }
         return std::string();
       }},
      {.name = "worker.signal",
       .async =
           [weak](const std::string& message, Completion<std::string> done) {
             if (const auto self = weak.lock()) {
               self->signal(message, std::move(done));
             }
           }},
  });
}

WorkerSession::Instance WorkerSession::instance() {
  const std::scoped_lock lock(mutex_);
  return instance_;
}

void WorkerSession::created(Result<Instance> created) {
  if (!created) {
    started(created.error());
    return;
  }
  {
    const std::scoped_lock lock(mutex_);
    instance_ = created.value();
  }
  auto paths = Json::object();
  paths.set("module", options_.module.string());
  paths.set("dataDir", options_.data_dir.string());
  paths.set("tempDir", options_.temp_dir.string());
  created.value()->invoke({.function = "start", .meta = {}, .body = paths.dump()},
                          [self = shared_from_this()](const Result<std::string>& result) {
                            self->started(result ? Status() : Status(result.error()));
                          });
}

void WorkerSession::started(const Status& outcome) {
  if (outcome) {
    {
      const std::scoped_lock lock(mutex_);
      ready_ = true;
    }
    auto ready = messageOf(from_worker::kReady);
    ready.append(fmt::format(",\"protocolVersion\":{}", hostworkers::kWorkerProtocolVersion));
    appendText(ready, "pluginId", options_.plugin_id);
    appendText(ready, "generation", options_.generation);
    socket_->send(ready + "}");
    return;
  }
  // An entry that ended its own environment is told by how it ended.
  if (outcome.error().code == errc::kPluginNotRunning) {
    return;
  }
  auto error = messageOf(from_worker::kStartupError) + ",\"error\":{\"message\":";
  common::appendJsonString(error, outcome.error().message);
  socket_->send(error + "}}");
  finish({.code = kFailed});
}

void WorkerSession::onLine(std::string_view line) {
  // The script parses what it is given.
  const auto slices = JsonSlices::skim(line);
  const auto type = slices ? slices.value().text("type") : std::string();
  const auto has = [&slices](std::string_view key) { return !slices.value().text(key).empty(); };
  if (type == to_worker::kCall && has("callId") && has("method")) {
    call(slices.value());
  } else if (type == to_worker::kCancel && has("callId")) {
    cancel(slices.value().text("callId"));
  } else if (type == to_worker::kDispose) {
    dispose({});
  } else if (type == to_worker::kWatchReady || type == to_worker::kWatchStartError ||
             type == to_worker::kWatchEvent) {
    tellScript("watch", line);
  } else {
    printError("the daemon sent what is no message; the worker ends");
    finish({.code = kFailed});
  }
}

void WorkerSession::call(const JsonSlices& message) {
  const auto call_id = message.text("callId");
  std::stop_source stop;
  {
    const std::scoped_lock lock(mutex_);
    running_[call_id] = stop;
  }
  const auto script = instance();
  if (!script) {
    answer(call_id, Error{errc::kWorkerExited, "the worker is not ready"});
    return;
  }
  script->invoke({.function = "call",
                  .meta = message.text("method"),
                  .body = std::string(message.raw("input")),
                  .stop = stop.get_token()},
                 [self = shared_from_this(), call_id](const Result<std::string>& result) {
                   self->answer(call_id, result);
                 });
}

void WorkerSession::cancel(const std::string& call_id) {
  std::stop_source stop(std::nostopstate);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = running_.find(call_id); found != running_.end()) {
      stop = found->second;
    }
  }
  stop.request_stop();
}

void WorkerSession::answer(const std::string& call_id, const Result<std::string>& result) {
  bool last = false;
  {
    const std::scoped_lock lock(mutex_);
    running_.erase(call_id);
    last = running_.empty();
  }
  // The environment ended under the call: how the process ends tells the daemon why.
  if (!result && result.error().code == errc::kPluginNotRunning) {
    return;
  }
  auto message = messageOf(from_worker::kResult);
  appendText(message, "callId", call_id);
  if (result) {
    message.append(",\"ok\":true");
    if (!result.value().empty()) {
      message.append(",\"output\":").append(result.value());
    }
    message.push_back('}');
    // Answers of many calls leave together.
    if (last) {
      socket_->sendAtOnce(message);
    } else {
      socket_->send(message);
    }
    return;
  }
  message.append(",\"ok\":false,\"error\":{\"code\":");
  common::appendJsonString(message, result.error().code.name());
  appendText(message, "message", result.error().message);
  if (!result.error().details.empty()) {
    message.append(",\"details\":").append(result.error().details);
  }
  socket_->send(message + "}}");
}

void WorkerSession::tellScript(std::string function, std::string_view message) {
  if (const auto script = instance()) {
    script->invoke({.function = std::move(function), .meta = {}, .body = std::string(message)},
                   [](const Result<std::string>&) {});
  }
}

/// An entry that awaits its signals is as fast as the daemon; one that does not is stopped before it fills the memory.
void WorkerSession::signal(const std::string& message, Completion<std::string> done) {
  const auto backlog = socket_->backlog();
  bool waits = false;
  if (backlog + message.size() > limits::kIpcMessage) {
    done(Error{errc::kOverloaded,
               "signals are emitted faster than the machine sends them; await each one"});
    return;
  }
  {
    const std::scoped_lock lock(mutex_);
    waits = backlog > kSignalBacklog && !ended_;
    if (waits) {
      waiting_signals_.push_back(std::move(done));
    }
  }
  socket_->send(message);
  if (waits) {
    socket_->askDrained();
  } else {
    done(std::string());
  }
}

void WorkerSession::drained() {
  std::vector<Completion<std::string>> waiting;
  {
    const std::scoped_lock lock(mutex_);
    waiting.swap(waiting_signals_);
  }
  for (auto& done : waiting) {
    done(std::string());
  }
  if (finishing_) {
    endNow(end_);
  }
}

void WorkerSession::dispose(WorkerEnd end) {
  Instance script;
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(disposing_, true)) {
      return;
    }
    script = ready_ ? instance_ : nullptr;
  }
  if (!script) {
    finish(end);
    return;
  }
  script->invoke(
      {.function = "dispose", .meta = {}, .body = {}},
      [self = shared_from_this(), end](const Result<std::string>&) { self->finish(end); });
}

void WorkerSession::onClosed(const std::string& why) {
  if (!why.empty()) {
    printError(why + "; the worker ends");
  }
  // The daemon has gone: the entry gets the time it would have had, and nobody else ends what it has started.
  static constexpr WorkerEnd kAlone{.code = 0, .signal = 0, .group = true};
  end_.group = true;
  if (finishing_) {
    endNow(end_);
    return;
  }
  limit_.expires_after(limits::kWorkerStop);
  limit_.async_wait([self = shared_from_this()](auto failure) {
    if (!failure) {
      self->endNow(kAlone);
    }
  });
  dispose(kAlone);
}

void WorkerSession::finish(WorkerEnd end) {
  boost::asio::post(surroundings_.io, [self = shared_from_this(), end] {
    if (std::exchange(self->finishing_, true)) {
      return;
    }
    const bool alone = self->end_.group;
    self->end_ = end;
    self->end_.group = end.group || alone;
    if (self->socket_->backlog() == 0 || self->end_.group) {
      self->endNow(self->end_);
      return;
    }
    self->socket_->askDrained();
    self->limit_.expires_after(kLastWords);
    self->limit_.async_wait([self](auto failure) {
      if (!failure) {
        self->endNow(self->end_);
      }
    });
  });
}

void WorkerSession::endNow(WorkerEnd end) {
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(ended_, true)) {
      return;
    }
  }
  surroundings_.end(end);
}

void WorkerSession::printError(std::string_view text) { surroundings_.print(true, asError(text)); }

void WorkerSession::onUncaughtError(const script::ScriptError& error, const std::string& origin) {
  printError(fmt::format("{}: {}", origin == "rejection" ? "Unhandled rejection" : "Uncaught",
                         error.stack.empty() ? error.message : error.stack));
}

void WorkerSession::onConsole(const std::string& level, const std::string& text) {
  if (level == "error") {
    printError(text);
  } else {
    surroundings_.print(level == "warn", text);
  }
}

void WorkerSession::onHandlerError(const script::ScriptError& error, const std::string& function,
                                   const std::string& meta) {
  if (!error.stack.empty()) {
    printError(function == "call" ? fmt::format("{} failed: {}", meta, error.stack)
                                  : fmt::format("{}: {}", function, error.stack));
  }
}

void WorkerSession::onStall(std::chrono::milliseconds /*blocked_for*/,
                            const std::string& /*stack*/) {}

void WorkerSession::onEnded(const script::Termination& termination) {
  if (!termination.message.empty()) {
    printError(termination.stack.empty() ? termination.message
                                         : termination.message + "\n" + termination.stack);
  }
  finish(endOf(termination));
}

}  // namespace svc::hostentry
