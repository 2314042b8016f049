// A turn: its prompt, what is asked in it, what is said meanwhile, its end.
#include <sys/stat.h>

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/hostprotocol/agent_limits.h"
#include "svc/hostprotocol/agents.h"

#include "agent_bounds.h"
#include "bounded_text.h"
#include "listed_questions.h"
#include "session.h"

namespace svc::agentd {

using common::Json;

namespace turn_events = hostprotocol::agent_event;

Json Session::turnError(const std::string& message, std::string_view code) {
  return Json::object().set("message", clipped(message)).set("code", code);
}

Json Session::stopError(const std::string& reason) {
  if (reason == "max_tokens") {
    return turnError("the agent stopped because its answer became too long; ask it to go on",
                     reason);
  }
  if (reason == "max_turn_requests") {
    return turnError("the agent stopped after as many steps as it allows itself; ask it to go on",
                     reason);
  }
  return reason == "refusal" ? turnError("the agent refused to answer this", reason) : Json();
}

void Session::onPermission(const AcpMessage& message) {
  if (state_ != SessionState::kRunning || cancelled_ ||
      questions_.size() >= limits::kAgentQuestions) {
    send(acpResult(message.id, cancelledOutcome()));
    return;
  }
  const auto& params = message.params;
  if (!params["toolCall"].isObject() || !params["options"].isArray()) {
    return refuseQuestion(message, message.method,
                          Error{errc::kInvalidInput, "it needs a toolCall and options"});
  }
  Question question{.request_id = message.id, .options = params["options"]};
  question.is_choice = params["_meta"]["qwenInteractionKind"].asString() == "user_question" ||
                       hasSeveralWays(question.options);
  question.listed = listedQuestions(params);
  auto can = canBeToldApart(question.options);
  if (can && question.is_choice && question.listed.isNull()) {
    can = canBeChosen(question.options);
  }
  if (!can) {
    return refuseQuestion(message, params["toolCall"]["title"].asString(), can.error());
  }
  question.item_id = transcript_.permissionAsked(params["toolCall"], services_.now_ms());
  question.payload = questionPayload(question, params, transcript_.subjectOf(question.item_id));
  askPerson(std::move(question));
}

void Session::refuseQuestion(const AcpMessage& message, const std::string& asked,
                             const Error& why) {
  warn("The agent asked what no question can be, and was told so",
       fmt::format("{} ({})", clipped(asked), why.message));
  send(acpFailure(message.id, acp_error::kInvalidParams, why.message));
}

void Session::onElicitation(const AcpMessage& message) {
  auto payload = formPayload(message.params);
  if (!payload) {
    return refuseQuestion(message, message.params["message"].asString(), payload.error());
  }
  Question question{.request_id = message.id,
                    .form = message.params["requestedSchema"],
                    .payload = std::move(payload).value()};
  if (state_ != SessionState::kRunning || cancelled_ ||
      questions_.size() >= limits::kAgentQuestions) {
    send(acpResult(message.id, cancelledAnswer(question)));
  } else {
    askPerson(std::move(question));
  }
}

void Session::askPerson(Question question) {
  const auto id = fmt::format("{}.q{}", request_.session_id, ++question_count_);
  auto payload = question.payload;
  questions_[id] = std::move(question);
  tell(turn_events::kQuestionAsked, turn_id_,
       Json::object().set("questionId", id).set("payload", std::move(payload)));
}

Status Session::answer(const Json& body) {
  const auto found = questions_.find(body["questionId"].asString());
  if (found == questions_.end()) {
    return Error{errc::kConflict, "this question is open no more"};
  }
  auto answered = answerQuestion(found->second, body);
  if (!answered) {
    return std::move(answered).error();
  }
  const auto question = std::move(found->second);
  questions_.erase(found);
  transcript_.permissionAnswered(question.item_id, answered.value().denied, services_.now_ms());
  send(acpResult(question.request_id, answered.value().result));
  return {};
}

void Session::withdrawQuestions(std::string_view reason) {
  for (const auto& [id, question] : std::exchange(questions_, {})) {
    send(acpResult(question.request_id, cancelledAnswer(question)));
    transcript_.permissionAnswered(question.item_id, false, services_.now_ms());
    tell(turn_events::kQuestionWithdrawn, turn_id_,
         Json::object().set("questionId", id).set("reason", reason));
  }
}

std::optional<Session::Folder> Session::folderAt(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)
             ? std::optional(Folder{.device = status.st_dev, .number = status.st_ino})
             : std::nullopt;
}

Status Session::checkFolder() const {
  const auto now = folderAt(request_.cwd);
  if (now && now == folder_) {
    return {};
  }
  return Error{
      errc::kUnknownPath,
      now ? fmt::format("{} is not the folder any more that the agent works in", request_.cwd)
          : fmt::format("the folder {} is not there any more", request_.cwd)};
}

Status Session::prompt(const Json& body) {
  const auto& turn_id = body["turnId"].asString();
  if (turn_id.empty() || body["prompt"].items().empty()) {
    return Error{errc::kInvalidInput, "turnId and prompt (content blocks) are required"};
  }
  if (turn_id == prompted_) {
    return {};  // said again by a server that did not get the answer
  }
  if (state_ != SessionState::kIdle) {
    return Error{errc::kConflict, fmt::format("the session is {}", name(state_))};
  }
  // What it would do in a folder that was deleted or moved away is lost, or done somewhere else.
  if (auto there = checkFolder(); !there) {
    return there;
  }
  state_ = SessionState::kRunning;
  turn_id_ = prompted_ = turn_id;
  cancelled_ = false;
  garbage_ = 0;
  transcript_.turnStarted(turn_id, services_.now_ms());
  tell(turn_events::kTurnStarted, turn_id, Json::object().set("turnId", turn_id));
  sendPrompt(body["prompt"]);
  return {};
}

void Session::sendPrompt(const Json& blocks) {
  ask("session/prompt", Json::object().set("sessionId", provider_thread_id_).set("prompt", blocks),
      std::chrono::milliseconds(0), [weak = weak_from_this()](const AcpMessage& answer) {
        if (const auto self = weak.lock()) {
          self->onPromptAnswered(answer);
        }
      });
}

void Session::onPromptAnswered(const AcpMessage& answer) {
  cancel_timer_.reset();
  if (state_ != SessionState::kRunning) {
    return;
  }
  const auto& reason = answer.result["stopReason"].asString();
  if (answer.failure) {
    const bool unauthorized = answer.failure->code == acp_error::kAuthRequired;
    const auto message = unauthorized ? signInText(*answer.failure) : failureText(*answer.failure);
    if (cancelled_) {
      endTurn("interrupted", "cancelled", {});
      return;
    }
    // What was said before it failed stands before the failure.
    endOpen();
    tell(turn_events::kError, turn_id_,
         Json::object()
             .set("message", clipped(message))
             .set("errorInfo", Json::object()
                                   .set("category", unauthorized ? "unauthorized" : "unknown")
                                   .set("providerCode", std::to_string(answer.failure->code))
                                   .set("httpStatusCode", nullptr)));
    endTurn("failed", {}, turnError(message, unauthorized ? "unauthorized" : "agent_error"));
  } else if (cancelled_ || reason == "cancelled") {
    endTurn("interrupted", "cancelled", {});
  } else {
    auto error = stopError(reason);
    endTurn(error.isNull() ? "completed" : "failed", reason, std::move(error));
  }
}

void Session::endOpen() {
  withdrawQuestions("turn-ended");
  transcript_.turnEnded(services_.now_ms());
}

void Session::endTurn(std::string_view status, std::string_view stop_reason, Json error) {
  cancel_timer_.reset();
  endOpen();
  auto data = Json::object().set("turnId", turn_id_).set("status", status);
  data.set("stopReason", stop_reason.empty() ? Json() : Json(stop_reason));
  if (!error.isNull()) {
    data.set("error", std::move(error));
  }
  cancelled_ = false;
  state_ = SessionState::kIdle;
  tell(turn_events::kTurnCompleted, std::exchange(turn_id_, {}), std::move(data));
}

bool Session::cancel() {
  if (state_ != SessionState::kRunning) {
    return false;
  }
  if (cancelled_) {
    return true;
  }
  cancelled_ = true;
  send(acpNotification("session/cancel", Json::object().set("sessionId", provider_thread_id_)));
  withdrawQuestions("cancelled");
  cancel_timer_ = services_.after(limits::kAgentCancel, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->fail(Error{errc::kTimeout,
                       fmt::format("the agent did not stop within {} s (limit agentCancel); it was "
                                   "ended and begins anew with the next message",
                                   limits::kAgentCancel.count() / 1000)});
    }
  });
  return true;
}

}  // namespace svc::agentd
