#include "agent_tools.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::agents {
namespace {

using common::Json;

Json orNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

/// "0" or "1", a line break, the content: as the script part answers.
ToolResult readAnswer(Result<std::string> answer) {
  if (!answer) {
    return textResult(answer.error().message, true);
  }
  auto text = std::move(answer).value();
  const auto line_end = text.find('\n');
  if (line_end == std::string::npos) {
    return textResult("the tool gave no result", true);
  }
  const bool is_error = text.front() == '1';
  text.erase(0, line_end + 1);
  return {common::RawJson(std::move(text)), is_error};
}

void invoke(plugins::IGeneration& generation, const std::shared_ptr<OpenCalls>& open,
            std::string source, script::Invocation invocation,
            const std::shared_ptr<Completion<ToolResult>>& answer) {
  const auto load_id = generation.loadId();
  open->enter(load_id);
  generation.invoke(std::move(source), std::move(invocation),
                    [open, load_id, answer](Result<std::string> result) {
                      open->leave(load_id);
                      (*answer)(readAnswer(std::move(result)));
                    });
}

}  // namespace

ToolResult textResult(const std::string& text, bool is_error) {
  const auto part = Json::object().set("type", "text").set("text", text);
  return {common::RawJson(Json(Json::Array{part}).dump()), is_error};
}

void OpenCalls::enter(std::uint64_t load_id) {
  const std::scoped_lock lock(mutex_);
  ++counts_[load_id];
}

void OpenCalls::leave(std::uint64_t load_id) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = counts_.find(load_id); found != counts_.end() && --found->second == 0) {
    counts_.erase(found);
  }
}

bool OpenCalls::any(std::uint64_t load_id) const {
  const std::scoped_lock lock(mutex_);
  return counts_.contains(load_id);
}

std::vector<ToolTable::Entry> AgentTools::refresh() {
  auto entries = table_.refresh();
  Owners owners;
  for (const auto& entry : entries) {
    owners.emplace(entry.tool.name, entry.tool.plugin_id);
  }
  const std::scoped_lock lock(mutex_);
  owners_ = std::move(owners);
  return entries;
}

std::string AgentTools::ownerOf(const std::string& name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = owners_.find(name);
  return found == owners_.end() ? std::string() : found->second;
}

std::vector<AgentTool> AgentTools::list() {
  std::vector<AgentTool> tools;
  for (auto& entry : refresh()) {
    tools.push_back(std::move(entry.tool));
  }
  return tools;
}

void AgentTools::call(std::string name, common::RawJson arguments, ToolContext context,
                      std::stop_token stop, Completion<ToolResult> done) {
  Call call{std::move(name), std::move(arguments), std::move(context), std::move(stop),
            std::move(done)};
  if (const auto owner = ownerOf(call.name); !owner.empty()) {
    run(owner, std::move(call));
  } else if (main_.isCurrent()) {
    findAndRun(std::move(call));
  } else {
    // Registered since the inventory changed last, or not there.
    main_.post([weak = weak_from_this(), held = std::make_shared<Call>(std::move(call))] {
      if (const auto self = weak.lock()) {
        self->findAndRun(std::move(*held));
      }
    });
  }
}

void AgentTools::findAndRun(Call call) {
  static_cast<void>(refresh());
  if (const auto owner = ownerOf(call.name); !owner.empty()) {
    run(owner, std::move(call));
    return;
  }
  call.done(textResult(fmt::format("Unknown tool {}", call.name), true));
}

void AgentTools::run(const std::string& plugin_id, Call call) {
  auto meta = Json::object()
                  .set("name", call.name)
                  .set("threadId", orNull(call.context.thread_id))
                  .set("projectId", orNull(call.context.project_id))
                  .dump();
  auto answer = std::make_shared<Completion<ToolResult>>(std::move(call.done));
  // A plugin that is reloading hands the call over to its next load.
  loaded_.acquire(
      plugin_id, [open = open_, answer, source = "tool:" + call.name,
                  invocation = script::Invocation{.function = "agents.callTool",
                                                  .meta = std::move(meta),
                                                  .body = std::move(call.arguments).text(),
                                                  .stop = std::move(call.stop)}](
                     Result<plugins::GenerationPtr> generation) mutable {
        if (!generation) {
          (*answer)(textResult(generation.error().message, true));
          return;
        }
        invoke(*generation.value(), open, std::move(source), std::move(invocation), answer);
      });
}

void AgentTools::contributions(Json context, Completion<std::vector<AgentContribution>> done) {
  collectContributions(main_, loaded_.all(), {refresh(), skills_}, context, std::move(done));
}

Handle AgentTools::onChanged(std::function<void()> listener) {
  const auto key = ++last_listener_;
  listeners_->emplace(key, std::move(listener));
  return Handle([listeners = listeners_, key] { listeners->erase(key); });
}

void AgentTools::tellListeners() {
  const auto listeners = *listeners_;
  for (const auto& [key, listener] : listeners) {
    listener();
  }
}

void AgentTools::recordsChanged(const std::vector<plugins::PluginRecord>& records) {
  table_.recordsChanged(records);
  skills_.clear();
  for (const auto& record : records) {
    for (const auto& capability : record.capabilities) {
      if (capability.kind == "skill") {
        skills_[record.id].insert(capability.id);
      }
    }
  }
  Offered offered;
  for (const auto& entry : refresh()) {
    offered.emplace_back(entry.generation->loadId(), entry.tool.name);
  }
  if (std::exchange(offered_, offered) != offered) {
    tellListeners();
  }
}

void AgentTools::abortCalls(const plugins::GenerationPtr& generation, Completion<void> done) {
  if (!open_->any(generation->loadId())) {
    done({});
    return;
  }
  generation->invoke(
      "agents", {.function = "agents.abortTools", .meta = "plugin-disposed", .body = ""},
      [done = std::make_shared<Completion<void>>(std::move(done))](const Result<std::string>&) {
        (*done)({});
      });
}

}  // namespace svc::agents
