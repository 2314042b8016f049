#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "svc/storage/snapshot_store.h"

namespace svc::test {

/// Snapshot rows in a map, and one plugin's data in a value. One thread.
class FakeSnapshotStore : public storage::ISnapshotStore {
 public:
  std::map<std::string, storage::SnapshotRow> rows;
  storage::PluginData data;
  std::optional<storage::PluginRow> restored_row;
  /// Makes every write fail while it is set.
  std::optional<Error> broken;

  [[nodiscard]] Result<std::vector<storage::SnapshotRow>> list() override {
    std::vector<storage::SnapshotRow> out;
    for (const auto& [id, row] : rows) {
      out.push_back(row);
    }
    return out;
  }
  [[nodiscard]] Status put(const storage::SnapshotRow& row) override {
    if (broken) {
      return *broken;
    }
    rows.insert_or_assign(row.id, row);
    return {};
  }
  [[nodiscard]] Status remove(const std::string& snapshot_id) override {
    rows.erase(snapshot_id);
    return {};
  }
  [[nodiscard]] Result<storage::PluginData> capture(const std::string&) override { return data; }
  [[nodiscard]] Status restore(const storage::PluginRow& plugin, const storage::PluginData& kept,
                               const storage::SnapshotRow& snapshot) override {
    if (broken) {
      return *broken;
    }
    restored_row = plugin;
    data = kept;
    return put(snapshot);
  }

  [[nodiscard]] const storage::SnapshotRow& only() const { return rows.begin()->second; }
};

}  // namespace svc::test
