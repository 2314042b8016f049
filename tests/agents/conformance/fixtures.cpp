#include "fixtures.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::conformance {
namespace {

using common::Json;
using mcp::ListKind;
using mcp::Request;

constexpr auto kPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg"
    "==";
constexpr auto kWav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
constexpr auto kNoArguments = R"({"type":"object","additionalProperties":false})";
constexpr auto kSchema2020 =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",)"
    R"("$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},)"
    R"("city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},)"
    R"("contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},)"
    R"("allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],)"
    R"("if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},)"
    R"("then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false})";

constexpr auto kPrompts = std::array{
    std::pair{"test_input_required_result_prompt",
              R"({"name":"test_input_required_result_prompt","description":"Asks first"})"},
    std::pair{
        "test_prompt_with_arguments",
        R"({"name":"test_prompt_with_arguments","description":"With arguments","arguments":[)"
        R"({"name":"arg1","description":"First","required":true},{"name":"arg2","description":"Second","required":true}]})"},
    std::pair{
        "test_prompt_with_embedded_resource",
        R"({"name":"test_prompt_with_embedded_resource","description":"With a resource","arguments":[)"
        R"({"name":"resourceUri","description":"Which","required":true}]})"},
    std::pair{"test_prompt_with_image",
              R"({"name":"test_prompt_with_image","description":"With an image"})"},
    std::pair{"test_simple_prompt",
              R"({"name":"test_simple_prompt","description":"Without arguments"})"}};
constexpr auto kResources = std::array{
    std::pair{
        "test://static-binary",
        R"({"uri":"test://static-binary","name":"binary","description":"A picture","mimeType":"image/png"})"},
    std::pair{
        "test://static-text",
        R"({"uri":"test://static-text","name":"text","description":"A text","mimeType":"text/plain"})"},
    std::pair{
        "test://watched-resource",
        R"({"uri":"test://watched-resource","name":"watched","description":"Changes","mimeType":"text/plain"})"}};
constexpr std::string_view kTemplateStart = "test://template/";
constexpr std::string_view kTemplateEnd = "/data";

/// A tool that always answers the same.
NamedTool fixed(const char* name, std::string result) {
  return {name, kNoArguments, [result = std::move(result)](const Request&, const Done& done) {
            (*done)(answer(result));
          }};
}

std::string userMessage(const std::string& content) {
  return R"({"role":"user","content":)" + content + "}";
}

}  // namespace

mcp::Answer answer(std::string json) { return {.result = common::RawJson(std::move(json))}; }

mcp::Answer text(const std::string& content) {
  return answer(
      fmt::format(R"({{"content":[{{"type":"text","text":{}}}]}})", common::jsonString(content)));
}

Json param(const Request& request, const char* name) {
  const auto params = Json::parse(request.params.text());
  return params ? params.value()[name] : Json();
}

Fixtures::Fixtures(mcp::ISources& sources, IMainExecutor& main)
    : sources_(sources), main_(main), tools_(askingTools()) {
  const std::string image =
      fmt::format(R"({{"type":"image","data":"{}","mimeType":"image/png"}})", kPng);
  tools_.push_back({"test_simple_text", kNoArguments, [](const Request&, const Done& done) {
                      (*done)(text("This is a simple text response for testing."));
                    }});
  tools_.push_back(fixed("test_image_content", R"({"content":[)" + image + "]}"));
  tools_.push_back(
      fixed("test_audio_content",
            fmt::format(R"({{"content":[{{"type":"audio","data":"{}","mimeType":"audio/wav"}}]}})",
                        kWav)));
  tools_.push_back(
      fixed("test_embedded_resource",
            R"({"content":[{"type":"resource","resource":{"uri":"test://embedded-resource",)"
            R"("mimeType":"text/plain","text":"This is an embedded resource content."}}]})"));
  tools_.push_back(
      fixed("test_multiple_content_types",
            R"({"content":[{"type":"text","text":"Multiple content types test:"},)" + image +
                R"(,{"type":"resource","resource":{"uri":"test://mixed-content-resource",)"
                R"("mimeType":"application/json","text":"{\"test\":\"data\",\"value\":123}"}}]})"));
  tools_.push_back(fixed(
      "test_error_handling",
      R"({"content":[{"type":"text","text":"This tool intentionally returns an error for testing"}],)"
      R"("isError":true})"));
  tools_.push_back(fixed("json_schema_2020_12_tool", R"({"content":[]})"));
  tools_.back().schema = kSchema2020;
  tools_.push_back(fixed("test_repeated_arguments", R"({"content":[]})"));
  tools_.back().schema =
      R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}})";
  tools_.push_back(
      {"test_tool_with_progress", kNoArguments, [this](const Request& request, const Done& done) {
         const auto report = [conversation = request.conversation](double value) {
           return [conversation, value] { conversation->progress(value, 100, ""); };
         };
         steps({report(0), report(50), report(100), [done] { (*done)(text("done")); }});
       }});
  tools_.push_back(
      {"test_tool_with_logging", kNoArguments, [this](const Request& request, const Done& done) {
         const auto log = [conversation = request.conversation](const std::string& message) {
           return [conversation, message] {
             conversation->notify("notifications/message",
                                  common::RawJson(R"({"level":"info","data":")" + message + "\"}"));
           };
         };
         steps({log("Tool execution started"), log("Tool processing data"),
                log("Tool execution completed"), [done] { (*done)(text("logged")); }});
       }});
  tools_.push_back(
      {"test_logging_tool", kNoArguments, [](const Request& request, const Done& done) {
         request.conversation->notify("notifications/message",
                                      common::RawJson(R"({"level":"info","data":"x"})"));
         (*done)(text("logged"));
       }});
  for (const auto& [name, kind] : {std::pair{"test_trigger_tool_change", ListKind::kTools},
                                   std::pair{"test_trigger_prompt_change", ListKind::kPrompts}}) {
    tools_.push_back({name, kNoArguments, [this, list = kind](const Request&, const Done& done) {
                        sources_.changed(list);
                        (*done)(text("changed"));
                      }});
  }
}

Json Fixtures::capabilities() const {
  return Json::parse(
             R"({"tools":{"listChanged":true},"prompts":{"listChanged":true},)"
             R"("resources":{"listChanged":true,"subscribe":true},"completions":{},"logging":{}})")
      .value();
}

std::vector<mcp::Item> Fixtures::list(ListKind kind, const mcp::Caller& /*caller*/) {
  std::vector<mcp::Item> items;
  if (kind == ListKind::kTools) {
    for (const auto& tool : tools_) {
      items.push_back({tool.name, common::RawJson(fmt::format(
                                      R"({{"name":"{}","description":"{}","inputSchema":{}}})",
                                      tool.name, tool.name, tool.schema))});
    }
  } else if (kind == ListKind::kPrompts) {
    for (const auto& [name, json] : kPrompts) {
      items.push_back({name, common::RawJson(json)});
    }
  } else if (kind == ListKind::kResources) {
    for (const auto& [uri, json] : kResources) {
      items.push_back({uri, common::RawJson(json)});
    }
  } else {
    const auto pattern = fmt::format("{}{{id}}{}", kTemplateStart, kTemplateEnd);
    items.push_back(
        {pattern,
         common::RawJson(fmt::format(
             R"({{"uriTemplate":"{}","name":"data","mimeType":"application/json"}})", pattern))});
  }
  return items;
}

bool Fixtures::takes(std::string_view method, std::string_view key) const {
  constexpr std::array<std::string_view, 4> kMethods{
      "completion/complete", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"};
  return std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end() ||
         (method == "resources/read" && key.starts_with(kTemplateStart) &&
          key.ends_with(kTemplateEnd));
}

void Fixtures::answer(Request request, Completion<mcp::Answer> done) {
  const auto held = std::make_shared<Completion<mcp::Answer>>(std::move(done));
  if (request.method == "tools/call") {
    const auto tool = std::find_if(tools_.begin(), tools_.end(), [&](const NamedTool& entry) {
      return entry.name == request.key;
    });
    tool->run(request, held);
  } else if (request.method == "prompts/get") {
    getPrompt(request, held);
  } else if (request.method == "resources/read") {
    read(request, held);
  } else if (request.method == "completion/complete") {
    (*held)(conformance::answer(R"({"completion":{"values":[],"total":0,"hasMore":false}})"));
  } else {
    (*held)(conformance::answer("{}"));
  }
}

void Fixtures::getPrompt(const Request& request, const Done& done) const {
  if (request.key == "test_input_required_result_prompt") {
    answerAskingPrompt(request, done);
    return;
  }
  const auto arguments = param(request, "arguments");
  const auto said = [](const std::string& words) {
    return userMessage(fmt::format(R"({{"type":"text","text":{}}})", common::jsonString(words)));
  };
  std::string messages;
  if (request.key == "test_simple_prompt") {
    messages = said("This is a simple prompt for testing.");
  } else if (request.key == "test_prompt_with_arguments") {
    messages = said(fmt::format("Prompt with arguments: arg1='{}', arg2='{}'",
                                arguments["arg1"].asString(), arguments["arg2"].asString()));
  } else if (request.key == "test_prompt_with_image") {
    messages =
        userMessage(fmt::format(R"({{"type":"image","data":"{}","mimeType":"image/png"}})", kPng)) +
        "," + said("Please analyze the image above.");
  } else {
    messages = userMessage(fmt::format(
                   R"({{"type":"resource","resource":{{"uri":{},"mimeType":"text/plain",)"
                   R"("text":"Embedded resource content for testing."}}}})",
                   common::jsonString(arguments["resourceUri"].asString()))) +
               "," + said("Please process the embedded resource above.");
  }
  (*done)(conformance::answer(R"({"messages":[)" + messages + "]}"));
}

void Fixtures::read(const Request& request, const Done& done) {
  auto content = Json::object().set("uri", request.key);
  if (request.key == "test://static-binary") {
    content.set("mimeType", "image/png").set("blob", kPng);
  } else if (request.key.starts_with(kTemplateStart)) {
    const auto id = request.key.substr(
        kTemplateStart.size(), request.key.size() - kTemplateStart.size() - kTemplateEnd.size());
    content.set("mimeType", "application/json")
        .set("text", Json::object()
                         .set("id", id)
                         .set("templateTest", true)
                         .set("data", "Data for ID: " + id)
                         .dump());
  } else {
    content.set("mimeType", "text/plain")
        .set("text", "This is the content of the static text resource.");
  }
  (*done)(
      conformance::answer(Json::object().set("contents", Json::Array{std::move(content)}).dump()));
}

void Fixtures::steps(std::vector<std::function<void()>> all) {
  auto delay = std::chrono::milliseconds(0);
  for (auto& step : all) {
    main_.after(delay, std::move(step)).release();
    delay += std::chrono::milliseconds(50);
  }
}

}  // namespace svc::conformance
