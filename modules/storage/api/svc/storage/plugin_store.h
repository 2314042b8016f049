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

  // Managed sources (npm, git, tarball) only; empty otherwise.
  /// The source in its parts, as JSON: what installs and update checks resolve.
  std::string source_detail;
  /// Where this version came from: "npm:pkg@1.2.3", "git:<url>@<commit>".
  std::string resolved;
  std::string resolved_tag;
  std::string integrity;  ///< of the downloaded package, as "sha512-…"
  std::string commit_sha;
  /// SHA-256 hex of each file the service loads, as a JSON object by path; compared at every activation.
  std::string digests;
  /// Earlier versions, newest first, as a JSON array of {version, resolved, at}.
  std::string history;
  /// The last update that was rolled back, as JSON {version, at, detail}; empty when there is none.
  std::string last_failure;

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
