#include "session.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/hostprotocol/agent_limits.h"
#include "svc/hostprotocol/agents.h"

#include "agent_bounds.h"
#include "bounded_text.h"

namespace svc::agentd {

using common::Json;

namespace {

namespace events = hostprotocol::agent_event;

constexpr std::chrono::milliseconds kNoLimit{0};
/// Bytes of a line that is no message, in the error that says so.
constexpr std::size_t kShownGarbage = 200;

Json nullable(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

std::string_view name(SessionState state) {
  switch (state) {
    case SessionState::kOpening:
      return "opening";
    case SessionState::kIdle:
      return "idle";
    case SessionState::kRunning:
      return "running";
    case SessionState::kAuthRequired:
      return "auth-required";
    case SessionState::kEnded:
      return "ended";
  }
  return "ended";
}

Session::Session(SessionRequest request, ModeNames modes, SessionServices services)
    : request_(std::move(request)),
      modes_(std::move(modes)),
      services_(std::move(services)),
      transcript_(request_.session_id, request_.cwd, [this](AgentEvent event) {
        tell(event.type, event.turn_id, std::move(event.data));
      }) {}

void Session::tell(std::string_view type, const std::string& turn_id, Json data) {
  if (!provider_thread_id_.empty()) {
    data.set("providerThreadId", provider_thread_id_);
  }
  services_.tell({.type = std::string(type), .turn_id = turn_id, .data = std::move(data)});
}

void Session::tellChanged() {
  tell(events::kSessionChanged, {},
       Json::object()
           .set("modes", mode_list_)
           .set("configOptions", config_options_)
           .set("commands", commands_));
}

void Session::setReading(bool wanted) {
  if (process_) {
    process_->setReading(wanted);
  }
}

void Session::ask(std::string_view method, const Json& params, std::chrono::milliseconds limit,
                  Answered then) {
  const auto id = ++next_id_;
  Asked asked{.method = std::string(method), .then = std::move(then)};
  if (limit > kNoLimit) {
    asked.timer = services_.after(limit, [weak = weak_from_this(), id] {
      if (const auto self = weak.lock()) {
        self->onLate(id);
      }
    });
  }
  asked_[id] = std::move(asked);
  send(acpRequest(id, method, params));
}

void Session::onLate(std::uint64_t id) {
  const auto found = asked_.find(id);
  if (found == asked_.end()) {
    return;
  }
  const auto late = std::move(found->second);
  asked_.erase(found);
  AcpMessage answer;
  answer.failure = AcpMessage::Failure{
      .message = fmt::format("the agent did not answer {} in time", late.method)};
  late.then(std::move(answer));
}

void Session::send(std::string line) {
  if (process_ && !process_->write(std::move(line))) {
    fail(Error{errc::kUnavailable,
               fmt::format("the agent does not read what it is told (limit agentInput: {} bytes)",
                           limits::kAgentInput)});
  }
}

void Session::onLines(const std::vector<std::string>& lines) {
  for (const auto& line : lines) {
    // What is being ended has nothing more to say, and may say much.
    if (closing_ || over()) {
      return;
    }
    auto message = parseAcpMessage(line);
    if (message) {
      onMessage(std::move(message).value());
    } else if (message.error().code == errc::kOverloaded) {
      onBroken("it sent " + message.error().message);
    } else {
      last_garbage_ = headOf(line, kShownGarbage);
      if (++garbage_ > limits::kAgentGarbage) {
        fail(Error{errc::kUnavailable, garbageText()});
      }
    }
  }
}

std::string Session::garbageText() const {
  return fmt::format(
      "the agent writes what is no message of ACP: {}; is it a program that speaks ACP, and with "
      "the arguments for it?",
      last_garbage_);
}

void Session::onMessage(AcpMessage message) {
  if (message.kind == AcpMessage::Kind::kRequest) {
    onRequest(message);
  } else if (message.kind == AcpMessage::Kind::kNotification) {
    onNotification(message);
  } else {
    std::uint64_t id = 0;
    std::from_chars(message.id.data(), message.id.data() + message.id.size(), id);
    const auto found = asked_.find(id);
    if (found != asked_.end()) {
      auto asked = std::move(found->second);
      asked_.erase(found);
      asked.timer.reset();
      asked.then(std::move(message));
    }
  }
}

void Session::onRequest(const AcpMessage& message) {
  if (message.method == "session/request_permission") {
    onPermission(message);
  } else if (message.method == "elicitation/create") {
    onElicitation(message);
  } else {
    send(acpFailure(message.id, acp_error::kMethodNotFound,
                    fmt::format("this client has no {}", message.method)));
  }
}

void Session::onNotification(const AcpMessage& message) {
  if (message.method != "session/update") {
    return;
  }
  const auto& session = message.params["sessionId"].asString();
  const bool is_own = session == provider_thread_id_;
  if (names_session_ && !is_own && !session.empty()) {
    return;  // of a session beside this one, which no thread has
  }
  // Some go on under the id of their first session after they have loaded another.
  names_session_ = names_session_ || (is_own && !session.empty());
  const auto& update = message.params["update"];
  const auto& kind = update["sessionUpdate"].asString();
  if (kind == "available_commands_update") {
    takeList(commands_, update["availableCommands"], "commands");
    tellChanged();
  } else if (kind == "current_mode_update") {
    if (const auto& mode = update["currentModeId"]; mode_list_.isObject() && mode.isString()) {
      mode_list_.set("currentModeId", headOf(mode.asString(), limits::kAgentName));
    }
    tellChanged();
  } else if (kind == "config_option_update") {
    takeChoices(update);
    tellChanged();
  } else if (replaying_) {
    // What is replayed of an earlier session has been stored then.
    awaitReplayed();
  } else if (!provider_thread_id_.empty()) {
    const auto pictured = withPicturesKept(update, services_.keep_picture);
    transcript_.update(pictured ? *pictured : update, services_.now_ms(), message.cut_text);
  }
}

void Session::close(Error why) {
  if (!over()) {
    fail(std::move(why), kClosedReason);
  }
}

void Session::tellOpen() {
  transcript_.tellOpenItems(services_.now_ms());
  for (const auto& [id, question] : questions_) {
    tell(events::kQuestionAsked, turn_id_,
         Json::object().set("questionId", id).set("payload", question.payload));
  }
}

Json Session::describe() const {
  return Json::object()
      .set("sessionId", request_.session_id)
      .set("threadId", request_.thread_id)
      .set("providerId", request_.provider_id)
      .set("state", name(state_))
      .set("providerThreadId", nullable(provider_thread_id_))
      .set("started", nullable(started_))
      .set("turnId", nullable(turn_id_))
      .set("modes", mode_list_)
      .set("configOptions", config_options_)
      .set("offeredOptions", offered_options_)
      .set("commands", commands_)
      .set("promptCapabilities", capabilities_["promptCapabilities"])
      .set("canGoOn", !capabilities_["sessionCapabilities"]["resume"].isNull() ||
                          capabilities_["loadSession"].asBool())
      .set("agentInfo", agent_info_)
      .set("skillsDirectory", nullable(skills_directory_));
}

/// Ends the program; what is to be told is told when it has gone.
void Session::fail(Error error, std::string_view reason) {
  if (closing_ || over()) {
    return;
  }
  closing_ = true;
  end_reason_ = reason;
  end_error_ = error;
  open_timer_.reset();
  cancel_timer_.reset();
  if (open_.pending()) {
    if (garbage_ > 0 && garbage_ <= limits::kAgentGarbage) {
      error.message += "; " + garbageText();
    }
    if (const auto words = process_ ? process_->lastWords() : std::string(); !words.empty()) {
      error.message += fmt::format("; its last words: {}", words);
    }
    // What was closed says nothing of the session that it was to go on with.
    error.details =
        error.details.empty() && reason != kClosedReason ? resumeDetails() : error.details;
    auto open = std::move(open_);
    open(std::move(error));
  }
  if (process_) {
    process_->setReading(true);
    process_->end();
  } else {
    ended(end_reason_, end_error_.message, nullptr);
  }
}

void Session::onBroken(const std::string& why) {
  fail(Error{errc::kUnavailable, fmt::format("the agent was ended: {}", why)});
}

std::string Session::resumeDetails() const {
  const bool resumes = std::any_of(asked_.begin(), asked_.end(), [](const auto& each) {
    return each.second.method == "session/resume" || each.second.method == "session/load";
  });
  return resumes ? Json::object().set("resumes", true).dump() : std::string();
}

std::string Session::exitText(const AgentExit& exit) const {
  auto text = fmt::format(
      "the agent {}{}", exit.closed_output ? "closed its output and was ended" : exit.status.text(),
      open_.pending() ? " before its session was there" : "");
  if (!exit.last_words.empty()) {
    text += fmt::format("; its last words: {}", exit.last_words);
  } else if (open_.pending()) {
    text += garbage_ > 0 ? "; " + garbageText()
                         : "; start its program in a terminal of its machine to see why";
  }
  return text;
}

void Session::onExit(const AgentExit& exit) {
  auto message = end_error_.message;
  if (!closing_) {
    message = exitText(exit);
    if (open_.pending()) {
      open_timer_.reset();
      auto open = std::move(open_);
      open(Error{errc::kUnavailable, message, resumeDetails()});
    }
  }
  ended(closing_ ? end_reason_ : "exited", message, &exit);
}

void Session::ended(std::string_view reason, const std::string& message, const AgentExit* exit) {
  if (over()) {
    return;
  }
  process_.reset();
  asked_.clear();
  if (state_ == SessionState::kRunning) {
    const bool closed = reason == kClosedReason;
    const bool stopped = cancelled_ || closed;
    auto error = stopped ? Json() : turnError(message, "agent_ended");
    if (closed && !cancelled_ && end_error_.code == errc::kHostUnavailable) {
      error = turnError(message, "host-daemon-restarted");  // nobody has asked for that
    }
    endTurn(stopped ? "interrupted" : "failed", stopped ? "cancelled" : "", std::move(error));
  }
  state_ = reason == kAuthRequiredReason ? SessionState::kAuthRequired : SessionState::kEnded;
  const auto number = [exit](int value) { return exit != nullptr ? Json(value) : Json(); };
  const bool signalled = exit != nullptr && exit->status.signal != 0;
  tell(events::kSessionEnded, {},
       Json::object()
           .set("reason", reason)
           .set("message", clipped(message))
           .set("exitCode", signalled ? Json() : number(exit != nullptr ? exit->status.code : 0))
           .set("signal", signalled ? Json(exit->status.signal) : Json())
           .set("lastWords", exit != nullptr ? nullable(exit->last_words) : Json()));
}

}  // namespace svc::agentd
