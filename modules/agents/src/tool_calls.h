#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "svc/agents/agent_tools.h"
#include "svc/kernel/executor.h"
#include "svc/plugins/plugins.h"

#include "form_askers.h"
#include "tool_meters.h"

namespace svc::agents {

/// Calls of tools that have not answered, by load. Thread-safe.
class OpenCalls {
 public:
  void enter(std::uint64_t load_id);
  void leave(std::uint64_t load_id);
  [[nodiscard]] bool any(std::uint64_t load_id) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::size_t> counts_;
};

/// Who wants to hear of calls that go on. Thread-safe.
class ProgressListeners {
 public:
  using Listener = std::function<void(const ToolProgress&)>;

  /// The number under which the call reports; 0 for an empty listener.
  [[nodiscard]] std::uint64_t add(Listener listener);
  void remove(std::uint64_t call);
  /// `report` is {call, progress, total?, message?}; of a call that is over nobody hears.
  void tell(const common::Json& report) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<const Listener>> listeners_;
  std::uint64_t last_ = 0;
};

/// Runs tools: finds the plugin, keeps the books, turns what fails into text. Any thread.
class ToolCalls {
 public:
  struct Call {
    std::string plugin_id;
    std::string name;
    common::RawJson arguments;
    ToolContext context;
    std::vector<common::Json> overrides;  ///< what the arguments have to fit as well
    std::stop_token stop;
    Completion<ToolResult> done;
  };

  ToolCalls(plugins::ILoadedPlugins& loaded, const IClock& clock)
      : loaded_(loaded), state_(std::make_shared<State>(clock)) {}

  /// Never fails; fires on the script thread, or where the lookup of the plugin ends.
  void run(Call call);
  /// The dispose step: open calls of this load end with the reason `plugin-disposed`.
  void abort(const plugins::GenerationPtr& generation, Completion<void> done);
  /// A later dispose step: what tools still do after their calls were aborted has ended, or had its moment.
  void whenOver(const plugins::GenerationPtr& generation, Completion<void> done);

  [[nodiscard]] ToolMeters& meters() { return state_->meters; }
  [[nodiscard]] ProgressListeners& listeners() { return state_->listeners; }
  /// Where the environments of plugins ask for forms.
  [[nodiscard]] FormAskers& forms() { return state_->forms; }

 private:
  /// Shared with calls that are answered when this object is gone.
  struct State {
    explicit State(const IClock& the_clock) : clock(the_clock) {}
    const IClock& clock;
    OpenCalls open;
    ProgressListeners listeners;
    FormAskers forms;
    ToolMeters meters;
  };
  struct Running;

  static void invoke(plugins::IGeneration& generation, const std::shared_ptr<Running>& running,
                     script::Invocation invocation);

  plugins::ILoadedPlugins& loaded_;
  std::shared_ptr<State> state_;
};

/// A result that is one text part.
[[nodiscard]] ToolResult textResult(const std::string& text, bool is_error);

}  // namespace svc::agents
