#include "updater.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits.h"

#include "plugin_row_json.h"

namespace svc::updates {

using plugins::PluginRecord;
using storage::PluginRow;
using storage::SnapshotState;

namespace {

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
    return status;
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
        return status;
      }
    } else if (snapshot.row.state == SnapshotState::kReady) {
      interrupted_.push_back(snapshot);
    } else {
      finishRollback(snapshot, *current.value());
    }
  }
  return {};
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
  with_.log->error(
      "plugin {} is not loaded: its rollback to {} could not be finished: {}; repair that and "
      "start the server again",
      id, snapshot.row.from_version, restored.error().message);
}

void Updater::open() {
  for (auto& snapshot : std::exchange(interrupted_, {})) {
    const auto id = snapshot.row.plugin_id;
    with_.log->info("plugin {}: the update to {} was interrupted and is being watched", id,
                    snapshot.row.to_version);
    start(id, [this, &id, &snapshot](const RunPtr& run) {
      run->resume(std::move(snapshot), whenEnded(id, {}));
    });
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

void Updater::start(const std::string& plugin_id,
                    const std::function<void(const RunPtr& run)>& begin) {
  auto run = std::make_shared<UpdateRun>(with_, plugin_id);
  runs_[plugin_id] = run;
  activity_->update = true;
  begin(run);
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

Completion<UpdateResult> Updater::whenEnded(const std::string& plugin_id,
                                            Completion<UpdateResult> done) {
  return Completion<UpdateResult>([weak = weak_from_this(), plugin_id,
                                   answer = shared(std::move(done))](Result<UpdateResult> result) {
    if (const auto self = weak.lock()) {
      self->ended(plugin_id);
    }
    (*answer)(std::move(result));
  });
}

void Updater::apply(const std::string& plugin_id, Completion<UpdateResult> done) {
  if (auto status = mayBegin(plugin_id); !status) {
    done(std::move(status).error());
    return;
  }
  start(plugin_id, [this, &plugin_id, &done](const RunPtr& run) {
    run->run(whenEnded(plugin_id, std::move(done)));
  });
}

void Updater::ended(const std::string& plugin_id) {
  runs_.erase(plugin_id);
  activity_->update = !runs_.empty();
  if (!stopped_) {
    prune();
  }
}

void Updater::stop() {
  stopped_ = true;
  listening_.reset();
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
  if (gone) {
    prune();  // a removed plugin leaves no secrets behind
  }
}

void Updater::prune() {
  if (std::exchange(pruning_, true)) {
    return;
  }
  using Rows = std::vector<PluginRow>;
  with_.updates.rows([self = shared_from_this()](const Result<Rows>& rows) {
    if (!rows || self->stopped_) {
      self->pruning_ = false;
      return;
    }
    std::set<std::string> ids;
    for (const auto& row : rows.value()) {
      ids.insert(row.id);
    }
    using Kept = std::vector<Snapshot>;
    const std::function job = [snapshots = self->with_.snapshots, ids] {
      return snapshots->prune(ids);
    };
    runBlockingJob<Kept>(self->with_.threads, job, [self](const Result<Kept>& kept) {
      self->pruning_ = false;
      if (!kept) {
        self->with_.log->warn("old snapshots could not be removed: {}", kept.error().message);
        return;
      }
      std::vector<Handle> handles;
      for (const auto& snapshot : self->stopped_ ? Kept() : kept.value()) {
        handles.push_back(self->with_.sources.keep(snapshot.previous));
      }
      self->kept_ = std::move(handles);
    });
  });
}

}  // namespace svc::updates
