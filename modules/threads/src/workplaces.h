#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
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
  [[nodiscard]] std::optional<ReadyEnvironment> find(
      const std::string& environment_id) const override;
  void resolve(EnvironmentNeed need, PlaceListener told,
               Completion<ReadyEnvironment> done) override;
  [[nodiscard]] std::string lost(const std::string& environment_id,
                                 const std::string& detail) override;
  void abandon(const std::string& thread_id) override;

  /// The thread uses this environment from now on; empty = none. Uses are not stored: they are said again after a start.
  void use(const std::string& thread_id, const std::string& environment_id);

 private:
  struct Use {
    std::string environment_id;
    Handle handle;
  };

  /// A thread that waits for its place; the number tells a try from those after it.
  struct Wait {
    std::string thread_id;
    std::uint64_t number = 0;
  };
  struct Waiting {
    std::uint64_t number = 0;
    std::string environment_id{};  ///< empty until it is known
  };

  /// The folder is going: another one is made once it is gone.
  void awaitRemoval(EnvironmentNeed need, const Wait& wait, const PlaceListener& told,
                    Completion<ReadyEnvironment> done);
  /// Its making has failed before.
  void retry(const Wait& wait, const std::string& environment_id, const PlaceListener& told,
             Completion<ReadyEnvironment> done);
  /// Its making ends because of somebody else, and begins anew for this thread.
  void awaitEnd(const Wait& wait, const std::string& environment_id, const PlaceListener& told,
                Completion<ReadyEnvironment> done);
  void cancel(const std::string& environment_id);
  void make(const EnvironmentNeed& need, const Wait& wait, const PlaceListener& told,
            Completion<ReadyEnvironment> done);
  void made(const environments::Environment& environment, const Wait& wait,
            const environments::Progress& progress, const PlaceListener& told,
            Completion<ReadyEnvironment> done);
  void await(const Wait& wait, const std::string& environment_id,
             const environments::Progress& progress, Completion<ReadyEnvironment> done);
  /// False when the thread waits no more for that.
  bool waitsFor(const Wait& wait, const std::string& environment_id);
  void endWait(const Wait& wait);

  environments::IEnvironments& environments_;
  std::mutex mutex_;
  std::map<std::string, Use> uses_;
  std::map<std::string, Waiting> waiting_;  ///< by thread
  std::set<std::string> cancelled_;         ///< environments whose making was given up last
  std::uint64_t last_wait_ = 0;
};

}  // namespace svc::threads
