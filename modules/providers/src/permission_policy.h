#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "svc/common/json.h"
#include "svc/providers/agent_sessions.h"

namespace svc::providers {

/// What an agent may do without a person being asked, in one session: all in mode "all", changes of files in the working directory in
/// mode "edits", and what a person has allowed for the session. Agents that know such modes do not ask in the first place.
class PermissionPolicy {
 public:
  PermissionPolicy() = default;
  PermissionPolicy(std::string approval, std::string cwd);

  /// From the next question on; what was granted for the session stays.
  void setApproval(std::string approval) { approval_ = std::move(approval); }
  /// Sees every event. The decision that answers this question at once; empty for one that a person answers, and for other events.
  [[nodiscard]] std::string decide(const AgentEvent& event);
  /// A person has answered.
  void answered(const std::string& question_id, const common::Json& answer);
  /// Open questions that ask for what was allowed for the session after they were asked.
  [[nodiscard]] std::vector<std::string> granted() const;

 private:
  void watch(const common::Json& item);
  [[nodiscard]] bool isInside(const std::string& path) const;
  /// All that the change changes is in the directory, and nothing of it is run later.
  [[nodiscard]] bool isChangeInside(const common::Json& subject) const;
  /// What a grant for the session is good for: the same command in the same folder, the same tool, changes inside, changes that reach the same directories.
  /// Empty = nothing.
  [[nodiscard]] std::string topicOf(const common::Json& subject) const;

  std::string approval_ = "ask";
  std::string cwd_{};
  std::map<std::string, bool> changes_{};  ///< by item: all of its files are in the directory
  std::map<std::string, std::string> questions_{};  ///< what open ones are about
  std::set<std::string> granted_{};
};

}  // namespace svc::providers
