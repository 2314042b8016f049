#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "svc/environments/environments.h"

#include "environment_source.h"

namespace svc::threads {

/// The environments of threads. Each thread uses the one it has until it is archived or deleted. Thread-safe.
class Workplaces final : public IEnvironmentSource,
                         public std::enable_shared_from_this<Workplaces> {
 public:
  explicit Workplaces(environments::IEnvironments& environments) : environments_(environments) {}

  [[nodiscard]] Status check(const EnvironmentNeed& need) const override;
  void resolve(EnvironmentNeed need, PlaceListener told,
               Completion<ReadyEnvironment> done) override;

  /// The thread uses this environment from now on; empty = none. Uses are not stored: they are said again after a start.
  void use(const std::string& thread_id, const std::string& environment_id);

 private:
  struct Use {
    std::string environment_id;
    Handle handle;
  };

  void make(const EnvironmentNeed& need, const PlaceListener& told,
            Completion<ReadyEnvironment> done);
  void await(const std::string& thread_id, const std::string& environment_id,
             Completion<ReadyEnvironment> done);

  environments::IEnvironments& environments_;
  std::mutex mutex_;
  std::map<std::string, Use> uses_;
};

}  // namespace svc::threads
