#include <fmt/format.h>

#include "svc/common/codes.h"

#include "fixtures.h"

namespace svc::conformance {
namespace {

using common::Json;
using mcp::Request;

constexpr auto kNothing = R"({"type":"object","additionalProperties":false})";
/// What is appended to a state is noticed; secrecy is not the point here.
constexpr auto kState = "state-";

std::string form(const std::string& message, const std::string& properties) {
  return fmt::format(
      R"({{"message":{},"requestedSchema":{{"type":"object","properties":{},"required":[]}}}})",
      common::jsonString(message), properties);
}

/// One entry of `inputRequests`.
std::string question(const std::string& key, const std::string& method, const std::string& params) {
  return fmt::format(R"("{}":{{"method":"{}","params":{}}})", key, method, params);
}

std::string elicitation(const std::string& key, const std::string& message,
                        const std::string& property) {
  return question(key, "elicitation/create",
                  form(message, fmt::format(R"({{"{}":{{"type":"string"}}}})", property)));
}

std::string sampling(const std::string& key, const std::string& prompt) {
  return question(
      key, "sampling/createMessage",
      fmt::format(
          R"({{"messages":[{{"role":"user","content":{{"type":"text","text":{}}}}}],"maxTokens":100}})",
          common::jsonString(prompt)));
}

mcp::Answer inputRequired(const std::string& questions, const std::string& state = "") {
  auto result = R"({"inputRequests":{)" + questions + "}";
  if (!state.empty()) {
    result += R"(,"requestState":)" + common::jsonString(state);
  }
  return {.result = common::RawJson(result + "}"), .type = "input_required"};
}

/// Asks until `key` has an answer that is an object, then says "done".
NamedTool asksOnce(const std::string& name, const std::string& key, const std::string& questions,
                   const std::string& state = "") {
  return {name, kNothing, [=](const Request& request, const Done& done) {
            const auto sent = param(request, "requestState");
            if (!sent.isNull() && sent.asString() != state) {
              (*done)(Error{errc::kInvalidArgument, "this requestState is not ours"});
            } else if (!param(request, "inputResponses")[key].isObject() ||
                       (!state.empty() && sent.isNull())) {
              (*done)(inputRequired(questions, state));
            } else {
              (*done)(text("done: state-ok"));
            }
          }};
}

void multiRound(const Request& request, const Done& done) {
  const auto state = param(request, "requestState").asString();
  if (state.empty()) {
    (*done)(inputRequired(elicitation("step1", "Step 1: What is your name?", "name"), "round-1"));
  } else if (state == "round-1") {
    (*done)(inputRequired(elicitation("step2", "Step 2: What is your favorite color?", "color"),
                          "round-2"));
  } else {
    (*done)(text("done"));
  }
}

void byCapabilities(const Request& request, const Done& done) {
  const auto capabilities = Json::parse(request.capabilities.text());
  std::string questions;
  const auto add = [&](const char* capability, const std::string& entry) {
    if (capabilities && capabilities.value().find(capability) != nullptr) {
      questions += (questions.empty() ? "" : ",") + entry;
    }
  };
  add("sampling", sampling("sampled", "Say something"));
  add("elicitation", elicitation("asked", "Your name?", "name"));
  add("roots", question("roots", "roots/list", "{}"));
  (*done)(questions.empty() ? text("nothing to ask") : inputRequired(questions));
}

/// Asks in between and tells the answer.
NamedTool asksInBetween(const std::string& name, const std::string& schema,
                        const std::string& method,
                        const std::function<std::string(const Request&)>& params,
                        const std::function<std::string(const Json&)>& told) {
  return {name, schema, [=](const Request& request, const Done& done) {
            request.conversation->ask(
                method, common::RawJson(params(request)),
                [done, told](const Result<common::RawJson>& answer) {
                  if (!answer) {
                    (*done)(mcp::Answer{
                        .result = common::RawJson(fmt::format(
                            R"({{"content":[{{"type":"text","text":{}}}],"isError":true}})",
                            common::jsonString(answer.error().message))),
                        .failed = true});
                    return;
                  }
                  const auto parsed = Json::parse(answer.value().text());
                  (*done)(text(told(parsed ? parsed.value() : Json())));
                });
          }};
}

std::string elicited(const Json& answer) {
  return fmt::format("Elicitation completed: action={}, content={}", answer["action"].asString(),
                     answer["content"].dump());
}

NamedTool elicits(const std::string& name, const std::string& properties) {
  return asksInBetween(
      name, kNothing, "elicitation/create",
      [properties](const Request&) { return form("Please fill in", properties); }, elicited);
}

}  // namespace

std::vector<NamedTool> askingTools() {
  const auto one_text = [](const char* member) {
    return fmt::format(
        R"({{"type":"object","properties":{{"{}":{{"type":"string"}}}},"required":["{}"]}})",
        member, member);
  };
  return {
      asksOnce("test_input_required_result_elicitation", "user_name",
               elicitation("user_name", "What is your name?", "name")),
      asksOnce("test_input_required_result_sampling", "capital_question",
               sampling("capital_question", "What is the capital of France?")),
      asksOnce("test_input_required_result_list_roots", "client_roots",
               question("client_roots", "roots/list", "{}")),
      asksOnce("test_input_required_result_request_state", "confirm",
               elicitation("confirm", "Please confirm", "ok"), kState),
      asksOnce("test_input_required_result_tampered_state", "confirm",
               elicitation("confirm", "Please confirm", "ok"), kState),
      asksOnce("test_input_required_result_multiple_inputs", "greeting",
               elicitation("user_name", "What is your name?", "name") + "," +
                   sampling("greeting", "Generate a greeting") + "," +
                   question("client_roots", "roots/list", "{}"),
               kState),
      {"test_input_required_result_multi_round", kNothing, multiRound},
      {"test_input_required_result_capabilities", kNothing, byCapabilities},
      asksOnce("test_streaming_elicitation", "asked", elicitation("asked", "Your name?", "name")),
      {"test_missing_capability", kNothing,
       [](const Request& request, const Done& done) {
         const auto capabilities = Json::parse(request.capabilities.text());
         if (capabilities && capabilities.value().find("sampling") != nullptr) {
           (*done)(text("sampled"));
         } else {
           (*done)(Error{mcp::kMissingCapability, "this tool needs sampling",
                         R"({"requiredCapabilities":{"sampling":{}}})"});
         }
       }},
      asksInBetween(
          "test_sampling", one_text("prompt"), "sampling/createMessage",
          [](const Request& request) {
            return fmt::format(
                R"({{"messages":[{{"role":"user","content":{{"type":"text","text":{}}}}}],"maxTokens":100}})",
                common::jsonString(param(request, "arguments")["prompt"].asString()));
          },
          [](const Json& answer) {
            return "LLM response: " + answer["content"]["text"].asString();
          }),
      asksInBetween(
          "test_elicitation", one_text("message"), "elicitation/create",
          [](const Request& request) {
            return form(param(request, "arguments")["message"].asString(),
                        R"({"username":{"type":"string","description":"User's response"},)"
                        R"("email":{"type":"string","description":"User's email address"}})");
          },
          [](const Json& answer) {
            return fmt::format("User response: action={}, content={}", answer["action"].asString(),
                               answer["content"].dump());
          }),
      elicits(
          "test_elicitation_sep1034_defaults",
          R"({"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},)"
          R"("score":{"type":"number","default":95.5},)"
          R"("status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},)"
          R"("verified":{"type":"boolean","default":true}})"),
      elicits(
          "test_elicitation_sep1330_enums",
          R"({"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},)"
          R"("titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},)"
          R"({"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},)"
          R"("legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],)"
          R"("enumNames":["Option One","Option Two","Option Three"]},)"
          R"("untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},)"
          R"("titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},)"
          R"({"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}})"),
  };
}

void answerAskingPrompt(const Request& request, const Done& done) {
  const auto given = param(request, "inputResponses")["user_context"];
  if (!given.isObject()) {
    (*done)(inputRequired(
        elicitation("user_context", "What context should the prompt use?", "context")));
    return;
  }
  (*done)(answer(
      fmt::format(R"({{"messages":[{{"role":"user","content":{{"type":"text","text":{}}}}}]}})",
                  common::jsonString("Context: " + given["content"]["context"].asString()))));
}

}  // namespace svc::conformance
