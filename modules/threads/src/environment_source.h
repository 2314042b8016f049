#pragma once

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
};

/// Where the turns of threads run. Thread-safe.
class IEnvironmentSource {
 public:
  virtual ~IEnvironmentSource() = default;
  /// Whether the intent is one this project can have; the error is the answer of a request. Quick.
  [[nodiscard]] virtual Status check(const EnvironmentNeed& need) const = 0;
  /// Makes it when it is not there, and fires (on any thread) when it is ready, or cannot be.
  virtual void resolve(EnvironmentNeed need, Completion<ReadyEnvironment> done) = 0;
};

}  // namespace svc::threads
