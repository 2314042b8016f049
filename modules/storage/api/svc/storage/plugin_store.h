#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::storage {

/// One installed plugin as the core database keeps it.
struct PluginRow {
  std::string id;
  /// The source as the user gave it, for example "path:/home/me/todo".
  std::string source;
  std::string source_kind = "path";
  std::string provenance = "direct";
  std::string root_dir;
  std::string version;
  bool enabled = true;
  /// Counts successful loads; never decreases.
  std::uint64_t generation = 0;
  std::int64_t installed_at = 0;
  std::int64_t updated_at = 0;

  friend bool operator==(const PluginRow&, const PluginRow&) = default;
};

/// Rows of installed plugins. Thread-safe. Every call blocks until the answer is durable, so it is never made from
/// the io thread or a script thread.
class IPluginStore {
 public:
  static constexpr ServiceId kId{"svc.storage.PluginStore", 1};
  virtual ~IPluginStore() = default;

  /// Ascending by id.
  [[nodiscard]] virtual Result<std::vector<PluginRow>> list() = 0;
  [[nodiscard]] virtual Result<std::optional<PluginRow>> find(const std::string& plugin_id) = 0;
  /// Inserts or replaces the row with this id.
  [[nodiscard]] virtual Status put(const PluginRow& row) = 0;
  /// Removes the row and what belongs to it except key-value data. `not_found` when there is none.
  [[nodiscard]] virtual Status remove(const std::string& plugin_id) = 0;
};

}  // namespace svc::storage
