#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "svc/common/codes.h"
#include "svc/plugins/managed_plugins.h"
#include "svc/plugins/plugin_updates.h"

#include "async.h"
#include "collaborators.h"
#include "install_source.h"
#include "lifecycle.h"
#include "listeners.h"
#include "plugin_state.h"

namespace svc::plugins {

/// The list of installed plugins and every operation on it. The interface may be called from any
/// thread; everything else happens on the main thread.
class PluginManager final : public IPluginManager,
                            public IManagedPlugins,
                            public IPluginUpdates,
                            public std::enable_shared_from_this<PluginManager> {
 public:
  [[nodiscard]] static std::shared_ptr<PluginManager> create(const Collaborators& with,
                                                             ManagerSettings settings);

  /// Heap, watchdog, termination and their overrides for every load from now on. Main thread.
  void setLimits(const ManagerSettings& settings);

  void list(Completion<std::vector<PluginRecord>> done) override;
  void get(std::string plugin_id, Completion<PluginRecord> done) override;
  void install(std::string source, Completion<PluginRecord> done) override;
  void setEnabled(std::string plugin_id, bool enabled, Completion<PluginRecord> done) override;
  void reload(std::string plugin_id, Completion<std::vector<ReloadOutcome>> done) override;
  void remove(std::string plugin_id, bool purge,
              Completion<std::vector<std::string>> done) override;
  void settingsSaved(std::string plugin_id) override;
  void setDevProblems(std::string plugin_id, std::vector<DevProblem> problems,
                      Completion<void> done) override;
  void source(std::string plugin_id, Completion<SourceDetail> done) override;
  void safeMode(Completion<SafeModeState> done) override;
  void setSafeMode(bool enabled, Completion<SafeModeState> done) override;
  [[nodiscard]] Handle onChanged(
      std::function<void(const std::vector<PluginRecord>& records)> listener) override;

  [[nodiscard]] Result<ManifestSummary> parseManifest(std::string_view bytes) const override;
  [[nodiscard]] Result<ManifestSummary> readManifest(
      const std::filesystem::path& root) const override;
  [[nodiscard]] std::string incompatibility(const std::string& engine_service,
                                            const std::string& engine_sdk) const override;
  [[nodiscard]] bool isReserved(std::string_view plugin_id) const override;
  void check(storage::PluginRow row, Completion<void> done) override;
  void install(storage::PluginRow row, Completion<PluginRecord> done) override;
  void row(std::string plugin_id, Completion<storage::PluginRow> done) override;
  void detach(std::string marketplace, Completion<std::vector<std::string>> done) override;

  void rows(Completion<std::vector<storage::PluginRow>> done) override;
  void begin(std::string plugin_id, Completion<PluginSwitchPtr> done) override;
  void adopt(const storage::PluginRow& row) override;
  void setUpdateState(std::string plugin_id, common::Json state) override;

  /// Reads the installed plugins. Before anything else, on the main thread.
  [[nodiscard]] Status open();
  /// Begins to load every enabled plugin; completes when all have settled, at the latest after
  /// `patience`.
  void loadAll(std::chrono::milliseconds patience, Completion<void> done);
  /// Ends loads, disposes every plugin and refuses further operations; bounded by the shutdown
  /// limits.
  void shutdown(Completion<void> done);
  /// Lets go of every environment, whatever state shutdown() has left it in.
  void close();

 private:
  using Records = std::vector<PluginRecord>;
  using Job = JobQueue::Job;

  PluginManager(const Collaborators& with, ManagerSettings settings);
  void start();

  [[nodiscard]] PluginPtr find(const std::string& plugin_id) const;
  [[nodiscard]] Records records() const;
  void insertPlugin(const PluginPtr& plugin);
  /// Reads name, icon and contents of a plugin that is not being loaded.
  void describe(const PluginPtr& plugin);
  [[nodiscard]] static Error unknownPlugin(const std::string& plugin_id);
  /// Safe mode refuses; an empty id stands for every plugin.
  [[nodiscard]] static Error heldBack(const std::string& plugin_id);
  void announce();

  /// Runs `action` on the main thread; `done` fails there instead when the manager is shutting
  /// down.
  template <class T>
  void onMain(Completion<T> done, std::function<void(Completion<T>)> action);
  /// Queues a job; `done` fails when there is no room.
  template <class T>
  void enqueue(JobQueue& queue, const std::shared_ptr<Completion<T>>& done, Job job);
  /// Loads them side by side, at most ManagerSettings::parallel_loads at once; fires when every one has settled.
  void loadEach(const std::vector<PluginPtr>& chosen, Completion<void> done);
  void applySafeMode(bool enabled, Completion<SafeModeState> done);
  void holdAll(Completion<void> done);
  void releaseAll(Completion<SafeModeState> done);
  void storeRow(const storage::PluginRow& row, Completion<void> done);

  void admit(const InstallCandidate& candidate, std::string source, Completion<PluginRecord> done,
             Completion<void> registered);
  /// What stands in the way of installing a managed row.
  [[nodiscard]] Status admission(const storage::PluginRow& row) const;
  void detachOne(const PluginPtr& plugin, const std::string& marketplace,
                 const std::shared_ptr<std::vector<std::string>>& detached, Completion<void> done);
  void registerPlugin(const PluginPtr& plugin, storage::PluginRow row,
                      Completion<PluginRecord> done, Completion<void> registered,
                      Completion<void> finished);
  void changeEnabled(const PluginPtr& plugin, bool enabled, Completion<PluginRecord> done,
                     Completion<void> registered, Completion<void> finished);
  void beginSwitch(const PluginPtr& plugin, Completion<PluginSwitchPtr> done,
                   Completion<void> registered, Completion<void> finished);
  void reloadOne(const PluginPtr& plugin, std::function<void(ReloadOutcome)> done);
  void removePlugin(const PluginPtr& plugin, bool purge, Completion<std::vector<std::string>> done);
  void removeRow(const PluginPtr& plugin, bool purge, Completion<std::vector<std::string>> done);
  void removeData(const PluginPtr& plugin, bool purge, Completion<std::vector<std::string>> done);
  void removeFiles(const PluginPtr& plugin, bool purge, std::size_t keys,
                   Completion<std::vector<std::string>> done);

  Collaborators with_;
  ManagerSettings settings_;
  std::map<std::string, PluginPtr> plugins_;
  std::shared_ptr<Lifecycle> lifecycle_;
  /// Install, remove, enable and disable change the list one at a time.
  JobQueue registry_;
  JobQueue start_gate_;
  Listeners<const Records&> listeners_;
  Handle abort_schedules_;
  bool announcing_ = false;
  bool shutting_down_ = false;
};

template <class T>
void PluginManager::onMain(Completion<T> done, std::function<void(Completion<T>)> action) {
  auto answer = shared(std::move(done));
  with_.main.post([weak = weak_from_this(), answer, action = std::move(action)] {
    const auto self = weak.lock();
    if (!self || self->shutting_down_) {
      (*answer)(Error{errc::kUnavailable, "the server is shutting down"});
      return;
    }
    action(std::move(*answer));
  });
}

template <class T>
void PluginManager::enqueue(JobQueue& queue, const std::shared_ptr<Completion<T>>& done, Job job) {
  if (!queue.add(std::move(job))) {
    (*done)(Error{errc::kOverloaded,
                  "too many plugin operations are waiting already (64); try again later"});
  }
}

}  // namespace svc::plugins
