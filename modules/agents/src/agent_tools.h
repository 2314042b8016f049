#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "svc/agents/agent_tools.h"
#include "svc/kernel/executor.h"
#include "svc/plugins/plugins.h"

#include "contributions.h"
#include "tool_table.h"

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

class AgentTools final : public IAgentTools, public std::enable_shared_from_this<AgentTools> {
 public:
  AgentTools(plugins::ILoadedPlugins& loaded, IMainExecutor& main)
      : table_(loaded), loaded_(loaded), main_(main) {}

  [[nodiscard]] std::vector<AgentTool> list() override;
  void call(std::string name, common::RawJson arguments, ToolContext context, std::stop_token stop,
            Completion<ToolResult> done) override;
  void contributions(common::Json context,
                     Completion<std::vector<AgentContribution>> done) override;
  [[nodiscard]] Handle onChanged(std::function<void()> listener) override;

  /// Owners of names are decided anew, problems reported.
  void recordsChanged(const std::vector<plugins::PluginRecord>& records);
  /// The dispose step: open calls of this load end with the reason `plugin-disposed`.
  void abortCalls(const plugins::GenerationPtr& generation, Completion<void> done);

 private:
  struct Call {
    std::string name;
    common::RawJson arguments;
    ToolContext context;
    std::stop_token stop;
    Completion<ToolResult> done;
  };
  using Owners = std::map<std::string, std::string>;                   // plugin id by tool name
  using Offered = std::vector<std::pair<std::uint64_t, std::string>>;  // load id and tool name
  using Listeners = std::map<std::uint64_t, std::function<void()>>;

  /// The tools on offer, remembered for calls from other threads.
  [[nodiscard]] std::vector<ToolTable::Entry> refresh();
  /// Any thread; empty when no tool of this name was on offer last.
  [[nodiscard]] std::string ownerOf(const std::string& name) const;
  void findAndRun(Call call);
  void run(const std::string& plugin_id, Call call);
  void tellListeners();

  ToolTable table_;
  plugins::ILoadedPlugins& loaded_;
  IMainExecutor& main_;
  SkillNames skills_;
  std::shared_ptr<OpenCalls> open_ = std::make_shared<OpenCalls>();
  Offered offered_;
  std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();
  std::uint64_t last_listener_ = 0;
  mutable std::mutex mutex_;
  Owners owners_;
};

/// A result that is one text part.
[[nodiscard]] ToolResult textResult(const std::string& text, bool is_error);

}  // namespace svc::agents
