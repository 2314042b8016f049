#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "svc/kernel/executor.h"
#include "svc/kernel/result.h"
#include "svc/storage/snapshot_store.h"

namespace svc::updates {

/// A snapshot with the two rows of the plugin it stands between.
struct Snapshot {
  storage::SnapshotRow row;
  storage::PluginRow previous;
  storage::PluginRow target;
};

/// Snapshots of plugins: files below plugins/snapshots/<id>/<snapshot>/, states in the core database. Every function
/// blocks and leaves what it did durable, so that the next start can go on from any state. Thread-safe as far as no
/// plugin is worked on twice at once.
class Snapshots {
 public:
  Snapshots(storage::ISnapshotStore& store, const IClock& clock,
            std::filesystem::path plugins_directory);

  /// Begins one: `pending`.
  [[nodiscard]] Result<Snapshot> begin(const storage::PluginRow& previous,
                                       const storage::PluginRow& target);
  /// Copies everything of a plugin that is not loaded: `ready`; on failure `failed`, and nothing is kept.
  [[nodiscard]] Result<Snapshot> take(Snapshot snapshot);
  /// The update is decided; nothing is left to do at the next start.
  [[nodiscard]] Status settle(const Snapshot& snapshot);

  // A rollback in its steps; each may be repeated.
  [[nodiscard]] Result<Snapshot> decideRollback(Snapshot snapshot, const std::string& why);
  /// `restoring`, then the files. The plugin is not loaded.
  [[nodiscard]] Result<Snapshot> restoreFiles(Snapshot snapshot);
  /// What the core database keeps, the plugin's row and `restored`, in one step. The row that counts now: the previous
  /// one with `generation` and the failure.
  [[nodiscard]] Result<storage::PluginRow> restoreRows(const Snapshot& snapshot,
                                                       std::uint64_t generation);

  /// Those that are not settled, as the last run of the service has left them.
  [[nodiscard]] Result<std::vector<Snapshot>> unsettled();
  /// Removes directories that no row names. Only while no snapshot is being taken.
  [[nodiscard]] Status removeStrays();
  /// Removes what is older than lim.snapshotKeep or belongs to no plugin any more; returns what is left.
  [[nodiscard]] Result<std::vector<Snapshot>> prune(const std::set<std::string>& installed);

 private:
  [[nodiscard]] std::filesystem::path directoryOf(const storage::SnapshotRow& row) const;
  [[nodiscard]] Result<Snapshot> enter(Snapshot snapshot, storage::SnapshotState state);
  [[nodiscard]] Status copyState(const Snapshot& snapshot);
  [[nodiscard]] Status fail(Snapshot snapshot, const Error& why);
  [[nodiscard]] Result<Snapshot> read(storage::SnapshotRow row) const;
  [[nodiscard]] Status drop(const storage::SnapshotRow& row);

  storage::ISnapshotStore& store_;
  const IClock& clock_;
  const std::filesystem::path plugins_;
};

}  // namespace svc::updates
