#include "open_request.h"

#include <utility>

#include <fmt/format.h>

#include "svc/base/random.h"
#include "svc/common/codes.h"
#include "svc/common/limits/mcp.h"

#include "agent_tool_source.h"

namespace svc::mcp {
namespace {

using common::Json;
using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kLateIdBytes = 16;
constexpr std::string_view kSignOfLife = ": still running\n\n";

}  // namespace

OpenRequest::OpenRequest(std::shared_ptr<OpenRequests> open, Incoming incoming, std::string key)
    : open_(std::move(open)),
      incoming_(std::move(incoming)),
      key_(std::move(key)),
      session_(incoming_.scopedSession()),
      streams_(takesStreams(incoming_.exchange->request())),
      started_(open_->surroundings().clock.steadyNow()),
      next_sign_(started_ + limits::kMcpProgress) {
  // Before 2026-07-28 a lost connection says nothing about what its client wants, except one of lines, which has no other.
  if (incoming_.modern() || endsWithConnection(incoming_.exchange->request())) {
    on_disconnect_.emplace(incoming_.exchange->disconnected(), ClientGone{stop_});
  }
}

void OpenRequest::start(const Found& found) {
  if (!open_->add(shared_from_this())) {
    cancel();
    return;
  }
  if (isCall()) {
    ++open_->surroundings().counters->calls;
    record(found.plugin_id);
  }
  found.source->answer({.method = incoming_.message.method,
                        .key = key_,
                        .plugin_id = found.plugin_id,
                        .params = common::RawJson(incoming_.message.params),
                        .caller = incoming_.caller(),
                        .modern = incoming_.modern(),
                        .capabilities = capabilities(),
                        .client = incoming_.client ? incoming_.client->name : std::string(),
                        .wants_progress = !incoming_.meta.progress_token.empty(),
                        .stop = stop_.get_token(),
                        .conversation = shared_from_this()},
                       [self = shared_from_this()](Result<Answer> answer) {
                         auto held = std::make_shared<Result<Answer>>(std::move(answer));
                         self->onIo([self, held] { self->finish(std::move(*held)); });
                       });
}

common::RawJson OpenRequest::capabilities() const {
  const auto& sent = incoming_.meta.capabilities;
  if (incoming_.modern()) {
    return common::RawJson(sent);
  }
  const auto remembered = incoming_.client ? incoming_.client->capabilities : std::string();
  return remembered.empty() ? common::RawJson() : common::RawJson(remembered);
}

void OpenRequest::record(const std::string& plugin_id) {
  const auto now = open_->surroundings().clock.nowMs();
  call_ = std::make_shared<Call>();
  call_->tool = key_;
  call_->plugin_id = plugin_id;
  call_->started_at = now;
  if (const auto& client = incoming_.client) {
    call_->client = client->name;
    client->last_call_at = now;
    ++client->calls;
  }
  if (incoming_.token) {
    call_->token = incoming_.token->name;
  }
  open_->surroundings().history->add(call_);
}

void OpenRequest::recordEnd(const Result<Answer>& answer) {
  auto& counters = *open_->surroundings().counters;
  const auto took =
      duration_cast<milliseconds>(open_->surroundings().clock.steadyNow() - started_).count();
  call_->duration_ms = took;
  counters.call_ms += static_cast<std::uint64_t>(took);
  if (!answer || answer.value().failed) {
    ++counters.failed_calls;
  }
  if (call_->outcome == kRunning) {
    call_->outcome = stop_.stop_requested()                    ? "cancelled"
                     : !answer                                 ? "refused"
                     : answer.value().failed                   ? "failed"
                     : answer.value().type == "input_required" ? "asked"
                                                               : "ok";
  }
}

void OpenRequest::onIo(Task task) {
  auto& reactor = open_->surroundings().reactor;
  if (reactor.isCurrent()) {
    task();
  } else {
    reactor.post(std::move(task));
  }
}

void OpenRequest::finish(Result<Answer> answer) {
  const auto self = shared_from_this();
  open_->remove(self);
  if (call_) {
    recordEnd(answer);
  }
  if (!late_id_.empty() && !server_ends_) {
    const LateCall late{late_id_, incoming_.caller().thread_id, key_};
    stop_.stop_requested() ? open_->surroundings().late->drop(late)
                           : open_->surroundings().late->tell(late, answer);
  }
  if (ended_) {
    return;
  }
  if (server_ends_ && isCall() && (!answer || answer.value().failed)) {
    answer = textAnswer(fmt::format("{} did not finish: the server stops, or MCP was turned off. "
                                    "Look at what it has done before calling "
                                    "it again.",
                                    key_),
                        true);
  }
  if (answer) {
    end(200, resultText(id(), resultOf(answer.value())));
    return;
  }
  ++open_->surroundings().counters->refused;
  const auto refusal = refusalFor(answer.error());
  end(incoming_.modern() ? refusal.status : 200, errorText(refusal));
}

std::string OpenRequest::resultOf(const Answer& answer) const {
  if (!incoming_.modern()) {
    return answer.result.text();
  }
  std::string members(membersOf(answer.result.text()));
  if (incoming_.message.method == "resources/read" && answer.type == "complete") {
    members += R"(,"ttlMs":0,"cacheScope":"private")";
  }
  return modernResult(answer.type, open_->surroundings().server_info, members);
}

Refusal OpenRequest::refusalFor(const Error& error) const {
  Refusal refusal{.message = error.message, .data = error.details, .id = id()};
  const bool resource = incoming_.message.method == "resources/read";
  if (error.code == errc::kNotFound) {
    refusal.code = resource && !incoming_.modern() ? rpc::kResourceNotFound : rpc::kInvalidParams;
    if (resource && refusal.data.empty()) {
      refusal.data = Json::object().set("uri", key_).dump();
    }
  } else if (error.code == errc::kInvalidArgument || error.code == errc::kInvalidInput) {
    refusal.code = rpc::kInvalidParams;
  } else if (error.code == kMissingCapability) {
    refusal.code = rpc::kMissingCapability;
    refusal.status = 400;
  }
  return refusal;
}

void OpenRequest::end(unsigned status, std::string message) {
  ended_ = true;
  on_disconnect_.reset();
  if (!begun_) {
    respond(*incoming_.exchange, status, std::move(message));
    return;
  }
  incoming_.exchange->write(eventText(std::move(message)));
  incoming_.exchange->finish();
}

void OpenRequest::begin() {
  if (!std::exchange(begun_, true)) {
    incoming_.exchange->begin(streamHead());
  }
}

void OpenRequest::send(std::string message) {
  if (ended_ || !streams_) {
    return;
  }
  begin();
  incoming_.exchange->write(eventText(std::move(message)));
}

void OpenRequest::tick(std::chrono::steady_clock::time_point now) {
  if (ended_) {
    return;
  }
  const auto elapsed = now - started_;
  if (isCall() && !reportsProgress() && elapsed >= limits::kToolDetach) {
    detach(fmt::format("is still running after {} s and goes on",
                       duration_cast<seconds>(elapsed).count()));
    return;
  }
  if (!streams_ || now < next_sign_) {
    return;
  }
  if (reportsProgress()) {
    if (const auto report =
            progress_.signOfLife(fmt::format("{} has run for {} s", key_.empty() ? "it" : key_,
                                             duration_cast<seconds>(elapsed).count()))) {
      sendProgress(*report);
      return;
    }
  }
  next_sign_ = now + limits::kMcpProgress;
  begin();
  incoming_.exchange->write(std::string(kSignOfLife));
}

bool OpenRequest::reportsProgress() const {
  return streams_ && !incoming_.meta.progress_token.empty();
}

void OpenRequest::letGo() {
  onIo([self = shared_from_this()] {
    if (self->isCall() && !self->ended_ && !self->lateThread().empty()) {
      self->detach("is still running: it waits for the answer of a person");
    }
  });
}

void OpenRequest::detach(const std::string& why) {
  ++open_->surroundings().counters->detached_calls;
  call_->outcome = lateThread().empty() ? "detached" : "late";
  detached_ = true;
  if (!lateThread().empty()) {
    late_id_ = base::randomHex(kLateIdBytes);
    open_->surroundings().late->begin({late_id_, lateThread(), key_});
  }
  const auto text =
      lateThread().empty()
          ? fmt::format(
                "{} {}, but its result cannot be delivered: "
                "this client sent no progress token. Do not assume that it failed, and look at "
                "what it has done before calling it again. With a progress token "
                "(_meta.progressToken) a call waits for its result.",
                key_, why)
          : fmt::format(
                "{} {}. Its result comes as a message in this thread; do not call it again, and do "
                "not wait for it in this turn.",
                key_, why);
  const auto part = Json::object().set("type", "text").set("text", text);
  const auto result = Json::object().set("content", Json::Array{part}).set("isError", false);
  end(200, resultText(id(), resultOf({.result = common::RawJson(result.dump())})));
}

std::string OpenRequest::lateThread() const {
  const auto& late = open_->surroundings().late;
  return late && late->areDelivered() ? incoming_.caller().thread_id : std::string();
}

void OpenRequest::giveUp() {
  server_ends_ = true;
  stop_.request_stop();
}

void OpenRequest::cancel() {
  stop_.request_stop();
  if (std::exchange(ended_, true)) {
    return;
  }
  if (begun_ || streams_) {
    begin();
    incoming_.exchange->finish();
    return;
  }
  incoming_.exchange->respond({.status = 202, .content_type = {}});
}

void OpenRequest::revoke() {
  stop_.request_stop();
  if (ended_) {
    return;
  }
  if (call_) {
    call_->outcome = "revoked";
  }
  if (begun_) {
    ++open_->surroundings().counters->refused;
    end(401, errorText({.message = std::string(kRevoked), .id = id()}));
    return;
  }
  ended_ = true;
  on_disconnect_.reset();
  unauthorized(*incoming_.exchange, std::string(kRevoked));
}

void OpenRequest::progress(double value, std::optional<double> total, std::string message) {
  onIo([self = shared_from_this(), report = ProgressReport{value, total, std::move(message)}] {
    if (!self->reportsProgress()) {
      return;
    }
    if (const auto sent = self->progress_.reported(report)) {
      self->sendProgress(*sent);
    }
  });
}

void OpenRequest::sendProgress(const ProgressReport& report) {
  next_sign_ = open_->surroundings().clock.steadyNow() + limits::kMcpProgress;
  auto params = Json::object()
                    .set("progressToken", Json::raw(common::RawJson(incoming_.meta.progress_token)))
                    .set("progress", report.value);
  if (report.total) {
    params.set("total", *report.total);
  }
  if (!report.message.empty()) {
    params.set("message", report.message);
  }
  send(notificationText("notifications/progress", params.dump()));
}

void OpenRequest::notify(std::string_view method, common::RawJson params) {
  if (incoming_.modern() && method == "notifications/message" && incoming_.meta.log_level.empty()) {
    return;
  }
  onIo([self = shared_from_this(), text = notificationText(method, params.text())] {
    self->send(text);
  });
}

void OpenRequest::ask(std::string_view method, common::RawJson params,
                      Completion<common::RawJson> done) {
  auto held = std::make_shared<Completion<common::RawJson>>(std::move(done));
  onIo([self = shared_from_this(), held, method = std::string(method), params = std::move(params)] {
    if (self->incoming_.modern() || !self->streams_ || self->ended_) {
      (*held)(Error{errc::kNotSupported, "this client cannot be asked"});
      return;
    }
    const auto question = self->open_->ask(*self, std::move(*held));
    self->send(requestText(question, method, params.text()));
  });
}

}  // namespace svc::mcp
