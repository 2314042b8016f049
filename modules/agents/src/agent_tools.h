#pragma once

#include <atomic>
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
#include "tool_calls.h"
#include "tool_table.h"

namespace svc::agents {

class AgentTools final : public IAgentTools, public std::enable_shared_from_this<AgentTools> {
 public:
  AgentTools(plugins::ILoadedPlugins& loaded, IMainExecutor& main, const IClock& clock)
      : table_(loaded),
        loaded_(loaded),
        main_(main),
        calls_(std::make_shared<ToolCalls>(loaded, clock)) {}

  [[nodiscard]] std::vector<AgentTool> list() override;
  void call(std::string name, common::RawJson arguments, ToolContext context, std::stop_token stop,
            Completion<ToolResult> done) override;
  void callOf(std::string plugin_id, std::string name, common::RawJson arguments,
              ToolContext context, std::stop_token stop, Completion<ToolResult> done) override;
  void open(SessionRequest request, Completion<ToolSessionPtr> done) override;
  [[nodiscard]] common::Json presentationOf(const std::string& name) const override;
  [[nodiscard]] Handle onChanged(std::function<void()> listener) override;

  /// A plugin has registered a tool, maybe after its load: who listens hears of it. Any thread.
  void registrationChanged();
  /// Owners of names are decided anew, problems reported.
  void recordsChanged(const std::vector<plugins::PluginRecord>& records);
  /// The dispose step: open calls of this load end with the reason `plugin-disposed`.
  void abortCalls(const plugins::GenerationPtr& generation, Completion<void> done) {
    calls_->abort(generation, std::move(done));
  }
  /// Everything that is registered, with who has its name.
  [[nodiscard]] std::vector<KnownTool> known();
  [[nodiscard]] const std::shared_ptr<ToolCalls>& calls() const { return calls_; }

 private:
  struct Offer {
    std::string plugin_id;
    common::Json presentation;
  };
  using Offers = std::map<std::string, Offer>;                         // by tool name
  using Offered = std::vector<std::pair<std::uint64_t, std::string>>;  // load id and tool name
  using Listeners = std::map<std::uint64_t, std::function<void()>>;

  /// The tools on offer, remembered for calls from other threads.
  [[nodiscard]] std::vector<ToolTable::Entry> refresh();
  /// Any thread; empty when no tool of this name was on offer last.
  [[nodiscard]] std::string ownerOf(const std::string& name) const;
  void findAndRun(ToolCalls::Call call);
  void openNow(SessionRequest request, Completion<ToolSessionPtr> done);
  void collect(AgentContext context, Asked asked, Completion<std::vector<AgentContribution>> done);
  /// What plugins choose for a further turn of a session. Any thread; fires on main.
  void askAgain(AgentContext context, Completion<std::vector<AgentContribution>> done);
  void tellListeners();
  /// Tells who listens when other tools are on offer than the last time.
  void announce();

  ToolTable table_;
  plugins::ILoadedPlugins& loaded_;
  IMainExecutor& main_;
  std::shared_ptr<ToolCalls> calls_;
  SkillNames skills_;
  Offered offered_;
  std::atomic<bool> announcing_{false};  // it is posted already
  std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();
  std::uint64_t last_listener_ = 0;
  mutable std::mutex mutex_;
  Offers offers_;
};

}  // namespace svc::agents
