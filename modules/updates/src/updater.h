#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "svc/storage/plugin_store.h"

#include "activity.h"
#include "update_run.h"

namespace svc::updates {

/// The updates that run, what a stop of the service has left of them, and how long snapshots stay. Main thread.
class Updater final : public std::enable_shared_from_this<Updater> {
 public:
  Updater(UpdateContext with, std::shared_ptr<Activity> activity);

  /// Finishes rollbacks that were interrupted. Blocks: once, before plugins are loaded.
  [[nodiscard]] Status recover(storage::IPluginStore& plugins);
  /// Plugins are being loaded: goes on with the windows of interrupted updates, and begins to keep order.
  void open();
  void apply(const std::string& plugin_id, Completion<UpdateResult> done);
  void stop();

 private:
  using RunPtr = std::shared_ptr<UpdateRun>;

  void finishRollback(const Snapshot& snapshot, const storage::PluginRow& current);
  void start(const std::string& plugin_id, const std::function<void(const RunPtr& run)>& begin);
  void ended(const std::string& plugin_id);
  void armPrune();
  void prune();
  void listed(const std::vector<plugins::PluginRecord>& records);

  const UpdateContext with_;
  const std::shared_ptr<Activity> activity_;
  std::map<std::string, RunPtr> runs_;
  std::vector<Snapshot> interrupted_;
  std::set<std::string> installed_;
  /// The files of versions that a snapshot can still bring back.
  std::vector<Handle> kept_;
  Handle listening_;
  Handle prune_timer_;
  bool pruning_ = false;
  bool stopped_ = false;
};

}  // namespace svc::updates
