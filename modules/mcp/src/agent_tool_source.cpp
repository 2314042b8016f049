#include "agent_tool_source.h"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json_slices.h"
#include "svc/common/surrogates.h"

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

void refuseForm(const agents::FormRequest& /*form*/, Completion<common::RawJson> done) {
  done(
      Error{errc::kNotSupported,
            "the client of this call cannot be sent to a form: it does not declare URL elicitation "
            "(the capability elicitation.url of MCP)"});
}

/// Empty for a client that did not ask for it: a call without listener costs less.
std::function<void(const agents::ToolProgress&)> progressOf(const Request& request) {
  if (!request.wants_progress || !request.conversation) {
    return {};
  }
  return [conversation = request.conversation](const agents::ToolProgress& report) {
    conversation->progress(report.progress, report.total, report.message);
  };
}

/// A form in the thread of the caller lets the call go.
std::function<void()> letGoOf(const Request& request) {
  if (request.caller.thread_id.empty() || !request.conversation) {
    return {};
  }
  return [conversation = request.conversation] { conversation->letGo(); };
}

/// A result that is one JSON object is told as one, too: `,"structuredContent":{…}`, else nothing.
std::string structured(const common::RawJson& content) {
  constexpr std::string_view kBegin = R"([{"type":"text","text":"{)";
  if (!content.text().starts_with(kBegin)) {
    return {};
  }
  const auto blocks = Json::parse(content.text());
  if (!blocks || blocks.value().items().size() != 1) {
    return {};
  }
  const auto object = Json::parse(blocks.value().items().front()["text"].asString());
  return object && object.value().isObject()
             ? R"(,"structuredContent":)" + common::replaceLoneSurrogates(object.value().dump())
             : std::string();
}

}  // namespace

Json AgentToolSource::capabilities() const {
  return Json::object().set("tools", Json::object().set("listChanged", true));
}

std::string AgentToolSource::instructions(const Caller& caller) {
  std::string text;
  if (caller.tools) {
    return text;  // an agent of a thread has heard them with its first prompt
  }
  for (const auto& tool : tools_.list()) {
    if (!tool.instructions.empty() && caller.seesTool(tool.name, tool.plugin_id)) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : "\n\n", tool.name, tool.instructions);
    }
  }
  return text;
}

std::vector<Item> AgentToolSource::list(ListKind kind, const Caller& caller) {
  std::vector<Item> items;
  if (kind == ListKind::kTools) {
    for (const auto& tool : caller.tools ? caller.tools->tools() : tools_.list()) {
      items.push_back({tool.name, common::RawJson(definition(tool).dump()), tool.plugin_id});
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
  const bool has_thread = !request.caller.thread_id.empty();
  const bool shows_forms = !has_thread && FormCalls::possible(request);
  if (auto problem = shows_forms ? std::nullopt : goesOnFromNowhere(request)) {
    done(*std::move(problem));
    return;
  }
  if (has_thread) {
    call(std::move(request), std::move(arguments).value(), {}, std::move(done));
    return;
  }
  if (!shows_forms) {
    call(std::move(request), std::move(arguments).value(), refuseForm, std::move(done));
    return;
  }
  bool resumed = false;
  if (auto problem = forms_->resume(request, done, resumed); problem || resumed) {
    if (problem) {
      done(*std::move(problem));
    }
    return;
  }
  const auto form_call = forms_->begin(request, std::move(done));
  request.stop = form_call->stop();
  call(
      std::move(request), std::move(arguments).value(),
      [form_call](agents::FormRequest form, Completion<common::RawJson> outcome) {
        form_call->asked(std::move(form), std::move(outcome));
      },
      [form_call](Result<Answer> answer) { form_call->finished(std::move(answer)); });
}

void AgentToolSource::call(Request request, common::RawJson arguments, agents::AskForm ask,
                           Completion<Answer> done) {
  const auto answered = [held = std::make_shared<Completion<Answer>>(std::move(done))](
                            Result<agents::ToolResult> result) {
    if (!result) {
      (*held)(textAnswer(result.error().message, true));
      return;
    }
    const bool failed = result.value().is_error;
    // JSON.stringify() lets halves of surrogate pairs through, which strict clients take for no JSON at all.
    auto text = R"({"content":)" + common::replaceLoneSurrogates(result.value().content.text());
    text += failed ? R"(,"isError":true})"
                   : R"(,"isError":false)" + structured(result.value().content) + "}";
    (*held)(Answer{.result = common::RawJson(std::move(text)), .failed = failed});
  };
  if (const auto session = request.caller.tools) {
    session->call(std::move(request.key), std::move(arguments),
                  {.progress = progressOf(request), .form_opened = letGoOf(request)},
                  std::move(request.stop), answered);
    return;
  }
  auto let_go = letGoOf(request);
  tools_.call(std::move(request.key), std::move(arguments),
              {.thread_id = std::move(request.caller.thread_id),
               .project_id = std::move(request.caller.project_id),
               .progress = progressOf(request),
               .form_opened = std::move(let_go),
               .ask = std::move(ask)},
              std::move(request.stop), answered);
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

std::optional<Error> goesOnFromNowhere(const Request& request) {
  const auto params = common::JsonSlices::skim(request.params.text());
  if (!request.modern || !params || params.value().raw("requestState").empty()) {
    return std::nullopt;
  }
  return Error{errc::kInvalidInput, "the requestState is of no call of this client that waits"};
}

Answer textAnswer(const std::string& text, bool failed) {
  const auto part = Json::object().set("type", "text").set("text", text);
  return {.result = common::RawJson(
              Json::object().set("content", Json::Array{part}).set("isError", failed).dump()),
          .failed = failed};
}

}  // namespace svc::mcp
