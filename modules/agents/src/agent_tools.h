#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
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

class AgentTools final : public IAgentTools {
 public:
  AgentTools(plugins::ILoadedPlugins& loaded, IMainExecutor& main)
      : table_(loaded), loaded_(loaded), main_(main) {}

  [[nodiscard]] std::vector<AgentTool> list() override;
  void call(std::string name, common::RawJson arguments, ToolContext context, std::stop_token stop,
            Completion<ToolResult> done) override;
  void contributions(common::Json context,
                     Completion<std::vector<AgentContribution>> done) override;

  /// Owners of names are decided anew, problems reported.
  void recordsChanged(const std::vector<plugins::PluginRecord>& records);
  /// The dispose step: open calls of this load end with the reason `plugin-disposed`.
  void abortCalls(const plugins::GenerationPtr& generation, Completion<void> done);

 private:
  ToolTable table_;
  plugins::ILoadedPlugins& loaded_;
  IMainExecutor& main_;
  SkillNames skills_;
  std::shared_ptr<OpenCalls> open_ = std::make_shared<OpenCalls>();
};

/// A result that is one text part.
[[nodiscard]] ToolResult textResult(const std::string& text, bool is_error);

}  // namespace svc::agents
