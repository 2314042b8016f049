#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <spdlog/logger.h>

#include "svc/installs/package_sources.h"
#include "svc/plugins/plugin_updates.h"
#include "svc/plugins/plugins.h"
#include "svc/updates/update_observer.h"

#include "blocking_job.h"
#include "snapshots.h"

namespace svc::updates {

/// What an update works with. References outlive it.
struct UpdateContext {
  Threads threads;
  plugins::IPluginManager& manager;
  plugins::IPluginUpdates& updates;
  installs::IPackageSources& sources;
  std::shared_ptr<Snapshots> snapshots;
  IUpdateObserver* observer = nullptr;  ///< may be null
  std::shared_ptr<spdlog::logger> log;
};

struct UpdateResult {
  enum class Outcome : std::uint8_t { kCurrent, kUpdated, kRolledBack };
  Outcome outcome = Outcome::kCurrent;
  std::string from;
  std::string to;      ///< empty when there is nothing newer
  std::string detail;  ///< may be empty
};

/// One update of one plugin: the steps in order, and those of the rollback when the new version does not hold. Main
/// thread; keeps itself alive until it has answered.
class UpdateRun final : public std::enable_shared_from_this<UpdateRun> {
 public:
  struct Step {
    std::string_view name;
    void (UpdateRun::*run)(Completion<void> done);
  };

  UpdateRun(UpdateContext with, std::string plugin_id);

  /// The sequences as data; the names are those of IUpdateObserver.
  [[nodiscard]] static std::span<const Step> steps();
  [[nodiscard]] static std::span<const Step> rollbackSteps();
  /// What comes before rollbackSteps() when a user asks for the rollback.
  [[nodiscard]] static std::span<const Step> byHandSteps();

  void run(Completion<UpdateResult> done);
  /// Goes back to the version before the last update, with the data it had then. `version`: the one it has to be;
  /// empty for whichever it is. The result's `from` is the version that runs afterwards, as after every rollback.
  void rollBack(std::string version, Completion<UpdateResult> done);
  /// Goes on with the window of an update that a restart has interrupted.
  void resume(Snapshot snapshot, Completion<UpdateResult> done);
  /// The service stops: what is not decided goes on at the next start.
  void stop();

 private:
  void next(std::span<const Step> steps, std::size_t index);
  void perform(std::span<const Step> steps, std::size_t index);
  void failed(std::span<const Step> steps, const Error& error);
  void finish(Result<UpdateResult> result);
  [[nodiscard]] std::string givenUp(const Error& error) const;
  /// `conflict`: somebody else has changed the plugin.
  [[nodiscard]] Error changed(std::string_view what) const;
  [[nodiscard]] UpdateResult result(UpdateResult::Outcome outcome, std::string detail = {}) const;

  void read(Completion<void> done);
  void resolve(Completion<void> done);
  void stage(Completion<void> done);
  void takeTurn(Completion<void> done);
  void hold(Completion<void> done);
  void beginSnapshot(Completion<void> done);
  void takeSnapshot(Completion<void> done);
  void switchRow(Completion<void> done);
  void load(Completion<void> done);
  void stabilise(Completion<void> done);
  void settle(Completion<void> done);

  void decideRollback(Completion<void> done);
  void takeTurnBack(Completion<void> done);
  void restoreFiles(Completion<void> done);
  void restoreRows(Completion<void> done);
  void loadPrevious(Completion<void> done);

  void readInstalled(Completion<void> done);
  void findSnapshot(Completion<void> done);

  void readPlugin(Completion<void> done);
  void readRow(Completion<void> done);
  [[nodiscard]] Status goBackTo(Snapshot snapshot);
  void choose(const installs::Resolution& found, Completion<void> done);
  void turn(const storage::PluginRow& expected, Completion<void> done);
  void examine(const std::vector<plugins::PluginRecord>& records);
  void watch();
  void endWindow(Status status);
  [[nodiscard]] std::string verdict(const plugins::PluginRecord& record) const;
  template <class T>
  void snapshotJob(std::function<Result<T>()> job, std::function<void(T)> keep,
                   Completion<void> done);

  const UpdateContext with_;
  const std::string plugin_id_;
  std::stop_source stop_;
  Completion<UpdateResult> done_;
  bool ended_ = false;

  storage::PluginRow base_;
  bool needed_configuration_ = false;
  installs::Candidate candidate_;
  storage::PluginRow target_;
  // The files of both versions, until the update is decided.
  Handle keep_base_;
  Handle keep_target_;
  plugins::PluginSwitchPtr switch_;
  bool suspended_ = false;
  Snapshot snapshot_;
  bool has_snapshot_ = false;
  bool switched_ = false;

  Handle watch_;
  Handle window_;
  Completion<void> window_over_;
  std::string rollback_reason_;
  std::string wanted_version_;
};

template <class T>
void UpdateRun::snapshotJob(std::function<Result<T>()> job, std::function<void(T)> keep,
                            Completion<void> done) {
  runBlockingJob<T>(with_.threads, std::move(job),
                    [self = shared_from_this(), keep = std::move(keep),
                     answer = shared(std::move(done))](Result<T> made) {
                      if (self->ended_) {
                        return;
                      }
                      if (!made) {
                        (*answer)(std::move(made).error());
                        return;
                      }
                      keep(std::move(made).value());
                      (*answer)({});
                    });
}

}  // namespace svc::updates
