// Rollbacks that a user asks for: what they return to, and what comes before the steps that every rollback has.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/error_details.h"
#include "svc/common/limits/installs.h"

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
                         "was; remove it, which keeps its database, and install the version you "
                         "want",
                         days.count()));
  }
  return std::move(*found.value());
}

}  // namespace

// Of one run

Course<UpdateResult> UpdateRun::rollBackByHand(std::string version) {
  const auto self = shared_from_this();
  if (auto read = co_await readPlugin("read installed"); !read) {
    co_return std::move(read).error();
  }
  target_ = base_;
  const auto find = [snapshots = with_.snapshots, row = target_] {
    return snapshotBefore(*snapshots, row);
  };
  auto found =
      co_await step("find snapshot", onWorker(with_.threads.workers, with_.threads.main, find));
  if (!found) {
    co_return std::move(found).error();
  }
  const auto& snapshot = found.value();
  if (!version.empty() && version != snapshot.previous.version) {
    co_return Error{errc::kConflict,
                    fmt::format("plugin \"{}\" goes back to {}, not to {}; look again at what a "
                                "rollback of it does",
                                plugin_id_, snapshot.previous.version, version)};
  }
  base_ = snapshot.previous;
  by_hand_ = true;
  const auto keep_base = with_.sources.keep(base_);
  const auto keep_target = with_.sources.keep(target_);
  auto back = co_await goBack(snapshot, std::string(kByHand));
  co_return back;
}

// Of the updater

void Updater::rollBack(const std::string& plugin_id, std::string version,
                       Completion<RollbackResult> done) {
  rollBackNow(plugin_id, std::move(version)).start(std::move(done));
}

Course<RollbackResult> Updater::rollBackNow(std::string plugin_id, std::string version) {
  const auto self = shared_from_this();
  if (auto status = mayBegin(plugin_id); !status) {
    co_return std::move(status).error();
  }
  const auto run = begin(plugin_id);
  auto result = co_await ask(*run, &UpdateRun::rollBack, version);
  ended(plugin_id);
  if (!result) {
    co_return std::move(result).error();
  }
  auto record = co_await ask(with_.manager, &plugins::IPluginManager::get, plugin_id);
  if (!record) {
    co_return std::move(record).error();
  }
  // The result is that of an update: `from` is what it returns to.
  co_return RollbackResult{std::move(result.value().to), std::move(result.value().from),
                           std::move(record).value()};
}

void Updater::rollbackTarget(const std::string& plugin_id, Completion<RollbackTarget> done) {
  findTarget(plugin_id).start(std::move(done));
}

Course<RollbackTarget> Updater::findTarget(std::string plugin_id) {
  const auto self = shared_from_this();
  const auto rows = co_await ask(with_.updates, &plugins::IPluginUpdates::rows);
  if (!rows) {
    co_return rows.error();
  }
  const auto row = std::ranges::find(rows.value(), plugin_id, &PluginRow::id);
  if (row == rows.value().end()) {
    co_return Error{errc::kUnknownPlugin, fmt::format("no plugin \"{}\" is installed", plugin_id)};
  }
  const auto find = [snapshots = with_.snapshots, row = *row] {
    return snapshotBefore(*snapshots, row);
  };
  const auto found = co_await onWorker(with_.threads.workers, with_.threads.main, find);
  if (!found) {
    co_return found.error();
  }
  const auto& snapshot = found.value();
  co_return RollbackTarget{snapshot.previous.version, snapshot.previous.resolved,
                           snapshot.row.created_at,
                           snapshot.row.created_at + limits::kSnapshotKeep.count()};
}

}  // namespace svc::updates
