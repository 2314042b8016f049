#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
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

/// Why a rollback that a user asks for happens; the others say what failed.
inline constexpr std::string_view kByHand = "rolled back by hand";

/// Snapshots of plugins: files below plugins/snapshots/<id>/<snapshot>/, states in the core database. Every function
/// blocks and leaves what it did durable, so that the next start can go on from any state. Thread-safe as far as no
/// plugin is worked on twice at once. A stop ends the copies: nothing is kept of a snapshot that was being taken, and a
/// rollback goes on at the next start.
class Snapshots {
 public:
  Snapshots(storage::ISnapshotStore& store, const IClock& clock,
            std::filesystem::path plugins_directory, std::stop_token stop = {});

  /// Begins one: `pending`.
  [[nodiscard]] Result<Snapshot> begin(const storage::PluginRow& previous,
                                       const storage::PluginRow& target);
  /// Copies everything of a plugin that is not loaded: `ready`; on failure `failed`, and nothing is kept.
  [[nodiscard]] Result<Snapshot> take(Snapshot snapshot);
  /// The update is decided; nothing is left to do at the next start.
  [[nodiscard]] Status settle(const Snapshot& snapshot);

  /// What a rollback of `current` returns to: the newest snapshot whose update has made the plugin what it is, also
  /// when a rollback to it has been begun and could not be finished. `not_found` when the files of that version are
  /// gone.
  [[nodiscard]] Result<std::optional<Snapshot>> before(const storage::PluginRow& current);

  // A rollback in its steps; each may be repeated.
  /// A snapshot that was settled is not any more: from here the next start finishes what a stop interrupts.
  [[nodiscard]] Result<Snapshot> decideRollback(Snapshot snapshot, const std::string& why);
  /// `restoring`, then the files. The plugin is not loaded.
  [[nodiscard]] Result<Snapshot> restoreFiles(Snapshot snapshot);
  /// What the core database keeps, the plugin's row and `restored`, in one step. The row that counts now: the previous
  /// one with the failure, and with generation and `enabled` of the `current` one.
  [[nodiscard]] Result<storage::PluginRow> restoreRows(const Snapshot& snapshot,
                                                       const storage::PluginRow& current);

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
  const std::stop_token stop_;
};

}  // namespace svc::updates
