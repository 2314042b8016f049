#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/common/limits/worktrees.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc::environments {

/// An environment as other modules see it. A value: a snapshot.
struct Environment {
  std::string id;
  std::string project_id;
  std::string host_id;
  std::string kind;    ///< "unmanaged", "managed-worktree" or "personal"
  std::string status;  ///< "creating", "provisioning", "ready", "error" or "destroyed"
  std::string status_detail{};
  std::string name{};
  std::string path{};  ///< empty until it is placed
  bool is_worktree = false;
  std::string branch_name{};
  /// Its folder is going: it ends as "destroyed", and nobody begins to work there.
  bool removing = false;
};

/// Where somebody wants to work.
struct Wish {
  std::string project_id;
  common::Json intent;  ///< an EnvironmentIntent; its shape is checked
  /// Names the branch of a worktree: "svc/<owner>".
  std::string owner;
};

/// One step on the way: { key, type: "step" | "output", text, status?: "active" | "completed" | "failed" }. Until it is ready or has
/// failed, on io.
using Progress = std::function<void(const common::Json& entry)>;

/// What is known of the work in an environment. Quick, any thread.
struct Work {
  using About = std::function<std::string(const std::string& environment_id)>;
  /// What it is called; empty = it has no name of its own.
  About title{};
  /// The thread whose turn runs there; empty = none.
  About running{};
};

/// The environments of projects. Thread-safe.
class IEnvironments {
 public:
  static constexpr ServiceId kId{"svc.environments.Environments", 1};
  virtual ~IEnvironments() = default;

  /// Quick, any thread.
  [[nodiscard]] virtual std::optional<Environment> find(std::string_view environment_id) const = 0;
  /// Whether the project can have such an environment: the shape of the intent, its machine and source. Errors as of resolve() but
  /// for those of the machine. Quick, any thread.
  [[nodiscard]] virtual Status check(const Wish& wish) const = 0;
  /// The record of it as soon as there is one, for whoever stores its id; it may not be ready then. Errors: `invalid_input` (the
  /// intent), `not_found`, `conflict` (a dirty checkout, an environment of another project), and those of the machine. Fires on io.
  virtual void resolve(Wish wish, Progress progress, Completion<Environment> done) = 0;
  /// Fires on io when it is ready, at once when it is; `conflict` with the reason when it has failed or is gone, or is being removed, when that has ended or failed; `host_unavailable` at
  /// once when its machine is not there to go on with it, ask again then. `progress` is for who has begun nothing: it hears the steps
  /// so far first, then those to come.
  virtual void awaitReady(const std::string& environment_id, Progress progress,
                          Completion<Environment> done) = 0;
  /// Ends what is done to make it, scripts too, so that it fails; nothing for one that is not being made. Any thread.
  virtual void cancel(const std::string& environment_id) = 0;
  /// Tries again what has failed. Fires on io, when it has begun; `conflict` when nothing has failed, `host_unavailable`.
  virtual void retry(const std::string& environment_id, Progress progress,
                     Completion<Environment> done) = 0;

  /// The folder of one that is ready is gone, as `detail` says: it has failed, and is made or looked for again by retry(). Any thread.
  virtual void lost(const std::string& environment_id, const std::string& detail) = 0;

  /// It is used until the handle is let go. When nobody uses a managed or personal one any more it is removed after
  /// limits::kEnvGrace, unless somebody does again. Any thread.
  [[nodiscard]] virtual Handle use(const std::string& environment_id) = 0;

  /// Tells of the work: its name is that of commits without a message, and while it runs nobody removes its folder. Whoever has threads
  /// gives it, and takes it back by the handle. Any thread.
  [[nodiscard]] virtual Handle tellWork(Work work) = 0;
};

}  // namespace svc::environments
