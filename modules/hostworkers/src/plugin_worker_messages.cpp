// What a worker says.
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostworkers/worker_protocol.h"

#include "plugin_worker.h"

namespace svc::hostworkers {
namespace {

/// Leases of one worker; more is no use of them.
constexpr std::size_t kMostLeases = 65'536;

/// Codes that a worker may give; everything else is its handler's affair.
Errc codeOf(const std::string& name) {
  const auto code = common::wireCode(name);
  for (const auto known :
       {errc::kUnknownMethod, errc::kInvalidInput, errc::kHandlerError, errc::kInvalidOutput,
        errc::kNonJsonResult, errc::kTooLarge, errc::kWorkerExited, errc::kAborted}) {
    if (code == known) {
      return code;
    }
  }
  return errc::kHandlerError;
}

Result<std::string> outcomeOf(WorkerMessage& message) {
  if (!message.ok) {
    return Error{codeOf(message.code), std::move(message.message), std::move(message.details)};
  }
  if (message.payload.size() > limits::kHostOutput) {
    return Error{
        errc::kTooLarge,
        fmt::format("the result has {} bytes as JSON, more than the {} of the limit host-output",
                    message.payload.size(), limits::kHostOutput)};
  }
  return message.payload.empty() ? std::string("{}") : R"({"output":)" + message.payload + "}";
}

}  // namespace

void PluginWorker::onMessages(std::vector<WorkerMessage> messages) {
  for (auto& message : messages) {
    onMessage(std::move(message));
  }
  awaitIdle();
}

void PluginWorker::onMessage(WorkerMessage message) {
  using Type = WorkerMessage::Type;
  switch (message.type) {
    case Type::kReady:
      onReady(message);
      return;
    case Type::kStartupError:
      if (state_ == State::kStarting) {
        kill({{errc::kWorkerStartFailed, std::move(message.message)}});
      }
      return;
    case Type::kResult:
      onResult(std::move(message));
      return;
    case Type::kSignal:
      onSignal(message);
      return;
    case Type::kLeaseAcquire:
    case Type::kLeaseRelease:
      onLease(message);
      return;
    case Type::kWatchStart:
    case Type::kWatchStop:
    case Type::kWatchAck:
      onWatch(message);
      return;
  }
}

void PluginWorker::onReady(const WorkerMessage& message) {
  if (state_ != State::kStarting) {
    return;
  }
  if (message.number != kWorkerProtocolVersion || message.plugin_id != plugin_id_ ||
      message.generation != generation_) {
    kill({{errc::kWorkerStartFailed,
           fmt::format(
               "the worker is not the one that was started: it runs \"{}\" with protocol {}, "
               "expected \"{}\" with {}",
               message.plugin_id, message.number, plugin_id_, kWorkerProtocolVersion)}});
    return;
  }
  state_ = State::kRunning;
  start_timer_.reset();
  watches_ = services_.watches([weak = weak_from_this()](std::string text) {
    if (const auto self = weak.lock(); self && self->process_) {
      self->process_->send(std::move(text));
    }
  });
  flush();
}

void PluginWorker::onResult(WorkerMessage message) {
  const auto number = std::move(message.id);
  auto outcome = outcomeOf(message);
  // A handler that ends because its worker does has not failed by itself.
  const bool ended = !outcome && ending_ && outcome.error().code == errc::kHandlerError;
  calls_.settle(number, ended ? ending_->error : std::move(outcome));
}

void PluginWorker::onSignal(const WorkerMessage& message) {
  if (state_ != State::kRunning) {
    return;
  }
  if (message.payload.size() > limits::kHostOutput) {
    services_.log->warn("{}: a signal of {} bytes was dropped, the limit host-output is {}",
                        plugin_id_, message.payload.size(), limits::kHostOutput);
    return;
  }
  services_.tell(signalMessage(plugin_id_, generation_, message.id, message.payload));
}

void PluginWorker::onLease(const WorkerMessage& message) {
  if (state_ != State::kRunning) {
    return;
  }
  if (message.type == WorkerMessage::Type::kLeaseRelease) {
    leases_.erase(message.id);
    return;
  }
  leases_.insert(message.id);
  if (leases_.size() > kMostLeases) {
    kill({{errc::kWorkerExited,
           fmt::format("the worker was ended: it held more than {} leases", kMostLeases)}});
  }
}

void PluginWorker::onWatch(const WorkerMessage& message) {
  if (state_ != State::kRunning) {
    return;
  }
  switch (message.type) {
    case WorkerMessage::Type::kWatchStart:
      watches_->start(message.id, message.payload);
      return;
    case WorkerMessage::Type::kWatchStop:
      watches_->stop(message.id);
      return;
    default:
      watches_->acknowledge(message.id, message.number);
  }
}

}  // namespace svc::hostworkers
