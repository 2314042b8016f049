#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "svc/storage/plugin_store.h"

#include "activity.h"
#include "update_run.h"

namespace svc::updates {

struct RollbackResult {
  std::string from;
  std::string to;
  plugins::PluginRecord plugin;  ///< afterwards, whether or not it runs
};

/// What a rollback of a plugin returns to. Times are milliseconds since the epoch.
struct RollbackTarget {
  std::string version;
  std::string resolved;
  std::int64_t taken_at = 0;    ///< the data is that of this moment
  std::int64_t kept_until = 0;  ///< afterwards there is no way back
};

/// The updates that run, what a stop of the service has left of them, and how long snapshots stay. Main thread.
class Updater final : public std::enable_shared_from_this<Updater> {
 public:
  Updater(UpdateContext with, std::shared_ptr<Activity> activity);

  /// Finishes rollbacks that were interrupted. Blocks: once, before plugins are loaded.
  [[nodiscard]] Status recover(storage::IPluginStore& plugins);
  /// Plugins are being loaded: goes on with the windows of interrupted updates, and begins to keep order.
  void open();
  /// `request`: see UpdateRun::run.
  void apply(const std::string& plugin_id, const std::string& request,
             Completion<UpdateResult> done);
  /// Back to the version before the last update. `version`: see UpdateRun::rollBack.
  void rollBack(const std::string& plugin_id, std::string version, Completion<RollbackResult> done);
  /// What rollBack() would do, without doing it. `not_found`, whose message says why, when there is nothing to go back to.
  void rollbackTarget(const std::string& plugin_id, Completion<RollbackTarget> done);
  void stop();

 private:
  Course<UpdateResult> applyNow(std::string plugin_id, std::string request);
  Course<void> resume(Snapshot snapshot);
  Course<RollbackResult> rollBackNow(std::string plugin_id, std::string version);
  Course<RollbackTarget> findTarget(std::string plugin_id);
  Course<void> pruneNow();

  void finishRollback(const Snapshot& snapshot, const storage::PluginRow& current);
  [[nodiscard]] Status mayBegin(const std::string& plugin_id) const;
  [[nodiscard]] std::shared_ptr<UpdateRun> begin(const std::string& plugin_id);
  void ended(const std::string& plugin_id);
  /// Goes on with the updates that safe mode has held up, where it does not any more.
  void goOn(const std::vector<plugins::PluginRecord>& records);
  void tellUnfinished() const;
  void armPrune();
  void prune();
  void listed(const std::vector<plugins::PluginRecord>& records);

  const UpdateContext with_;
  const std::shared_ptr<Activity> activity_;
  std::map<std::string, std::shared_ptr<UpdateRun>> runs_;
  std::vector<Snapshot> interrupted_;
  /// By plugin: new versions that safe mode keeps from showing whether they run. A stop leaves them to the next start.
  std::map<std::string, Snapshot> held_up_;
  Handle again_;
  /// Those that are over and do not say so yet, because nothing could be written.
  std::vector<Snapshot> to_settle_;
  /// Why plugins are not loaded until the next start.
  std::vector<std::string> held_;
  std::set<std::string> installed_;
  /// The files of versions that a snapshot can still bring back.
  std::vector<Handle> kept_;
  Handle listening_;
  Handle prune_timer_;
  bool pruning_ = false;
  bool stopped_ = false;
};

}  // namespace svc::updates
