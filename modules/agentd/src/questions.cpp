#include "questions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "agent_bounds.h"
#include "bounded_text.h"
#include "listed_questions.h"
#include "tool_item.h"

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
                     .set("label", headOf(option["name"].asString(), limits::kAgentName)));
  }
  auto asked = Json::object()
                   .set("id", kChoiceId)
                   .set("prompt", clipped(params["toolCall"]["title"].asString()))
                   .set("options", std::move(options))
                   .set("multiSelect", false)
                   .set("allowFreeText", false);
  return Json::object().set("kind", "user_question").set("questions", Json::Array{asked});
}

Json formOption(const Json& value, const Json& title, const Json& description) {
  auto option = Json::object()
                    .set("value", value)
                    .set("label", clipped(title.isString() ? title.asString() : value.asString()));
  if (description.isString()) {
    option.set("description", clipped(description.asString()));
  }
  return option;
}

/// The options of a field that is a choice; null for one that is none.
Json formOptions(const Json& field) {
  const bool many = field["type"].asString() == "array";
  const auto& from = many ? field["items"] : field;
  auto out = Json::array();
  for (const char* titled : {"oneOf", "anyOf"}) {
    for (const auto& each : from[titled].items()) {
      out.push(formOption(each["const"], each["title"], each["description"]));
    }
  }
  for (const auto& value : from["enum"].items()) {
    out.push(formOption(value, value, {}));
  }
  if (field["type"].asString() == "boolean") {
    out.push(formOption("true", "Yes", {}));
    out.push(formOption("false", "No", {}));
  }
  return out.items().empty() ? Json() : out;
}

/// The field is the free text of the choice before it.
bool accompanies(const std::string& name, const Json& field, const std::string& choice) {
  return !choice.empty() && field["type"].asString() == "string" && formOptions(field).isNull() &&
         name.starts_with(choice + "_");
}

bool isRequired(const Json& schema, const std::string& name) {
  const auto& names = schema["required"].items();
  return std::find(names.begin(), names.end(), Json(name)) != names.end();
}

/// The question of the whole form stands above the first of its fields.
void addMessage(Json& question, const std::string& message) {
  const auto prompt = question["prompt"].asString();
  if (prompt.find(message) == std::string::npos) {
    question.set("prompt", clipped(message + "\n" + prompt));
  }
}

bool isNumeric(const Json& field) {
  return field["type"].asString() == "number" || field["type"].asString() == "integer";
}

/// What a number has to be, for whoever writes it; null for fields that take any text.
Json expectedNumber(const Json& field) {
  if (!isNumeric(field)) {
    return {};
  }
  auto out = Json::object().set("type", field["type"]);
  for (const char* bound : {"minimum", "maximum"}) {
    if (field[bound].isNumber()) {
      out.set(bound, field[bound]);
    }
  }
  return out;
}

/// " of 2 to 5", " of at least 2", " of at most 5", or nothing.
std::string extentOf(const Json& least, const Json& most) {
  if (least.isInteger() && most.isInteger()) {
    return least == most ? " of " + least.dump()
                         : fmt::format(" of {} to {}", least.dump(), most.dump());
  }
  return least.isInteger()  ? " of at least " + least.dump()
         : most.isInteger() ? " of at most " + most.dump()
                            : std::string();
}

/// What a text or a choice of several has to be, in words; empty for what takes anything. Of numbers the question has it as `expects`.
std::string requirementOf(const Json& field) {
  if (field["type"].asString() == "array") {
    const auto extent = extentOf(field["minItems"], field["maxItems"]);
    return extent.empty() ? std::string() : "a choice" + extent;
  }
  if (field["type"].asString() != "string" || !formOptions(field).isNull()) {
    return {};
  }
  const std::string_view format = field["format"].asString();
  std::string text = format == "email"       ? "an email address"
                     : format == "uri"       ? "an address such as https://example.org"
                     : format == "date"      ? "a date such as 2026-01-31"
                     : format == "date-time" ? "a time such as 2026-01-31T08:00:00Z"
                                             : "";
  if (const auto extent = extentOf(field["minLength"], field["maxLength"]); !extent.empty()) {
    text += (text.empty() ? "a text" : ",") + extent + " characters";
  }
  if (const auto& pattern = field["pattern"].asString(); !pattern.empty()) {
    text += (text.empty() ? "a text that matches " : ", matching ") +
            headOf(pattern, limits::kAgentName);
  }
  return text;
}

/// A field without a title is known by its name: the message of the form is the same for all.
Json formQuestion(const std::string& name, const Json& field) {
  const auto& title = field["title"].asString();
  const auto label = title.empty() ? headOf(name, limits::kAgentName) : clipped(title);
  auto prompt = field["description"].asString();
  prompt = prompt.empty() ? label : title.empty() ? label + ": " + prompt : prompt;
  if (const auto requirement = requirementOf(field); !requirement.empty()) {
    prompt += " (" + requirement + ")";
  }
  auto options = formOptions(field);
  const bool is_text = options.isNull();
  auto question = Json::object()
                      .set("id", name)
                      .set("prompt", clipped(prompt))
                      .set("multiSelect", field["type"].asString() == "array")
                      .set("allowFreeText", is_text)
                      .set("shortLabel", label);
  if (!is_text) {
    question.set("options", std::move(options));
  }
  if (auto expected = expectedNumber(field); !expected.isNull()) {
    question.set("expects", std::move(expected));
  }
  return question;
}

/// "a whole number from 1 to 5"
std::string numberText(const Json& field) {
  auto text = std::string(field["type"].asString() == "integer" ? "a whole number" : "a number");
  if (field["minimum"].isNumber()) {
    text += (field["maximum"].isNumber() ? " from " : " of at least ") + field["minimum"].dump();
  }
  if (field["maximum"].isNumber()) {
    text += (field["minimum"].isNumber() ? " to " : " of at most ") + field["maximum"].dump();
  }
  return text;
}

bool fitsNumber(const Json& field, const Json& number) {
  const auto value = number.asNumber();
  return number.isNumber() &&
         (field["type"].asString() != "integer" || value == std::trunc(value)) &&
         (!field["minimum"].isNumber() || value >= field["minimum"].asNumber()) &&
         (!field["maximum"].isNumber() || value <= field["maximum"].asNumber());
}

/// What was answered, as the field wants it; null for nothing.
Result<Json> formValue(const std::string& name, const Json& field, const Json& answer) {
  const auto& type = field["type"].asString();
  const auto& selected = answer["selected"].items();
  const auto& text = answer["freeText"].asString();
  if (type == "array") {
    return selected.empty() ? Json() : answer["selected"];
  }
  if (type == "boolean") {
    return selected.empty() ? Json() : Json(selected.front().asString() == "true");
  }
  if (isNumeric(field)) {
    auto number = text.empty() ? Result<Json>(Json()) : Json::parse(text);
    const bool fits = number && (text.empty() || fitsNumber(field, number.value()));
    return fits ? std::move(number)
                : Error{errc::kInvalidInput,
                        fmt::format("answers.{}.freeText: expected {}", name, numberText(field))};
  }
  return !selected.empty() ? selected.front() : text.empty() ? Json() : Json(text);
}

Result<AnsweredQuestion> answerForm(const Json& schema, const Json& answers) {
  auto content = Json::object();
  std::string choice;
  for (const auto& [name, field] : schema["properties"].members()) {
    const bool beside = accompanies(name, field, choice);
    auto given = answers[beside ? choice : name];
    if (beside && given.isObject()) {
      given.set("selected", Json::array());
    }
    auto value = formValue(name, field, given);
    if (!value) {
      return std::move(value).error();
    }
    if (!value.value().isNull()) {
      content.set(name, std::move(value).value());
    } else if (isRequired(schema, name)) {
      return Error{errc::kInvalidInput, fmt::format("answers.{}: expected an answer", name)};
    }
    choice = formOptions(field).isNull() ? std::string() : name;
  }
  return AnsweredQuestion{
      .result = Json::object().set("action", "accept").set("content", std::move(content))};
}

Result<AnsweredQuestion> answerListed(const Question& question, const Json& answers) {
  auto texts = listedAnswers(question.listed, answers);
  if (!texts) {
    return std::move(texts).error();
  }
  return AnsweredQuestion{.result =
                              selected(optionOf(question.options, {"allow_once", "allow_always"}))
                                  .set("answers", std::move(texts).value())};
}

}  // namespace

Result<Json> formPayload(const Json& params) {
  const Error no_form{errc::kInvalidInput, "this client takes forms of texts, numbers and choices"};
  const auto& schema = params["requestedSchema"];
  const auto& message = params["message"].asString();
  if (params["mode"].asString() != "form" || !schema["properties"].isObject()) {
    return no_form;
  }
  constexpr std::array<std::string_view, 5> kTypes{"string", "array", "boolean", "number",
                                                   "integer"};
  auto questions = Json::Array();
  std::string choice;
  for (const auto& [name, field] : schema["properties"].members()) {
    const auto& type = field["type"].asString();
    const bool is_choice = !formOptions(field).isNull();
    if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end() ||
        (type == "array" && !is_choice)) {
      return no_form;
    }
    if (accompanies(name, field, choice)) {
      questions.back().set("allowFreeText", true);
      choice.clear();
      continue;
    }
    questions.push_back(formQuestion(name, field));
    if (!isRequired(schema, name)) {
      questions.back().set("optional", true);
    }
    if (is_choice) {
      if (auto fits = canBeChosen(questions.back()["options"]); !fits) {
        return Error{errc::kInvalidInput,
                     fmt::format("{}: {}", clipped(name), fits.error().message)};
      }
    }
    choice = is_choice ? name : std::string();
  }
  if (questions.empty()) {
    return no_form;
  }
  if (questions.size() > kQuestions) {
    return Error{errc::kInvalidInput, fmt::format("a form of {} fields (limit questions: {})",
                                                  questions.size(), kQuestions)};
  }
  addMessage(questions.front(), message);
  return Json::object().set("kind", "user_question").set("questions", Json(std::move(questions)));
}

Json cancelledAnswer(const Question& question) {
  return question.form.isNull() ? cancelledOutcome() : Json::object().set("action", "cancel");
}

Json cancelledOutcome() {
  return Json::object().set("outcome", Json::object().set("outcome", "cancelled"));
}

namespace {

/// What is shown is all of it, and says something: for the session it would be good for everything that begins and ends alike, or says nothing.
bool isWhole(const Json& subject) {
  const auto& command = subject["command"].asString();
  return subject["toolName"] != Json(kUnnamedTool) && !mayBeCut(command) &&
         (subject["kind"].asString() != "command" || !command.empty()) &&
         subject["cwd"].asString().size() <= limits::kAgentPath;
}

}  // namespace

Json questionPayload(const Question& question, const Json& params, const Json& subject) {
  if (question.is_choice) {
    return choicePayload(question, params);
  }
  if (!question.listed.isNull()) {
    return listedPayload(question.listed);
  }
  auto decisions = Json::array();
  const bool once = !optionOf(question.options, {"allow_once"}).empty();
  if (once) {
    decisions.push("allow_once");
  }
  // An agent that knows only "always" keeps it for the session at least: nobody gives it that as once. Any other is asked once, and
  // what it asks is remembered here.
  if (once ? isWhole(subject) : !optionOf(question.options, {"allow_always"}).empty()) {
    decisions.push("allow_for_session");
  }
  decisions.push("deny");
  return Json::object()
      .set("kind", "approval")
      .set("subject", subject)
      .set("reason", nullptr)
      .set("availableDecisions", std::move(decisions));
}

bool hasSeveralWays(const Json& options) {
  const auto& all = options.items();
  return std::count_if(all.begin(), all.end(), [](const Json& option) {
           return option["kind"].asString() == "allow_once";
         }) > 1;
}

Status canBeToldApart(const Json& options) {
  std::map<std::string_view, std::string_view> kinds;
  for (const auto& option : options.items()) {
    const std::string_view id = option["optionId"].asString();
    const std::string_view kind = option["kind"].asString();
    if (const auto [known, is_new] = kinds.try_emplace(id, kind);
        !is_new && known->second != kind) {
      return Error{
          errc::kInvalidInput,
          fmt::format(
              "the optionId \"{}\" is that of {} and of {}: no answer could tell them apart",
              headOf(id, limits::kAgentName), headOf(known->second, limits::kAgentName),
              headOf(kind, limits::kAgentName))};
    }
  }
  return {};
}

Status canBeChosen(const Json& options) {
  const auto count = options.items().size();
  if (count == 0 || count > limits::kAgentChoices) {
    return Error{errc::kInvalidInput,
                 fmt::format("it has {} choices, expected 1 to {} (limit agentChoices)", count,
                             limits::kAgentChoices)};
  }
  if (const auto size = options.dump().size(); size > limits::kAgentList) {
    return Error{errc::kInvalidInput, fmt::format("its choices have {} bytes (limit agentList: {})",
                                                  size, limits::kAgentList)};
  }
  return {};
}

Result<AnsweredQuestion> answerQuestion(const Question& question, const Json& answer) {
  const auto& decision = answer["decision"].asString();
  if (decision == "cancel") {
    return AnsweredQuestion{.result = cancelledAnswer(question), .denied = true};
  }
  if (!question.form.isNull()) {
    return decision == "deny" ? AnsweredQuestion{.result = Json::object().set("action", "decline")}
                              : answerForm(question.form, answer["answers"]);
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
  if (!question.listed.isNull()) {
    return answerListed(question, answer["answers"]);
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
