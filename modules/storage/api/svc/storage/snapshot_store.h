#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"
#include "svc/storage/plugin_store.h"
#include "svc/storage/schedule_store.h"

namespace svc::storage {

/// `pending → ready | failed`, and after a `ready` one is needed: `rollback-pending → restoring → restored`.
enum class SnapshotState : std::uint8_t {
  kPending,
  kReady,
  kFailed,
  kRollbackPending,
  kRestoring,
  kRestored,
};

/// One snapshot of a plugin's state, taken before an update switches its version. Times are milliseconds since the
/// epoch.
struct SnapshotRow {
  std::string id;  ///< also the name of its directory: "<time>-<uuid>"
  std::string plugin_id;
  SnapshotState state = SnapshotState::kPending;
  /// The update it was taken for is over: nothing is left to do at the next start.
  bool settled = false;
  std::string from_version;
  std::string to_version;
  std::string detail{};  ///< why it failed, or why the update was rolled back
  std::int64_t created_at = 0;
  std::int64_t updated_at = 0;

  friend bool operator==(const SnapshotRow&, const SnapshotRow&) = default;
};

/// What the core database keeps of a plugin beside its row.
struct PluginData {
  std::map<std::string, common::RawJson> key_values;
  std::map<std::string, common::RawJson> settings;
  std::vector<ScheduleRow> schedules;
};

/// Snapshots of plugins, and the plugin data they are made of. Thread-safe. Every call blocks until the answer is
/// durable, so it is never made from the io thread or a script thread.
class ISnapshotStore {
 public:
  static constexpr ServiceId kId{"svc.storage.SnapshotStore", 1};
  virtual ~ISnapshotStore() = default;

  /// Ascending by id.
  [[nodiscard]] virtual Result<std::vector<SnapshotRow>> list() = 0;
  /// Inserts or replaces the row with this id. `invalid_argument` for an empty id or plugin.
  [[nodiscard]] virtual Status put(const SnapshotRow& row) = 0;
  /// Whether or not it is there.
  [[nodiscard]] virtual Status remove(const std::string& snapshot_id) = 0;
  /// Everything the core database keeps of the plugin, as of one moment and after every earlier write.
  [[nodiscard]] virtual Result<PluginData> capture(const std::string& plugin_id) = 0;
  /// Puts `plugin` and its data in place of what is there and stores the snapshot's row: all of it or nothing.
  [[nodiscard]] virtual Status restore(const PluginRow& plugin, const PluginData& data,
                                       const SnapshotRow& snapshot) = 0;
};

}  // namespace svc::storage
