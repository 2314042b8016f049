#pragma once

#include <functional>
#include <optional>
#include <string>

#include "svc/common/json.h"
#include "svc/kernel/completion.h"

namespace svc::threads {

struct EnvironmentNeed {
  std::string thread_id{};
  std::string project_id{};
  std::string environment_id{};  ///< not empty: this one, made ready again
  common::Json intent{};         ///< an EnvironmentIntent of the contract
};

/// A place an agent can work in now.
struct ReadyEnvironment {
  std::string environment_id{};
  std::string host_id{};
  std::string cwd{};
  common::Json record{};  ///< { name, branchName, displayKind } as a thread shows them, where known
  std::string kind = "unmanaged";  ///< its workspaceProvisionType
};

/// On the way to a place: first which environment it is, then each step of what is done for it.
struct PlaceNews {
  ReadyEnvironment environment{};  ///< not ready yet; as long as there is no step
  common::Json step{};             ///< { key, type, text, status }
};
using PlaceListener = std::function<void(const PlaceNews& news)>;

/// Where the turns of threads run. Thread-safe.
class IEnvironmentSource {
 public:
  virtual ~IEnvironmentSource() = default;
  /// Whether the intent is one this project can have, or, with an environment, whether a message can be run there; the error is the
  /// answer of a request. Quick.
  [[nodiscard]] virtual Status check(const EnvironmentNeed& need) const = 0;
  /// An environment that is there, or on its way; nullopt for one that has failed, or is none. Quick.
  [[nodiscard]] virtual std::optional<ReadyEnvironment> find(
      const std::string& environment_id) const = 0;
  /// Makes it when it is not there, tries again what has failed, and fires (on any thread) when it is ready, or cannot be. `told` hears
  /// what comes before that, in order.
  virtual void resolve(EnvironmentNeed need, PlaceListener told,
                       Completion<ReadyEnvironment> done) = 0;
  /// The folder of its environment is gone, as `detail` says. What to do about it, for people.
  [[nodiscard]] virtual std::string lost(const std::string& environment_id,
                                         const std::string& detail) = 0;
  /// The thread waits for its place no more: what is done for it alone is ended.
  virtual void abandon(const std::string& thread_id) = 0;
};

}  // namespace svc::threads
