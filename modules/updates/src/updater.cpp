#include "updater.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/installs.h"

#include "plugin_row_json.h"

namespace svc::updates {

using plugins::PluginRecord;
using storage::PluginRow;
using storage::SnapshotState;

namespace {

/// How often it is asked whether a backup has ended, by what waits for that.
constexpr std::chrono::seconds kBackupPoll{1};

/// Nobody gives up an update by disabling a plugin whose rollback is under way: its data may be half the old one.
bool isStillOf(const PluginRow& current, const Snapshot& snapshot) {
  return snapshot.row.state == SnapshotState::kReady ? sameInstallation(current, snapshot.target)
                                                     : sameVersion(current, snapshot.target);
}

}  // namespace

Updater::Updater(UpdateContext with, std::shared_ptr<Activity> activity)
    : with_(std::move(with)), activity_(std::move(activity)) {}

Status Updater::recover(storage::IPluginStore& plugins) {
  if (auto status = with_.snapshots->removeStrays(); !status) {
    with_.log->warn("files of updates that never began stay until the next start: {}",
                    status.error().message);
  }
  auto unsettled = with_.snapshots->unsettled();
  if (!unsettled) {
    return std::move(unsettled).error();
  }
  for (const auto& snapshot : unsettled.value()) {
    const auto current = plugins.find(snapshot.row.plugin_id);
    if (!current) {
      return current.error();
    }
    if (!current.value() || !isStillOf(*current.value(), snapshot)) {
      // It was never switched, or has been changed since.
      if (auto status = with_.snapshots->settle(snapshot); !status) {
        with_.log->warn("plugin {}: the end of its update cannot be stored: {}; it is tried again",
                        snapshot.row.plugin_id, status.error().message);
        to_settle_.push_back(snapshot);
      }
    } else if (snapshot.row.state == SnapshotState::kReady) {
      interrupted_.push_back(snapshot);
    } else {
      finishRollback(snapshot, *current.value());
    }
  }
  tellUnfinished();
  return {};
}

void Updater::tellUnfinished() const {
  auto parts = held_;
  for (const auto& snapshot : to_settle_) {
    parts.push_back(fmt::format(
        "plugin {}: the end of its update cannot be stored until the data directory can be written",
        snapshot.row.plugin_id));
  }
  with_.tell(fmt::format("{}", fmt::join(parts, "; ")));
}

void Updater::finishRollback(const Snapshot& snapshot, const PluginRow& current) {
  const auto& id = snapshot.row.plugin_id;
  auto restored = [&]() -> Result<PluginRow> {
    auto files = with_.snapshots->restoreFiles(snapshot);
    if (!files) {
      return std::move(files).error();
    }
    return with_.snapshots->restoreRows(files.value(), current);
  }();
  if (restored) {
    with_.updates.adopt(restored.value());
    with_.log->warn("plugin {}: the interrupted rollback from {} to {} is finished", id,
                    snapshot.row.to_version, snapshot.row.from_version);
    return;
  }
  // New code must not run on data that is half the old one.
  auto held = current;
  held.enabled = false;
  with_.updates.adopt(held);
  held_.push_back(fmt::format(
      "plugin {} is not loaded: its rollback to {} could not be finished: {}; repair that and "
      "start the server again",
      id, snapshot.row.from_version, restored.error().message));
  with_.log->error("{}", held_.back());
}

void Updater::open() {
  for (auto& snapshot : std::exchange(interrupted_, {})) {
    with_.log->info("plugin {}: the update to {} was interrupted and is being watched",
                    snapshot.row.plugin_id, snapshot.row.to_version);
    resume(std::move(snapshot)).start({});
  }
  listening_ =
      with_.manager.onChanged([weak = weak_from_this()](const std::vector<PluginRecord>& records) {
        if (const auto self = weak.lock()) {
          self->listed(records);
        }
      });
  prune();
  armPrune();
}

std::shared_ptr<UpdateRun> Updater::begin(const std::string& plugin_id) {
  auto run = std::make_shared<UpdateRun>(with_, plugin_id);
  held_up_.erase(plugin_id);  // what is asked for now decides
  runs_[plugin_id] = run;
  activity_->update = true;
  return run;
}

Status Updater::mayBegin(const std::string& plugin_id) const {
  if (stopped_) {
    return Error{errc::kUnavailable, "the server is shutting down"};
  }
  if (activity_->backup) {
    return Error{errc::kConflict, "a backup or restore is running; try again when it has ended"};
  }
  if (runs_.contains(plugin_id)) {
    return Error{errc::kConflict,
                 fmt::format("plugin \"{}\" is being updated or rolled back already; wait for that",
                             plugin_id)};
  }
  return {};
}

void Updater::apply(const std::string& plugin_id, const std::string& request,
                    Completion<UpdateResult> done) {
  applyNow(plugin_id, request).start(std::move(done));
}

Course<UpdateResult> Updater::applyNow(std::string plugin_id, std::string request) {
  const auto self = shared_from_this();
  if (auto status = mayBegin(plugin_id); !status) {
    co_return std::move(status).error();
  }
  const auto run = begin(plugin_id);
  auto result = co_await ask(*run, &UpdateRun::run, std::move(request));
  ended(plugin_id);
  co_return result;
}

Course<void> Updater::resume(Snapshot snapshot) {
  const auto self = shared_from_this();
  const auto plugin_id = snapshot.row.plugin_id;
  const auto run = begin(plugin_id);
  std::ignore = co_await ask(*run, &UpdateRun::resume, snapshot);
  ended(plugin_id);
  if (!stopped_) {
    with_.resumed(plugin_id);
  }
  co_return {};
}

void Updater::goOn(const std::vector<PluginRecord>& records) {
  for (const auto& record : records) {
    const auto found = held_up_.find(record.id);
    const bool is_held = record.enabled && record.status == plugins::PluginStatus::kDisabled;
    if (found == held_up_.end() || is_held) {
      continue;
    }
    if (activity_->backup) {
      again_ = with_.threads.main.after(kBackupPoll, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
          self->with_.manager.list([weak](const Result<std::vector<PluginRecord>>& now) {
            if (const auto still = weak.lock(); still && now) {
              still->goOn(now.value());
            }
          });
        }
      });
      return;
    }
    resume(held_up_.extract(found).mapped()).start({});
  }
}

void Updater::ended(const std::string& plugin_id) {
  const auto run = runs_.extract(plugin_id);
  if (!run.empty() && run.mapped()->undecided()) {
    held_up_.insert_or_assign(plugin_id, *run.mapped()->undecided());
  }
  activity_->update = !runs_.empty();
  if (!stopped_) {
    prune();
  }
}

void Updater::stop() {
  stopped_ = true;
  listening_.reset();
  again_.reset();
  held_up_.clear();
  prune_timer_.reset();
  for (const auto& [id, run] : std::exchange(runs_, {})) {
    run->stop();
  }
  kept_.clear();
}

// Snapshots that are over

void Updater::armPrune() {
  prune_timer_ = with_.threads.main.after(limits::kUpdateCheck, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->armPrune();
      self->prune();
    }
  });
}

void Updater::listed(const std::vector<PluginRecord>& records) {
  std::set<std::string> ids;
  for (const auto& record : records) {
    ids.insert(record.id);
  }
  const bool gone = !std::ranges::includes(ids, installed_);
  installed_ = std::move(ids);
  std::erase_if(held_up_, [&](const auto& each) { return !installed_.contains(each.first); });
  goOn(records);
  if (gone) {
    prune();  // a removed plugin leaves no secrets behind
  }
}

void Updater::prune() { pruneNow().start({}); }

Course<void> Updater::pruneNow() {
  const auto self = shared_from_this();
  if (std::exchange(pruning_, true)) {
    co_return {};
  }
  const auto rows = co_await ask(with_.updates, &plugins::IPluginUpdates::rows);
  if (!rows || stopped_) {
    pruning_ = false;
    co_return {};
  }
  std::set<std::string> ids;
  for (const auto& row : rows.value()) {
    ids.insert(row.id);
  }
  const auto job = [snapshots = with_.snapshots, ids = std::move(ids),
                    ended = to_settle_]() -> Result<std::vector<Snapshot>> {
    for (const auto& snapshot : ended) {
      if (auto status = snapshots->settle(snapshot); !status) {
        return std::move(status).error();
      }
    }
    return snapshots->prune(ids);
  };
  const auto kept = co_await onWorker(with_.threads.workers, with_.threads.main, job);
  pruning_ = false;
  if (!kept) {
    with_.log->warn("old snapshots could not be removed: {}", kept.error().message);
    co_return {};
  }
  if (!std::exchange(to_settle_, {}).empty()) {
    tellUnfinished();
  }
  std::vector<Handle> handles;
  if (!stopped_) {
    for (const auto& snapshot : kept.value()) {
      handles.push_back(with_.sources.keep(snapshot.previous));
    }
  }
  kept_ = std::move(handles);
  co_return {};
}

}  // namespace svc::updates
