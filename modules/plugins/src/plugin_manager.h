#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "svc/common/codes.h"
#include "svc/common/limits/builds.h"
#include "svc/plugins/managed_plugins.h"
#include "svc/plugins/plugin_updates.h"

#include "collaborators.h"
#include "install_source.h"
#include "job_queue.h"
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
  /// Ends a plugin that runs, with what its record says of it; it is loaded again as after any end of its environment. False when it
  /// does not run. Main thread.
  bool endForMemory(const std::string& plugin_id, const std::string& why);
  void setLimits(const ManagerSettings& settings);

  void list(Completion<std::vector<PluginRecord>> done) override;
  void get(std::string plugin_id, Completion<PluginRecord> done) override;
  void inspect(std::string source, Completion<Inspection> done) override;
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
  [[nodiscard]] Result<PackageContents> readPackage(
      const std::filesystem::path& root) const override;
  [[nodiscard]] std::string incompatibility(const std::string& engine_service,
                                            const std::string& engine_sdk) const override;
  [[nodiscard]] std::filesystem::path builtinDirectory(std::string_view name) const override;
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
  /// Files of these bundled plugins, or of any when there is none, are not what they were: those that are enabled are loaded again as soon
  /// as no more comes for limits::kDevDebounce. Any thread.
  void sourcesChanged(std::set<std::string> names);
  /// Ends loads, disposes every plugin and refuses further operations; bounded by the shutdown
  /// limits.
  void shutdown(Completion<void> done);
  /// Lets go of every environment, whatever state shutdown() has left it in.
  void close();

 private:
  using Records = std::vector<PluginRecord>;

  PluginManager(const Collaborators& with, ManagerSettings settings);
  void start();

  /// Rows of bundled plugins follow the installation, and those that are wanted get one.
  [[nodiscard]] Status settleBuiltins(std::map<std::string, storage::PluginRow>& rows);
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
  template <class T, class Action>
  void onMain(Completion<T> done, Action action);
  /// The same with a course, which is one of the methods below.
  template <class T, class... Parameters, class... Arguments>
  void startOnMain(Completion<T> done, Course<T> (PluginManager::*course)(Parameters...),
                   Arguments... arguments);
  /// Awaits the store.
  auto storeRow(const storage::PluginRow& row) {
    const auto put = [&store = with_.store, row] { return store.put(row); };
    return onWorker(with_.workers, with_.main, put);
  }

  // Courses. What changes the list takes a turn in `registry_` first, and then one among the plugin's operations.
  Course<PluginRecord> installDirectory(std::string source);
  Course<PluginRecord> installBuiltin(std::string name);
  Course<PluginRecord> installRow(storage::PluginRow row);
  /// Ends `registered` as soon as the list is right.
  Course<PluginRecord> registerPlugin(PluginPtr plugin, storage::PluginRow row, Turn registered);
  Course<PluginRecord> changeEnabled(std::string plugin_id, bool enabled);
  Course<std::vector<ReloadOutcome>> reloadChosen(std::string plugin_id);
  Course<ReloadOutcome> reloadOne(PluginPtr plugin);
  Course<void> reloadChanged(std::string id);
  Course<std::vector<std::string>> removeNow(std::string plugin_id, bool purge);
  /// What the plugin has stored; answers what is left of it.
  Course<std::vector<std::string>> removeData(PluginPtr plugin, bool purge);
  Course<PluginSwitchPtr> beginSwitch(std::string plugin_id);
  Course<std::vector<std::string>> detachListed(std::string marketplace);
  Course<bool> detachOne(PluginPtr plugin, std::string marketplace);
  Course<SafeModeState> changeSafeMode(bool enabled);
  Course<void> holdOne(PluginPtr plugin);
  /// Loads them side by side, at most ManagerSettings::parallel_loads at once; ends when every one has settled.
  Course<void> loadEach(std::vector<PluginPtr> chosen);
  Course<void> loadInTurn(PluginPtr plugin);

  /// What stands in the way of installing a directory whose plugin has this id.
  [[nodiscard]] Status directoryAdmission(const std::string& plugin_id) const;
  /// What stands in the way of installing a managed row.
  [[nodiscard]] Status admission(const storage::PluginRow& row) const;

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

template <class T, class Action>
void PluginManager::onMain(Completion<T> done, Action action) {
  with_.main.post(
      [weak = weak_from_this(), done = std::move(done), action = std::move(action)]() mutable {
        const auto self = weak.lock();
        if (!self || self->shutting_down_) {
          done(Error{errc::kUnavailable, "the server is shutting down"});
          return;
        }
        action(std::move(done));
      });
}

template <class T, class... Parameters, class... Arguments>
void PluginManager::startOnMain(Completion<T> done,
                                Course<T> (PluginManager::*course)(Parameters...),
                                Arguments... arguments) {
  onMain<T>(std::move(done),
            [this, course, ... kept = std::move(arguments)](Completion<T> answer) mutable {
              (this->*course)(std::move(kept)...).start(std::move(answer));
            });
}

}  // namespace svc::plugins
