#include "agent_tool_source.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json_slices.h"

namespace svc::mcp {
namespace {

using common::Json;

Json definition(const agents::AgentTool& tool) {
  auto json = Json::object().set("name", tool.name);
  const auto& title = tool.presentation["label"]["pending"].asString();
  if (!title.empty()) {
    json.set("title", title);
  }
  json.set("description", tool.description).set("inputSchema", tool.input_schema);
  if (!title.empty()) {
    json.set("annotations", Json::object().set("title", title));
  }
  return json;
}

}  // namespace

Json AgentToolSource::capabilities() const {
  return Json::object().set("tools", Json::object().set("listChanged", true));
}

std::string AgentToolSource::instructions(const Caller& /*caller*/) {
  std::string text;
  for (const auto& tool : tools_.list()) {
    if (!tool.instructions.empty()) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : "\n\n", tool.name, tool.instructions);
    }
  }
  return text;
}

std::vector<Item> AgentToolSource::list(ListKind kind, const Caller& /*caller*/) {
  std::vector<Item> items;
  if (kind == ListKind::kTools) {
    for (const auto& tool : tools_.list()) {
      items.push_back({tool.name, common::RawJson(definition(tool).dump())});
    }
  }
  return items;
}

void AgentToolSource::answer(Request request, Completion<Answer> done) {
  auto arguments = argumentsOf(request);
  if (!arguments) {
    done(std::move(arguments).error());
    return;
  }
  tools_.call(std::move(request.key), std::move(arguments).value(),
              {.thread_id = std::move(request.caller.thread_id),
               .project_id = std::move(request.caller.project_id)},
              std::move(request.stop),
              [done = std::make_shared<Completion<Answer>>(std::move(done))](
                  Result<agents::ToolResult> result) {
                if (!result) {
                  (*done)(textAnswer(result.error().message, true));
                  return;
                }
                const bool failed = result.value().is_error;
                auto text = R"({"content":)" + std::move(result.value().content).text();
                text += failed ? R"(,"isError":true})" : R"(,"isError":false})";
                (*done)(Answer{.result = common::RawJson(std::move(text)), .failed = failed});
              });
}

Result<common::RawJson> argumentsOf(const Request& request) {
  const auto params = common::JsonSlices::skim(request.params.text());
  const auto arguments = params ? params.value().raw("arguments") : std::string_view();
  if (arguments.empty() || arguments == "null") {
    return common::RawJson("{}");
  }
  if (!arguments.starts_with('{')) {
    return Error{errc::kInvalidInput, "params.arguments must be an object"};
  }
  return common::RawJson(std::string(arguments));
}

Answer textAnswer(const std::string& text, bool failed) {
  const auto part = Json::object().set("type", "text").set("text", text);
  return {.result = common::RawJson(
              Json::object().set("content", Json::Array{part}).set("isError", failed).dump()),
          .failed = failed};
}

}  // namespace svc::mcp
