// Daemons of another protocol, and their way to the server's.
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/hostprotocol/protocol.h"

#include "registry.h"

namespace svc::machines {

using common::Json;

bool Registry::rejectedProtocol(const std::string& host_id, int protocol_version,
                                std::string_view platform) {
  const bool offered =
      protocol_version < hostprotocol::kProtocolVersion && has_daemon_for_(platform);
  bool stored_differs = false;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = hosts_.find(host_id);
    if (found == hosts_.end()) {
      return false;
    }
    auto& entry = found->second;
    stored_differs = entry.row.last_rejected_protocol != protocol_version;
    const bool shown_differs = stored_differs || entry.update.offered != offered;
    entry.update.offered = offered;
    entry.update.platform = platform;
    if (!shown_differs) {
      return offered;
    }
    if (stored_differs) {
      entry.row.last_rejected_protocol = protocol_version;
      entry.row.updated_at = clock_.nowMs();
      dirty_hosts_.insert(host_id);
    }
  }
  if (stored_differs) {
    flushLater();
  }
  announce_(host_id, "host-updated");
  return offered;
}

std::int64_t Registry::reportUpdate(const std::string& host_id, const std::string& failure) {
  std::int64_t retry_requested_at = 0;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = hosts_.find(host_id);
    if (found == hosts_.end()) {
      return 0;
    }
    auto& update = found->second.update;
    retry_requested_at = update.retry_requested_at;
    if (std::exchange(update.failure, failure) == failure) {
      return retry_requested_at;
    }
  }
  if (!failure.empty()) {
    log_->warn("host {}: its daemon could not update itself: {}", host_id, failure);
  }
  announce_(host_id, "host-updated");
  return retry_requested_at;
}

Result<Json> Registry::retryUpdate(const std::string& host_id) {
  Json record;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = hosts_.find(host_id);
    if (found == hosts_.end()) {
      return noSuchHost(host_id);
    }
    auto& entry = found->second;
    const auto theirs = entry.row.last_rejected_protocol;
    if (theirs == storage::kNoProtocol) {
      return Error{
          errc::kConflict,
          fmt::format("the host daemon of \"{}\" was not refused for its protocol version: "
                      "there is nothing to update",
                      entry.row.name)};
    }
    if (theirs >= hostprotocol::kProtocolVersion) {
      return Error{errc::kConflict,
                   fmt::format("the host daemon of \"{}\" is newer than this server (protocol "
                               "version {}, here {}): update svc on the server",
                               entry.row.name, theirs, hostprotocol::kProtocolVersion)};
    }
    // After a restart of the server nothing is known until the daemon asks again.
    if (!entry.update.platform.empty() && !entry.update.offered) {
      return Error{errc::kConflict,
                   fmt::format("the server has no svc-hostd for \"{}\" ({}): update svc on the "
                               "machine by hand",
                               entry.row.name, entry.update.platform)};
    }
    entry.update.failure.clear();
    entry.update.retry_requested_at = clock_.nowMs();
    record = toRecord(entry);
  }
  announce_(host_id, "host-updated");
  return record;
}

}  // namespace svc::machines
