#include "snapshots.h"

#include <algorithm>
#include <ranges>
#include <system_error>
#include <utility>

#include <Poco/UUIDGenerator.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/common/codes.h"
#include "svc/common/limits/installs.h"

#include "database_copy.h"
#include "files.h"
#include "plugin_row_json.h"
#include "snapshot_state.h"

namespace svc::updates {
namespace {

namespace fs = std::filesystem;
using storage::SnapshotRow;
using storage::SnapshotState;

constexpr const char* kStateFile = "state.json";
/// It has all of a plugin's key-value pairs.
constexpr std::size_t kLongestState = std::size_t{1} << 32U;
constexpr const char* kDatabase = "data.db";
constexpr const char* kSecrets = "secrets";

/// Names sort by time.
std::string newId(std::int64_t now) {
  const auto time = fmt::gmtime(static_cast<std::time_t>(now / 1000));
  return fmt::format("{:%Y%m%dT%H%M%S}.{:03}Z-{}", time, now % 1000,
                     Poco::UUIDGenerator::defaultGenerator().createRandom().toString());
}

/// Versions of a branch may all have one number: `resolved` tells them apart.
std::string failureText(const Snapshot& snapshot, std::int64_t now) {
  auto failure = common::Json::object()
                     .set("version", snapshot.row.to_version)
                     .set("at", now)
                     .set("detail", snapshot.row.detail);
  if (!snapshot.target.resolved.empty()) {
    failure.set("resolved", snapshot.target.resolved);
  }
  if (snapshot.row.detail == kByHand) {
    failure.set("byHand", true);
  }
  return failure.dump();
}

/// The secrets of the snapshot in place of those that are there, which are never half there.
Status replaceSecrets(const fs::path& copy, const fs::path& secrets, const std::stop_token& stop) {
  auto next = secrets;
  next += ".restore";
  auto replaced = secrets;
  replaced += ".replaced";
  std::error_code ignored;
  if (auto status = removeTree(next); !status) {
    return status;
  }
  if (auto status = copyDirectory(copy, next, stop); !status) {
    return status;
  }
  if (auto status = removeTree(replaced); !status) {
    return status;
  }
  if (fs::exists(secrets, ignored)) {
    if (auto status = renamePath(secrets, replaced); !status) {
      return status;
    }
  }
  if (auto status = renamePath(next, secrets); !status) {
    return status;
  }
  return removeTree(replaced);
}

}  // namespace

Snapshots::Snapshots(storage::ISnapshotStore& store, const IClock& clock,
                     fs::path plugins_directory, std::stop_token stop)
    : store_(store),
      clock_(clock),
      plugins_(std::move(plugins_directory)),
      stop_(std::move(stop)) {}

fs::path Snapshots::directoryOf(const SnapshotRow& row) const {
  return plugins_ / "snapshots" / row.plugin_id / row.id;
}

Result<Snapshot> Snapshots::enter(Snapshot snapshot, SnapshotState state) {
  snapshot.row.state = state;
  snapshot.row.updated_at = clock_.nowMs();
  if (auto status = store_.put(snapshot.row); !status) {
    return std::move(status).error();
  }
  return snapshot;
}

Result<Snapshot> Snapshots::begin(const storage::PluginRow& previous,
                                  const storage::PluginRow& target) {
  Snapshot snapshot{{}, previous, target};
  const auto now = clock_.nowMs();
  snapshot.row = {.id = newId(now),
                  .plugin_id = previous.id,
                  .from_version = previous.version,
                  .to_version = target.version,
                  .created_at = now};
  return enter(std::move(snapshot), SnapshotState::kPending);
}

Result<Snapshot> Snapshots::take(Snapshot snapshot) {
  if (auto status = copyState(snapshot); !status) {
    if (auto failed = fail(std::move(snapshot), status.error()); !failed) {
      return std::move(failed).error();
    }
    return std::move(status).error();
  }
  return enter(std::move(snapshot), SnapshotState::kReady);
}

Status Snapshots::copyState(const Snapshot& snapshot) {
  const auto directory = directoryOf(snapshot.row);
  const auto source = plugins_ / snapshot.row.plugin_id;
  if (auto status = base::makePrivateDirectory(directory); !status) {
    return status;
  }
  for (const auto& parent : {directory.parent_path(), directory.parent_path().parent_path()}) {
    if (auto status = base::makePrivateDirectory(parent); !status) {
      return status;
    }
  }
  const auto copied = copyDatabase(source / kDatabase, directory / kDatabase, stop_);
  if (!copied) {
    return copied.error();
  }
  if (auto status = copyDirectory(source / kSecrets, directory / kSecrets, stop_); !status) {
    return status;
  }
  const auto data = store_.capture(snapshot.row.plugin_id);
  if (!data) {
    return data.error();
  }
  return base::replaceFile(directory / kStateFile, stateText(snapshot, data.value()));
}

Status Snapshots::fail(Snapshot snapshot, const Error& why) {
  snapshot.row.detail = why.message;
  snapshot.row.settled = true;
  const auto stored = enter(std::move(snapshot), SnapshotState::kFailed);
  if (!stored) {
    return stored.error();
  }
  return removeTree(directoryOf(stored.value().row));
}

Status Snapshots::settle(const Snapshot& snapshot) {
  auto row = snapshot.row;
  row.settled = true;
  row.updated_at = clock_.nowMs();
  return store_.put(row);
}

Result<Snapshot> Snapshots::decideRollback(Snapshot snapshot, const std::string& why) {
  snapshot.row.detail = why;
  snapshot.row.settled = false;
  return enter(std::move(snapshot), SnapshotState::kRollbackPending);
}

Result<Snapshot> Snapshots::restoreFiles(Snapshot snapshot) {
  auto entered = enter(std::move(snapshot), SnapshotState::kRestoring);
  if (!entered) {
    return entered;
  }
  const auto directory = directoryOf(entered.value().row);
  const auto target = plugins_ / entered.value().row.plugin_id;
  std::error_code ignored;
  if (!fs::exists(directory / kStateFile, ignored)) {
    return Error{errc::kUnavailable, fmt::format("the snapshot {} is gone", directory.string())};
  }
  if (auto status = base::makePrivateDirectory(target); !status) {
    return std::move(status).error();
  }
  if (auto status = replaceDatabase(directory / kDatabase, target / kDatabase, stop_); !status) {
    return std::move(status).error();
  }
  if (auto status = replaceSecrets(directory / kSecrets, target / kSecrets, stop_); !status) {
    return std::move(status).error();
  }
  return entered;
}

Result<storage::PluginRow> Snapshots::restoreRows(const Snapshot& snapshot,
                                                  const storage::PluginRow& current) {
  const auto text = base::readFile(directoryOf(snapshot.row) / kStateFile, kLongestState);
  if (!text) {
    return text.error();
  }
  auto kept = snapshot;
  storage::PluginData data;
  if (auto status = readState(text.value(), kept, data); !status) {
    return std::move(status).error();
  }
  const auto now = clock_.nowMs();
  auto row = kept.previous;
  row.generation = std::max(current.generation, row.generation);
  row.enabled = current.enabled;
  row.updated_at = now;
  row.last_failure = failureText(kept, now);
  kept.row.state = SnapshotState::kRestored;
  kept.row.settled = true;
  kept.row.updated_at = now;
  if (auto status = store_.restore(row, data, kept.row); !status) {
    return std::move(status).error();
  }
  return row;
}

Result<Snapshot> Snapshots::read(SnapshotRow row) const {
  const auto text = base::readFile(directoryOf(row) / kStateFile, kLongestState);
  if (!text) {
    return text.error();
  }
  Snapshot snapshot{std::move(row), {}, {}};
  storage::PluginData data;
  if (auto status = readState(text.value(), snapshot, data); !status) {
    return std::move(status).error();
  }
  return snapshot;
}

Result<std::vector<Snapshot>> Snapshots::unsettled() {
  auto rows = store_.list();
  if (!rows) {
    return std::move(rows).error();
  }
  std::vector<Snapshot> out;
  for (auto& row : rows.value()) {
    if (row.settled) {
      continue;
    }
    if (row.state == SnapshotState::kPending) {
      // Nothing was switched yet, and what is there may be half a copy.
      if (auto status = fail({row, {}, {}}, {errc::kAborted, "the service stopped meanwhile"});
          !status) {
        return std::move(status).error();
      }
      continue;
    }
    auto snapshot = read(row);
    if (!snapshot) {
      // Without its state nothing can be undone any more.
      if (auto status = fail({row, {}, {}}, snapshot.error()); !status) {
        return std::move(status).error();
      }
      continue;
    }
    out.push_back(std::move(snapshot).value());
  }
  return out;
}

Result<std::optional<Snapshot>> Snapshots::before(const storage::PluginRow& current) {
  auto rows = store_.list();
  if (!rows) {
    return std::move(rows).error();
  }
  for (const auto& row : rows.value() | std::views::reverse) {
    const bool complete = row.state == SnapshotState::kReady ||
                          row.state == SnapshotState::kRollbackPending ||
                          row.state == SnapshotState::kRestoring;
    if (row.plugin_id != current.id || !complete) {
      continue;
    }
    auto snapshot = read(row);
    if (!snapshot || !sameVersion(snapshot.value().target, current)) {
      continue;
    }
    std::error_code ignored;
    if (!fs::exists(snapshot.value().previous.root_dir, ignored)) {
      return Error{errc::kNotFound,
                   fmt::format("the files of version {} are gone: {} is missing", row.from_version,
                               snapshot.value().previous.root_dir)};
    }
    return std::optional(std::move(snapshot).value());
  }
  return std::optional<Snapshot>();
}

Status Snapshots::drop(const SnapshotRow& row) {
  // The directory first: a row without one is dropped again, a directory without a row is not found.
  if (auto status = removeTree(directoryOf(row)); !status) {
    return status;
  }
  return store_.remove(row.id);
}

Result<std::vector<Snapshot>> Snapshots::prune(const std::set<std::string>& installed) {
  auto rows = store_.list();
  if (!rows) {
    return std::move(rows).error();
  }
  const auto oldest = clock_.nowMs() - limits::kSnapshotKeep.count();
  std::vector<Snapshot> kept;
  for (const auto& row : rows.value()) {
    const bool over = row.settled && row.created_at < oldest;
    if (over || !installed.contains(row.plugin_id)) {
      if (auto status = drop(row); !status) {
        return std::move(status).error();
      }
      continue;
    }
    if (auto snapshot = read(row)) {
      kept.push_back(std::move(snapshot).value());
    }
  }
  return kept;
}

Status Snapshots::removeStrays() {
  const auto rows = store_.list();
  if (!rows) {
    return rows.error();
  }
  std::set<fs::path> known;
  for (const auto& row : rows.value()) {
    known.insert(directoryOf(row));
  }
  std::error_code failure;
  for (fs::directory_iterator plugin(plugins_ / "snapshots", failure), end;
       !failure && plugin != end; plugin.increment(failure)) {
    bool empty = true;
    for (fs::directory_iterator entry(plugin->path(), failure); !failure && entry != end;
         entry.increment(failure)) {
      if (known.contains(entry->path())) {
        empty = false;
      } else if (auto status = removeTree(entry->path()); !status) {
        return status;
      }
    }
    if (empty && !failure) {
      fs::remove(plugin->path(), failure);
    }
  }
  return {};
}

}  // namespace svc::updates
