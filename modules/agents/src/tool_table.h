#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "svc/agents/agent_tools.h"
#include "svc/kernel/thread_bound.h"
#include "svc/plugins/plugins.h"

namespace svc::agents {

/// A tool that is registered, on offer or not.
struct KnownTool {
  AgentTool tool;
  std::string holder;  ///< the plugin that has the name
};

/// Decides which plugin has a tool name. The lowest id has it while the server starts; later whoever holds it keeps it.
/// Lives on the main thread.
class ToolTable {
 public:
  struct Entry {
    plugins::GenerationPtr generation;
    AgentTool tool;
  };

  explicit ToolTable(plugins::ILoadedPlugins& loaded) : loaded_(loaded) {}

  /// Once no enabled plugin is `starting` any more, owners keep their names.
  void recordsChanged(const std::vector<plugins::PluginRecord>& records);
  /// The tools on offer, by plugin id and then as registered. A tool that lost its name, or whose name clients may not take,
  /// is a problem of its generation for as long as that is so.
  [[nodiscard]] std::vector<Entry> refresh();
  /// All that loaded plugins have registered, in the same order. After a refresh().
  [[nodiscard]] std::vector<KnownTool> known() const;

 private:
  using Owners = std::map<std::string, std::string>;  // plugin id by tool name

  [[nodiscard]] std::vector<Entry> candidates() const;
  [[nodiscard]] Owners decideOwners(const std::vector<Entry>& candidates) const;
  [[nodiscard]] std::vector<plugins::Problem> problemsOf(const AgentTool& tool) const;
  void report(plugins::IGeneration& generation, const std::vector<plugins::Problem>& problems);

  plugins::ILoadedPlugins& loaded_;
  Owners owners_;
  std::map<std::uint64_t, std::set<std::string>> reported_;  // messages by load id
  bool settled_ = false;
  ThreadBound main_thread_;
};

}  // namespace svc::agents
