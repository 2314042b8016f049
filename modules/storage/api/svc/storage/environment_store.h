#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::storage {

/// Where the work of threads is done: a folder of a machine, and what is known of it. Texts are empty for what is not there. Times are
/// milliseconds since the epoch; 0 = not yet.
struct EnvironmentRow {
  std::string id;
  std::string project_id;
  std::string host_id;
  std::string kind;    ///< "unmanaged", "managed-worktree", "personal"
  std::string status;  ///< "creating", "provisioning", "ready", "error", "destroyed"
  std::string status_detail{};
  std::string name{};
  std::string path{};
  std::string intent{};  ///< JSON text: what it is made from, for another try
  bool is_git_repo = false;
  bool is_worktree = false;
  std::string branch_name{};
  std::string base_branch{};
  std::string default_branch{};
  std::string merge_base_branch{};
  std::string phase = "active";  ///< or "retiring", "removing"
  std::int64_t retire_at = 0;
  std::string teardown_status{};
  std::int64_t teardown_attempt = 0;
  std::int64_t created_at = 0;
  std::int64_t updated_at = 0;

  friend bool operator==(const EnvironmentRow&, const EnvironmentRow&) = default;
};

/// Rows that change together.
struct EnvironmentChange {
  std::vector<EnvironmentRow> environments{};  ///< inserted or replaced
  std::vector<std::string> gone{};             ///< ids
};

/// The records of environments, destroyed ones too. Thread-safe. Every call blocks until the answer is durable, so it is never made
/// from the io thread or a script thread.
class IEnvironmentStore {
 public:
  static constexpr ServiceId kId{"svc.storage.EnvironmentStore", 1};
  virtual ~IEnvironmentStore() = default;

  /// Ascending by time of creation, then by id.
  [[nodiscard]] virtual Result<std::vector<EnvironmentRow>> environments() = 0;
  /// All of it or nothing; removals come first. What is already gone is no error. `invalid_argument` for a row without the ids of itself,
  /// its project and its machine.
  [[nodiscard]] virtual Status apply(const EnvironmentChange& change) = 0;
};

/// What every implementation answers to a row without its keys; success when there is none.
[[nodiscard]] inline Status checkEnvironmentChange(const EnvironmentChange& change) {
  for (const auto& row : change.environments) {
    if (row.id.empty() || row.project_id.empty() || row.host_id.empty()) {
      return Error{errc::kInvalidArgument,
                   "an environment needs an id and those of its project and its machine"};
    }
  }
  return {};
}

}  // namespace svc::storage
