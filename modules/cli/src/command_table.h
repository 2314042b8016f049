#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "svc/cli/commands.h"
#include "svc/common/json.h"
#include "svc/kernel/thread_bound.h"
#include "svc/plugins/plugins.h"

namespace svc::cli {

/// Decides who owns a command name. Core names win; among plugins the lowest id has it while the server starts, and
/// later whoever holds it keeps it. Lives on the main thread.
class CommandTable {
 public:
  explicit CommandTable(plugins::ILoadedPlugins& loaded) : loaded_(loaded) {}

  /// Takes descriptions from the inventory. Once no enabled plugin is `starting` any more, owners keep their names.
  void recordsChanged(const std::vector<plugins::PluginRecord>& records);
  /// The commands of the committed generations, ascending by plugin id. Marks shadowed registrations and reports each
  /// as a problem of its generation once.
  [[nodiscard]] std::vector<Command> refresh();

 private:
  struct Candidate {
    plugins::GenerationPtr generation;
    common::Json registration;
  };

  [[nodiscard]] std::vector<Candidate> candidates() const;
  [[nodiscard]] std::map<std::string, std::string> decideOwners(
      const std::vector<Candidate>& candidates) const;
  void mark(const Candidate& candidate, bool shadowed);
  void report(const Candidate& candidate);
  [[nodiscard]] Command describe(const Candidate& candidate, bool shadowed) const;

  plugins::ILoadedPlugins& loaded_;
  std::map<std::string, std::string> descriptions_;  // by plugin id
  std::map<std::string, std::string> owners_;        // plugin id by command name
  std::set<std::uint64_t> reported_;                 // load ids
  bool settled_ = false;
  ThreadBound main_thread_;
};

}  // namespace svc::cli
