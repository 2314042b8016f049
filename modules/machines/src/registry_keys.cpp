#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/protocol.h"

#include "keys.h"
#include "registry.h"

namespace svc::machines {
namespace {

using storage::HostChange;
using storage::HostKeyKind;
using storage::HostKeyRow;

/// Used and expired keys are remembered so long, so that who tries them again learns what is wrong.
constexpr std::int64_t kRememberMs = std::chrono::milliseconds(std::chrono::hours(1)).count();
/// More enroll keys than anyone needs at a time.
constexpr std::ptrdiff_t kOpenEnrollKeys = 1000;

constexpr const char* kGetAnother = "get another one with `svc machine enroll`";

Error unauthorized(std::string_view what) {
  return {errc::kUnauthorized, fmt::format("{}; {}", what, kGetAnother)};
}

/// Keys of removed machines that are remembered; those that were removed first go.
constexpr std::size_t kRemovedKeys = 1000;

bool isEnrollKey(const HostKeyRow& row) {
  return row.kind == HostKeyKind::kJoin || row.kind == HostKeyKind::kLocal;
}

}  // namespace

Result<std::string> Registry::authenticate(std::string_view host_key) {
  const Error refused{errc::kUnauthorized,
                      "the host key is missing, unknown, or no longer valid; enroll the machine "
                      "again with `svc machine enroll`"};
  if (!host_key.starts_with(hostprotocol::kHostKeyPrefix)) {
    return refused;
  }
  const auto hash = hashOf(host_key);
  std::string host_id;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = keys_.find(hash);
    if (found != keys_.end() && found->second.kind == HostKeyKind::kRemoved) {
      return Error{errc::kUnauthorized,
                   "the machine was removed; enroll it again with `svc machine enroll`",
                   common::Json::object().set("reason", hostprotocol::kRefusedAsRemoved).dump()};
    }
    if (found == keys_.end() || found->second.kind != HostKeyKind::kHost ||
        hosts_.find(found->second.host_id) == hosts_.end()) {
      return refused;
    }
    auto& key = found->second;
    host_id = key.host_id;
    if (key.used_at != 0) {
      return host_id;
    }
    key.used_at = clock_.nowMs();
    dirty_keys_.insert(hash);
    for (auto each = keys_.begin(); each != keys_.end();) {
      const auto& other = each->second;
      const bool replaced = other.kind == HostKeyKind::kHost && other.host_id == host_id &&
                            other.created_at < key.created_at;
      if (replaced) {
        gone_keys_.insert(each->first);
        dirty_keys_.erase(each->first);
      }
      each = replaced ? keys_.erase(each) : std::next(each);
    }
  }
  flushLater();
  return host_id;
}

HostChange Registry::removal(const std::string& host_id) const {
  HostChange change{.gone_hosts = {host_id}};
  std::vector<std::pair<std::int64_t, std::string>> remembered;
  const auto now = clock_.nowMs();
  for (const auto& [hash, row] : keys_) {
    if (row.host_id == host_id && !isEnrollKey(row)) {
      change.keys.push_back(row);
      // Used and expired also for a program that takes it for a join code, because it does not know the kind.
      if (row.kind == HostKeyKind::kHost) {
        change.keys.back().kind = HostKeyKind::kRemoved;
        change.keys.back().used_at = change.keys.back().expires_at = now;
      }
    } else if (row.kind == HostKeyKind::kRemoved) {
      remembered.emplace_back(row.used_at, hash);
    }
  }
  std::sort(remembered.begin(), remembered.end());
  for (auto gone = remembered.begin();
       gone != remembered.end() &&
       static_cast<std::size_t>(remembered.end() - gone) + change.keys.size() > kRemovedKeys;
       ++gone) {
    change.gone_keys.push_back(gone->second);
  }
  return change;
}

bool Registry::isHostKey(std::string_view key) const {
  if (!key.starts_with(hostprotocol::kHostKeyPrefix)) {
    return false;
  }
  const auto hash = hashOf(key);
  const std::scoped_lock lock(mutex_);
  const auto found = keys_.find(hash);
  return found != keys_.end() && found->second.kind == HostKeyKind::kHost;
}

std::vector<std::string> Registry::uselessEnrollKeys(const std::string& host_id) const {
  const auto now = clock_.nowMs();
  std::vector<std::string> out;
  for (const auto& [hash, row] : keys_) {
    const bool forgotten = row.expires_at + kRememberMs < now;
    const bool replaced = row.host_id == host_id && row.used_at == 0;
    if (isEnrollKey(row) && (forgotten || replaced)) {
      out.push_back(hash);
    }
  }
  return out;
}

Result<IssuedKey> Registry::issueKey(HostKeyKind kind, const std::optional<std::string>& host_id,
                                     const std::string& name) {
  const auto id = host_id ? *host_id : newHostId(clock_.nowMs());
  const auto key = newKey(hostprotocol::kEnrollKeyPrefix);
  const std::scoped_lock writing(write_mutex_);
  const auto now = clock_.nowMs();
  HostChange change{.keys = {{.hash = hashOf(key),
                              .host_id = id,
                              .kind = kind,
                              .host_name = name,
                              .created_at = now,
                              .expires_at = now + limits::kEnrollTtl.count()}}};
  {
    const std::scoped_lock lock(mutex_);
    const auto host = hosts_.find(id);
    if (kind == HostKeyKind::kJoin && host != hosts_.end() && host->second.row.is_server) {
      return Error{errc::kConflict,
                   fmt::format("\"{}\" is the server's own machine; the server starts its host "
                               "daemon itself (hosts.local)",
                               host->second.row.name)};
    }
    change.gone_keys = uselessEnrollKeys(id);
    const auto open = std::count_if(keys_.begin(), keys_.end(), [now](const auto& each) {
      return isEnrollKey(each.second) && each.second.used_at == 0 && each.second.expires_at > now;
    });
    if (open >= kOpenEnrollKeys) {
      return Error{errc::kOverloaded,
                   fmt::format("{} enroll keys are waiting to be used; they expire after 15 "
                               "minutes (limit enroll-ttl)",
                               open)};
    }
  }
  if (auto stored = store_.apply(change); !stored) {
    return std::move(stored).error();
  }
  const std::scoped_lock lock(mutex_);
  adopt(change);
  return IssuedKey{.key = key, .host_id = id, .expires_at = change.keys.front().expires_at};
}

Result<HostKeyRow> Registry::usableEnrollKey(const std::string& hash,
                                             const std::optional<std::string>& host_id) const {
  const auto found = keys_.find(hash);
  if (found == keys_.end() || !isEnrollKey(found->second)) {
    return unauthorized("the enroll key is not valid: it is unknown, or a newer one replaced it");
  }
  if (found->second.used_at != 0) {
    return unauthorized("the enroll key has been used already, and it works only once");
  }
  if (found->second.expires_at <= clock_.nowMs()) {
    return unauthorized("the enroll key has expired: it is valid for 15 minutes");
  }
  if (host_id && *host_id != found->second.host_id) {
    return unauthorized("the enroll key is not for this host id");
  }
  return found->second;
}

Status Registry::checkEnrollKey(std::string_view enroll_key) const {
  const auto hash = hashOf(enroll_key);
  const std::scoped_lock lock(mutex_);
  auto key = usableEnrollKey(hash, {});
  return key ? Status() : Status(std::move(key).error());
}

storage::HostRow Registry::enrolledRow(const HostKeyRow& key, const EnrollRequest& request) const {
  const auto known = hosts_.find(key.host_id);
  storage::HostRow row{
      .id = key.host_id,
      .name = uniqueNameFor(key.host_id, key.host_name.empty() ? request.host_name : key.host_name),
      .type = request.host_type,
      .created_at = clock_.nowMs(),
      .updated_at = clock_.nowMs()};
  if (known != hosts_.end()) {
    const auto& before = known->second.row;
    // Whoever renamed the host since knows better than its daemon.
    row.name = key.host_name.empty() ? before.name : row.name;
    row.is_server = before.is_server;
    row.last_seen_at = before.last_seen_at;
    row.last_rejected_protocol = before.last_rejected_protocol;
    row.created_at = before.created_at;
  }
  return row;
}

std::int64_t Registry::nextKeyTime(const std::string& host_id) const {
  auto time = clock_.nowMs();
  for (const auto& [hash, row] : keys_) {
    if (row.kind == HostKeyKind::kHost && row.host_id == host_id) {
      // Which key is newer decides which one is replaced.
      time = std::max(time, row.created_at + 1);
    }
  }
  return time;
}

Result<Enrolled> Registry::enroll(std::string_view enroll_key, const EnrollRequest& request) {
  const auto host_key = newKey(hostprotocol::kHostKeyPrefix);
  std::unique_lock writing(write_mutex_);
  HostChange change;
  {
    const std::scoped_lock lock(mutex_);
    auto key = usableEnrollKey(hashOf(enroll_key), request.host_id);
    if (!key) {
      return std::move(key).error();
    }
    const auto host_id = key.value().host_id;
    key.value().used_at = clock_.nowMs();
    change.hosts.push_back(enrolledRow(key.value(), request));
    change.keys.push_back(std::move(key).value());
    change.keys.push_back({.hash = hashOf(host_key),
                           .host_id = host_id,
                           .kind = HostKeyKind::kHost,
                           .created_at = nextKeyTime(host_id)});
  }
  if (auto stored = store_.apply(change); !stored) {
    return std::move(stored).error();
  }
  const auto& row = change.hosts.front();
  {
    const std::scoped_lock lock(mutex_);
    adopt(change);
  }
  writing.unlock();
  log_->info("host \"{}\" ({}) is enrolled", row.name, row.id);
  announce_(row.id, "host-updated");
  return Enrolled{.host_id = row.id, .host_key = host_key, .host_name = row.name};
}

}  // namespace svc::machines
