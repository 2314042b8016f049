#include "questions.h"

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "bounded_text.h"

namespace svc::agentd {
namespace {

using common::Json;

/// The first option of the first of these kinds that there is.
std::string optionOf(const Json& options, std::initializer_list<std::string_view> kinds) {
  for (const auto kind : kinds) {
    for (const auto& option : options.items()) {
      if (option["kind"].asString() == kind) {
        return option["optionId"].asString();
      }
    }
  }
  return {};
}

Json selected(const std::string& option_id) {
  return Json::object().set("outcome",
                            Json::object().set("outcome", "selected").set("optionId", option_id));
}

constexpr std::string_view kChoiceId = "choice";

Json choicePayload(const Question& question, const Json& params) {
  auto options = Json::array();
  for (const auto& option : question.options.items()) {
    options.push(Json::object()
                     .set("value", option["optionId"].asString())
                     .set("label", clipped(option["name"].asString())));
  }
  auto asked = Json::object()
                   .set("id", kChoiceId)
                   .set("prompt", clipped(params["toolCall"]["title"].asString()))
                   .set("options", std::move(options))
                   .set("multiSelect", false)
                   .set("allowFreeText", false);
  return Json::object().set("kind", "user_question").set("questions", Json::Array{asked});
}

}  // namespace

Json cancelledOutcome() {
  return Json::object().set("outcome", Json::object().set("outcome", "cancelled"));
}

Json questionPayload(const Question& question, const Json& params, const Json& subject) {
  if (question.is_choice) {
    return choicePayload(question, params);
  }
  auto decisions = Json::array();
  if (!optionOf(question.options, {"allow_once", "allow_always"}).empty()) {
    decisions.push("allow_once");
    decisions.push("allow_for_session");
  }
  decisions.push("deny");
  return Json::object()
      .set("kind", "approval")
      .set("subject", subject)
      .set("reason", nullptr)
      .set("availableDecisions", std::move(decisions));
}

Result<AnsweredQuestion> answerQuestion(const Question& question, const Json& answer) {
  const auto& decision = answer["decision"].asString();
  if (decision == "cancel") {
    return AnsweredQuestion{.result = cancelledOutcome(), .denied = true};
  }
  if (question.is_choice) {
    const auto& chosen = answer["answers"][kChoiceId]["selected"].items();
    for (const auto& option : question.options.items()) {
      if (chosen.size() == 1 && option["optionId"] == chosen.front()) {
        return AnsweredQuestion{.result = selected(option["optionId"].asString())};
      }
    }
    return Error{
        errc::kInvalidInput,
        fmt::format("answers.{}.selected: expected one of the values of its options", kChoiceId)};
  }
  if (decision == "deny") {
    const auto option = optionOf(question.options, {"reject_once", "reject_always"});
    return AnsweredQuestion{.result = option.empty() ? cancelledOutcome() : selected(option),
                            .denied = true};
  }
  if (decision == "allow_once" || decision == "allow_for_session") {
    const auto option = optionOf(question.options, {"allow_once", "allow_always"});
    if (option.empty()) {
      return Error{errc::kInvalidInput, "the agent offers no way to allow this; deny it"};
    }
    return AnsweredQuestion{.result = selected(option)};
  }
  return Error{errc::kInvalidInput,
               "decision: expected \"allow_once\", \"allow_for_session\", \"deny\" or \"cancel\""};
}

}  // namespace svc::agentd
