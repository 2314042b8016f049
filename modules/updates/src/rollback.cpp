// Rollbacks that a user asks for: what they return to, and what comes before the steps that every rollback has.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/error_details.h"
#include "svc/common/limits.h"

#include "plugin_row_json.h"
#include "update_run.h"
#include "updater.h"

namespace svc::updates {
namespace {

using storage::PluginRow;

Error nothingBefore(const PluginRow& row, const std::string& why) {
  return common::withDetail(
      {errc::kNotFound,
       fmt::format("there is no earlier version of plugin \"{}\" to go back to: {}", row.id, why),
       ""},
      "reason", "no_snapshot");
}

/// The snapshot to go back to, or why there is none. Blocks.
Result<Snapshot> snapshotBefore(Snapshots& snapshots, const PluginRow& row) {
  if (row.source_kind == "builtin") {
    return nothingBefore(row, "it comes with the service");
  }
  if (!isManaged(row)) {
    return nothingBefore(row, fmt::format("it is used in place from {}; change its files and use "
                                          "`svc plugin reload {}`",
                                          row.root_dir, row.id));
  }
  auto found = snapshots.before(row);
  if (!found) {
    const bool gone = found.error().code == errc::kNotFound;
    return gone ? nothingBefore(row, found.error().message) : std::move(found).error();
  }
  if (!found.value()) {
    const auto days = std::chrono::duration_cast<std::chrono::hours>(limits::kSnapshotKeep) / 24;
    return nothingBefore(
        row, fmt::format("its last update is undone already, is more than {} days ago or never "
                         "was; remove it, which keeps what it stored, and install the version you "
                         "want",
                         days.count()));
  }
  return std::move(*found.value());
}

}  // namespace

// Of one run

std::span<const UpdateRun::Step> UpdateRun::byHandSteps() {
  static constexpr std::array<Step, 2> kSteps{{
      {"read installed", &UpdateRun::readInstalled},
      {"find snapshot", &UpdateRun::findSnapshot},
  }};
  return kSteps;
}

void UpdateRun::rollBack(std::string version, Completion<UpdateResult> done) {
  done_ = std::move(done);
  wanted_version_ = std::move(version);
  next(byHandSteps(), 0);
}

void UpdateRun::readInstalled(Completion<void> done) {
  readPlugin([self = shared_from_this(), answer = shared(std::move(done))](const Status& status) {
    self->target_ = self->base_;
    (*answer)(status);
  });
}

void UpdateRun::findSnapshot(Completion<void> done) {
  runBlockingJob<Snapshot>(
      with_.threads,
      [snapshots = with_.snapshots, row = target_] { return snapshotBefore(*snapshots, row); },
      [self = shared_from_this(), answer = shared(std::move(done))](Result<Snapshot> found) {
        if (self->ended_) {
          return;
        }
        if (!found) {
          (*answer)(std::move(found).error());
          return;
        }
        (*answer)(self->goBackTo(std::move(found).value()));
      });
}

Status UpdateRun::goBackTo(Snapshot snapshot) {
  const auto& version = snapshot.previous.version;
  if (!wanted_version_.empty() && wanted_version_ != version) {
    return Error{errc::kConflict,
                 fmt::format("plugin \"{}\" goes back to {}, not to {}; look again at what a "
                             "rollback of it does",
                             plugin_id_, version, wanted_version_)};
  }
  base_ = snapshot.previous;
  keep_base_ = with_.sources.keep(base_);
  keep_target_ = with_.sources.keep(target_);
  snapshot_ = std::move(snapshot);
  has_snapshot_ = true;
  switched_ = true;
  // From here the steps are those of every rollback.
  rollback_reason_ = kByHand;
  return {};
}

// Of the updater

void Updater::rollBack(const std::string& plugin_id, std::string version,
                       Completion<RollbackResult> done) {
  if (auto status = mayBegin(plugin_id); !status) {
    done(std::move(status).error());
    return;
  }
  auto answer = shared(std::move(done));
  Completion<UpdateResult> ended(
      [&manager = with_.manager, plugin_id, answer](const Result<UpdateResult>& result) {
        if (!result) {
          (*answer)(result.error());
          return;
        }
        // The result is that of an update: `from` is what it returns to.
        manager.get(plugin_id, [answer, from = result.value().to,
                                to = result.value().from](Result<plugins::PluginRecord> record) {
          if (!record) {
            (*answer)(std::move(record).error());
            return;
          }
          (*answer)(RollbackResult{from, to, std::move(record).value()});
        });
      });
  start(plugin_id, [&](const RunPtr& run) {
    run->rollBack(std::move(version), whenEnded(plugin_id, std::move(ended)));
  });
}

void Updater::rollbackTarget(const std::string& plugin_id, Completion<RollbackTarget> done) {
  using Rows = std::vector<PluginRow>;
  with_.updates.rows([self = shared_from_this(), plugin_id,
                      answer = shared(std::move(done))](const Result<Rows>& rows) {
    if (!rows) {
      (*answer)(rows.error());
      return;
    }
    const auto row = std::ranges::find(rows.value(), plugin_id, &PluginRow::id);
    if (row == rows.value().end()) {
      (*answer)(
          Error{errc::kUnknownPlugin, fmt::format("no plugin \"{}\" is installed", plugin_id)});
      return;
    }
    runBlockingJob<Snapshot>(
        self->with_.threads,
        [snapshots = self->with_.snapshots, row = *row] { return snapshotBefore(*snapshots, row); },
        [answer](const Result<Snapshot>& found) {
          if (!found) {
            (*answer)(found.error());
            return;
          }
          const auto& snapshot = found.value();
          (*answer)(RollbackTarget{snapshot.previous.version, snapshot.previous.resolved,
                                   snapshot.row.created_at,
                                   snapshot.row.created_at + limits::kSnapshotKeep.count()});
        });
  });
}

}  // namespace svc::updates
