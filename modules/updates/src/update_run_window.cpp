#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits.h"

#include "update_run.h"

namespace svc::updates {

using plugins::PluginRecord;
using plugins::PluginStatus;
using storage::PluginRow;

// The window

void UpdateRun::stabilise(Completion<void> done) {
  window_over_ = std::move(done);
  watch();
}

void UpdateRun::watch() {
  const auto weak = weak_from_this();
  watch_ = with_.manager.onChanged([weak](const std::vector<PluginRecord>& records) {
    if (const auto self = weak.lock()) {
      self->examine(records);
    }
  });
  with_.manager.list([weak](const Result<std::vector<PluginRecord>>& records) {
    if (const auto self = weak.lock(); self && records) {
      self->examine(records.value());
    }
  });
}

void UpdateRun::examine(const std::vector<PluginRecord>& records) {
  if (!window_over_.pending()) {
    return;
  }
  const auto record = std::ranges::find(records, plugin_id_, &PluginRecord::id);
  if (record == records.end()) {
    endWindow(changed("it was removed"));
    return;
  }
  if (record->enabled != target_.enabled || record->root_dir != target_.root_dir) {
    endWindow(changed(fmt::format("{} stays as it is now", record->version)));
    return;
  }
  if (record->status == PluginStatus::kStarting) {
    return;  // a load is under way; the window counts from its end
  }
  if (record->status == PluginStatus::kDisabled) {
    endWindow({});  // nothing of it runs that could fail
    return;
  }
  rollback_reason_ = verdict(*record);
  if (!rollback_reason_.empty()) {
    endWindow({});
    return;
  }
  if (!window_) {
    window_ = with_.threads.main.after(limits::kStabilise, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->endWindow({});
      }
    });
  }
}

std::string UpdateRun::verdict(const PluginRecord& record) const {
  const auto because = [&](std::string_view what) {
    return record.status_detail.empty() ? fmt::format("{} {}", target_.version, what)
                                        : record.status_detail;
  };
  switch (record.status) {
    case PluginStatus::kError:
    case PluginStatus::kIncompatible:
    case PluginStatus::kMissing:
    case PluginStatus::kDegraded:
      return because(fmt::format("has the status {}", statusName(record.status)));
    case PluginStatus::kNeedsConfiguration:
      return needed_configuration_ ? std::string() : because("needs configuration");
    default:
      break;
  }
  for (const auto& service : record.services) {
    if (service.state == plugins::ServiceState::kBackoff || service.restarts > 0) {
      return fmt::format("service \"{}\" failed: {}", service.name,
                         service.last_error ? service.last_error->message : "it was restarted");
    }
  }
  return {};
}

void UpdateRun::endWindow(Status status) {
  watch_.reset();
  window_.reset();
  // On its own turn: the listener that saw the change is still running.
  with_.threads.main.post(
      [over = shared(std::move(window_over_)), status = std::move(status)] { (*over)(status); });
}

void UpdateRun::settle(Completion<void> done) {
  const std::function job = [snapshots = with_.snapshots, snapshot = snapshot_] {
    return snapshots->settle(snapshot);
  };
  runBlockingJob<void>(with_.threads, job, std::move(done));
}

// Steps of a rollback

void UpdateRun::decideRollback(Completion<void> done) {
  with_.log->warn("plugin {} goes back from {} to {}: {}", plugin_id_, target_.version,
                  base_.version, rollback_reason_);
  snapshotJob<Snapshot>(
      [snapshots = with_.snapshots, snapshot = snapshot_, why = rollback_reason_] {
        return snapshots->decideRollback(snapshot, why);
      },
      [this](Snapshot snapshot) { snapshot_ = std::move(snapshot); }, std::move(done));
}

void UpdateRun::takeTurnBack(Completion<void> done) { turn(target_, std::move(done)); }

void UpdateRun::restoreFiles(Completion<void> done) {
  snapshotJob<Snapshot>([snapshots = with_.snapshots,
                         snapshot = snapshot_] { return snapshots->restoreFiles(snapshot); },
                        [this](Snapshot snapshot) { snapshot_ = std::move(snapshot); },
                        std::move(done));
}

void UpdateRun::restoreRows(Completion<void> done) {
  snapshotJob<PluginRow>(
      [snapshots = with_.snapshots, snapshot = snapshot_, current = switch_->row()] {
        return snapshots->restoreRows(snapshot, current);
      },
      [this](PluginRow row) { switch_->adopt(std::move(row)); }, std::move(done));
}

void UpdateRun::loadPrevious(Completion<void> done) { load(std::move(done)); }

}  // namespace svc::updates
