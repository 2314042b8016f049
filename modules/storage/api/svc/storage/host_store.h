#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::storage {

/// In place of a protocol version that was refused: none was.
inline constexpr std::int64_t kNoProtocol = -1;

/// One enrolled machine. Times are milliseconds since the epoch; 0 = not yet.
struct HostRow {
  std::string id;
  std::string name;
  std::string type;        ///< "persistent" or "ephemeral"
  bool is_server = false;  ///< the server's own machine
  std::int64_t last_seen_at = 0;
  std::int64_t last_rejected_protocol = kNoProtocol;
  std::int64_t created_at = 0;
  std::int64_t updated_at = 0;

  friend bool operator==(const HostRow&, const HostRow&) = default;
};

/// What a key opens: sessions of a host, one enrollment, or, of a host that was removed, nothing.
enum class HostKeyKind : std::uint8_t { kHost, kJoin, kLocal, kRemoved };

/// One key, known by its hash only. Times are milliseconds since the epoch.
struct HostKeyRow {
  std::string hash;  ///< SHA-256, hex
  std::string host_id;
  HostKeyKind kind = HostKeyKind::kHost;
  std::string host_name{};  ///< name the enrolled host gets; empty = what its daemon says
  std::int64_t created_at = 0;
  std::int64_t expires_at = 0;  ///< 0 = never
  std::int64_t used_at = 0;     ///< of the first use; 0 = not yet. Of kRemoved: when that was

  friend bool operator==(const HostKeyRow&, const HostKeyRow&) = default;
};

/// Rows that change together.
struct HostChange {
  std::vector<HostRow> hosts{};           ///< inserted or replaced
  std::vector<HostKeyRow> keys{};         ///< inserted or replaced
  std::vector<std::string> gone_hosts{};  ///< ids; their keys go, too
  std::vector<std::string> gone_keys{};   ///< hashes
};

/// Machines and their keys. Thread-safe. Every call blocks until the answer is durable, so it is never made from the io
/// thread or a script thread.
class IHostStore {
 public:
  static constexpr ServiceId kId{"svc.storage.HostStore", 1};
  virtual ~IHostStore() = default;

  /// Ascending by id.
  [[nodiscard]] virtual Result<std::vector<HostRow>> hosts() = 0;
  /// Ascending by hash.
  [[nodiscard]] virtual Result<std::vector<HostKeyRow>> keys() = 0;
  /// All of it or nothing; removals come first. What is already gone is no error. `invalid_argument` for an empty id or
  /// hash.
  [[nodiscard]] virtual Status apply(const HostChange& change) = 0;
};

/// What every implementation answers to a row without its key; success when there is none.
[[nodiscard]] inline Status checkHostChange(const HostChange& change) {
  for (const auto& host : change.hosts) {
    if (host.id.empty()) {
      return Error{errc::kInvalidArgument, "a host needs an id"};
    }
  }
  for (const auto& key : change.keys) {
    if (key.hash.empty() || key.host_id.empty()) {
      return Error{errc::kInvalidArgument, "a host key needs a hash and the id of its host"};
    }
  }
  return {};
}

}  // namespace svc::storage
