#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <spdlog/logger.h>

#include "svc/installs/package_sources.h"
#include "svc/kernel/coroutine.h"
#include "svc/plugins/plugin_updates.h"
#include "svc/plugins/plugins.h"
#include "svc/updates/update_observer.h"

#include "snapshots.h"
#include "threads.h"

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
  /// What a start could not finish of earlier updates, for people; empty when there is nothing (any more).
  std::function<void(std::string unfinished)> tell = [](const std::string&) {};
  /// The window of an update that a restart had interrupted is over, whatever came of it.
  std::function<void(const std::string& plugin_id)> resumed = [](const std::string&) {};
};

struct UpdateResult {
  enum class Outcome : std::uint8_t { kCurrent, kUpdated, kRolledBack };
  Outcome outcome = Outcome::kCurrent;
  std::string from;
  std::string to;      ///< empty when there is nothing newer
  std::string detail;  ///< may be empty
};

/// One update of one plugin, and its rollback when the new version does not hold. Every step has a name, by which
/// IUpdateObserver sees it pass. Main thread; keeps itself alive until it has answered.
class UpdateRun final : public std::enable_shared_from_this<UpdateRun> {
 public:
  UpdateRun(UpdateContext with, std::string plugin_id);

  /// `request`: { source?, confirmedSource?, … }, or empty. With a source it is the one that is followed from here on
  /// (installs::IPackageSources::redirected), and whose version is installed whichever it is; without, the plugin's own. What was
  /// confirmed is what is installed, or nothing (`update_refused`, source_changed).
  void run(std::string request, Completion<UpdateResult> done);
  /// Goes back to the version before the last update, with the data it had then. `version`: the one it has to be;
  /// empty for whichever it is. The result's `from` is the version that runs afterwards, as after every rollback.
  void rollBack(std::string version, Completion<UpdateResult> done);
  /// Goes on with the window of an update that a restart has interrupted.
  void resume(Snapshot snapshot, Completion<UpdateResult> done);
  /// What safe mode has kept from being decided: the new version stays until resume(). Empty otherwise.
  [[nodiscard]] const std::optional<Snapshot>& undecided() const { return undecided_; }
  /// The service stops: what is not decided goes on at the next start. Answers at once.
  void stop();

 private:
  using Outcome = UpdateResult::Outcome;

  void begin(Course<UpdateResult> course, Completion<UpdateResult> done);

  Course<UpdateResult> update(std::string request);
  /// Whether it does not run, and its files are not those that were installed.
  Course<bool> isDamaged();
  /// Loads the version that is installed from files that were downloaded again.
  Course<UpdateResult> repair(plugins::PluginSwitchPtr turn);
  /// Everything between the turn and the load: on success the new version's row is the plugin's.
  Course<Snapshot> switchVersion(plugins::PluginSwitchPtr turn);
  /// Watches the version that runs, and keeps it or goes back.
  Course<UpdateResult> decide(Snapshot snapshot);
  Course<UpdateResult> goBack(Snapshot snapshot, std::string why);
  /// Everything between the turn and the load of a rollback.
  Course<void> restore(plugins::PluginSwitchPtr turn, Snapshot snapshot);
  Course<UpdateResult> rollBackByHand(std::string version);

  /// Reads the plugin's row into `base_`; `first` is the name of the step.
  Course<void> readPlugin(std::string_view first);
  /// What to install; nothing when there is nothing newer, and what is installed is not damaged.
  [[nodiscard]] Result<std::optional<installs::Candidate>> choose(
      const installs::Resolution& found, const storage::PluginRow& followed, bool damaged) const;
  [[nodiscard]] Status examineTurn(const Result<plugins::PluginSwitchPtr>& turn,
                                   const storage::PluginRow& expected) const;
  /// The snapshot of an update that is over, whatever became of it.
  void forget(const Snapshot& snapshot);

  [[nodiscard]] Error changed(std::string_view what) const;
  [[nodiscard]] std::string givenUp(const Error& error, std::string_view why) const;
  [[nodiscard]] UpdateResult result(Outcome outcome, std::string detail = {}) const;

  /// The observer is asked first, and a stop ends the wait: as every wait of a course that is not a step.
  template <class T, class Begin>
  auto step(std::string_view name, Answer<T, Begin> answer);
  /// A method of the snapshots, on a worker.
  template <class Method, class... Arguments>
  auto onSnapshots(Method method, Arguments&&... arguments);

  const UpdateContext with_;
  const std::string plugin_id_;
  std::stop_source stop_;
  bool by_hand_ = false;
  storage::PluginRow base_;
  storage::PluginRow target_;
  bool needed_configuration_ = false;
  bool failed_ = false;  ///< its last load failed: it may want files
  std::optional<Snapshot> undecided_;
};

template <class T, class Begin>
auto UpdateRun::step(std::string_view name, Answer<T, Begin> answer) {
  auto ask_observer = [this, name](Completion<void> proceed) {
    if (with_.observer == nullptr) {
      proceed({});
    } else {
      with_.observer->before(plugin_id_, name, std::move(proceed));
    }
  };
  const auto stop = stop_.get_token();
  with_.log->debug("update of plugin {}: {}", plugin_id_, name);
  return std::move(answer).until(stop).after(ask_observer).until(stop);
}

template <class Method, class... Arguments>
auto UpdateRun::onSnapshots(Method method, Arguments&&... arguments) {
  auto job = [snapshots = with_.snapshots, method,
              ... kept = std::decay_t<Arguments>(std::forward<Arguments>(arguments))]() mutable {
    return ((*snapshots).*method)(std::move(kept)...);
  };
  return onWorker(with_.threads.workers, with_.threads.main, job);
}

}  // namespace svc::updates
