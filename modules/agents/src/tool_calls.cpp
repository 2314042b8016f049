#include "tool_calls.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::agents {
namespace {

using common::Json;
using Took = std::chrono::duration<double, std::milli>;

Json idOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

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

/// What the generation does not write by itself: it tells of throws, and an abort is the caller's doing.
void logFailure(plugins::IGeneration& generation, const std::string& name,
                const Result<std::string>& answer) {
  if (answer) {
    if (answer.value().starts_with('1')) {
      generation.log("warn", fmt::format("tool {} answered with an error", name));
    }
    return;
  }
  const auto& error = answer.error();
  if (error.code == errc::kInvalidInput || error.code == errc::kNotFound) {
    generation.log("warn", fmt::format("tool {}: {}", name, error.message));
  }
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

std::uint64_t ProgressListeners::add(Listener listener) {
  if (!listener) {
    return 0;
  }
  const std::scoped_lock lock(mutex_);
  listeners_.emplace(++last_, std::make_shared<const Listener>(std::move(listener)));
  return last_;
}

void ProgressListeners::remove(std::uint64_t call) {
  const std::scoped_lock lock(mutex_);
  listeners_.erase(call);
}

void ProgressListeners::tell(const Json& report) const {
  std::shared_ptr<const Listener> listener;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = listeners_.find(static_cast<std::uint64_t>(report["call"].asInteger()));
    if (found == listeners_.end()) {
      return;
    }
    listener = found->second;
  }
  ToolProgress progress{.progress = report["progress"].asNumber(),
                        .total = std::nullopt,
                        .message = report["message"].asString()};
  if (const auto* total = report.find("total")) {
    progress.total = total->asNumber();
  }
  (*listener)(progress);
}

/// One call on its way. Its books are closed when it is answered, or let go.
struct ToolCalls::Running {
  std::shared_ptr<State> state;
  std::string plugin_id;
  std::string name;
  Completion<ToolResult> done;
  std::uint64_t progress = 0;
  std::string form{};  ///< under which its forms are asked for; empty = nobody shows any
  std::chrono::steady_clock::time_point started;

  Took took() const { return state->clock.steadyNow() - started; }
  void finish(ToolResult result) {
    state->listeners.remove(progress);
    if (!form.empty()) {
      state->forms.remove(form);
    }
    state->meters.record(plugin_id, name, took(), result.is_error);
    done(std::move(result));
  }
};

void ToolCalls::run(Call call) {
  auto running = std::make_shared<Running>(Running{.state = state_,
                                                   .plugin_id = std::move(call.plugin_id),
                                                   .name = std::move(call.name),
                                                   .done = std::move(call.done),
                                                   .started = state_->clock.steadyNow()});
  running->progress = state_->listeners.add(std::move(call.context.progress));
  auto meta = Json::object()
                  .set("name", running->name)
                  .set("threadId", idOrNull(call.context.thread_id))
                  .set("projectId", idOrNull(call.context.project_id));
  if (running->progress != 0) {
    meta.set("call", running->progress);
  }
  if (call.context.ask || call.context.form_opened) {
    running->form =
        state_->forms.add(running->plugin_id, {.ask = std::move(call.context.ask),
                                               .opened = std::move(call.context.form_opened),
                                               .thread_id = call.context.thread_id});
    meta.set("form", running->form);
  }
  if (!call.overrides.empty()) {
    meta.set("overrides", Json(Json::Array(std::move(call.overrides))));
  }
  loaded_.acquire(
      running->plugin_id,
      [running, invocation = script::Invocation{.function = "agents.callTool",
                                                .meta = meta.dump(),
                                                .body = std::move(call.arguments).text(),
                                                .stop = std::move(call.stop)}](
          Result<plugins::GenerationPtr> generation) mutable {
        if (!generation) {
          running->finish(textResult(generation.error().message, true));
          return;
        }
        invoke(*generation.value(), running, std::move(invocation));
      });
}

void ToolCalls::invoke(plugins::IGeneration& generation, const std::shared_ptr<Running>& running,
                       script::Invocation invocation) {
  const auto load_id = generation.loadId();
  running->state->open.enter(load_id);
  // Whoever answers is alive; a call that is dropped with its generation is `aborted`, which does not ask it for anything.
  generation.invoke("tool:" + running->name, std::move(invocation),
                    [running, load_id, &generation](Result<std::string> result) {
                      running->state->open.leave(load_id);
                      logFailure(generation, running->name, result);
                      running->finish(readAnswer(std::move(result)));
                    });
}

namespace {

/// Whatever becomes of it: the disposal goes on.
void tell(const plugins::GenerationPtr& generation, script::Invocation invocation,
          Completion<void> done) {
  generation->invoke("", std::move(invocation),
                     [done = std::move(done)](const Result<std::string>&) mutable { done({}); });
}

}  // namespace

void ToolCalls::abort(const plugins::GenerationPtr& generation, Completion<void> done) {
  if (!state_->open.any(generation->loadId())) {
    done({});
    return;
  }
  tell(generation, {.function = "agents.abortTools", .meta = "plugin-disposed", .body = ""},
       std::move(done));
}

void ToolCalls::whenOver(const plugins::GenerationPtr& generation, Completion<void> done) {
  tell(generation, {.function = "agents.toolsOver", .meta = "", .body = ""}, std::move(done));
}

}  // namespace svc::agents
