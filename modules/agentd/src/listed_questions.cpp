#include "listed_questions.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "svc/common/codes.h"

#include "bounded_text.h"
#include "questions.h"

namespace svc::agentd {
namespace {

using common::Json;

bool fits(const Json& question) {
  const auto& options = question["options"].items();
  return !question["question"].asString().empty() && options.size() <= kQuestionOptions &&
         std::all_of(options.begin(), options.end(),
                     [](const Json& option) { return !option["label"].asString().empty(); });
}

}  // namespace

Json listedQuestions(const Json& params) {
  const auto& call = params["toolCall"];
  if (call["_meta"]["qwenInteractionKind"].asString() != "user_question") {
    return {};
  }
  const auto& told = call["_meta"]["qwenQuestions"];
  const auto& questions = told.isArray() ? told : call["rawInput"]["questions"];
  const auto& items = questions.items();
  return !items.empty() && items.size() <= kQuestions &&
                 std::all_of(items.begin(), items.end(), fits)
             ? questions
             : Json();
}

Json listedPayload(const Json& questions) {
  auto asked = Json::array();
  std::size_t place = 0;
  for (const auto& question : questions.items()) {
    auto options = Json::array();
    for (const auto& option : question["options"].items()) {
      auto each = Json::object().set("value", option["label"]);
      each.set("label", clipped(option["label"].asString()));
      if (option["description"].isString()) {
        each.set("description", clipped(option["description"].asString()));
      }
      options.push(std::move(each));
    }
    auto one = Json::object()
                   .set("id", std::to_string(place++))
                   .set("prompt", clipped(question["question"].asString()))
                   .set("multiSelect", question["multiSelect"].asBool())
                   .set("allowFreeText", true)
                   .set("optional", questions.items().size() > 1);
    if (question["header"].isString()) {
      one.set("shortLabel", clipped(question["header"].asString()));
    }
    if (!options.items().empty()) {
      one.set("options", std::move(options));
    }
    asked.push(std::move(one));
  }
  return Json::object().set("kind", "user_question").set("questions", std::move(asked));
}

Result<Json> listedAnswers(const Json& questions, const Json& answers) {
  auto out = Json::object();
  for (std::size_t place = 0; place < questions.items().size(); ++place) {
    const auto id = std::to_string(place);
    std::string text;
    const auto add = [&text](const std::string& part) {
      if (!part.empty()) {
        text += (text.empty() ? "" : ", ") + part;
      }
    };
    for (const auto& label : answers[id]["selected"].items()) {
      add(label.asString());
    }
    add(answers[id]["freeText"].asString());
    if (!text.empty()) {
      out.set(id, std::move(text));
    }
  }
  if (out.members().empty()) {
    return Error{errc::kInvalidInput, "answers: expected an answer, or decision \"deny\""};
  }
  return out;
}

}  // namespace svc::agentd
