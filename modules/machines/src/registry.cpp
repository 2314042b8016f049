#include "registry.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "host_name.h"
#include "keys.h"

namespace svc::machines {
namespace {

using common::Json;
using storage::HostChange;

/// `lastSeenAt` is stored this often while a host is connected.
constexpr std::int64_t kSeenStoredEvery =
    std::chrono::milliseconds(std::chrono::minutes(1)).count();

}  // namespace

Registry::Registry(storage::IHostStore& store, IWorkerPool& workers, const IClock& clock,
                   HostAnnouncer announce,
                   std::function<bool(std::string_view platform)> has_daemon_for,
                   std::shared_ptr<spdlog::logger> log)
    : store_(store),
      workers_(workers),
      clock_(clock),
      announce_(std::move(announce)),
      has_daemon_for_(std::move(has_daemon_for)),
      log_(std::move(log)) {}

Status Registry::open(const std::string& server_name) {
  const std::scoped_lock writing(write_mutex_);
  auto hosts = store_.hosts();
  if (!hosts) {
    return std::move(hosts).error();
  }
  auto keys = store_.keys();
  if (!keys) {
    return std::move(keys).error();
  }
  const std::scoped_lock lock(mutex_);
  bool has_server = false;
  for (auto& row : hosts.value()) {
    has_server = has_server || row.is_server;
    const auto seen = row.last_seen_at;
    const auto id = row.id;
    hosts_[id] = {.row = std::move(row), .stored_seen_at = seen};
  }
  for (auto& row : keys.value()) {
    const auto hash = row.hash;
    keys_[hash] = std::move(row);
  }
  if (has_server) {
    return {};
  }
  const auto now = clock_.nowMs();
  const auto id = newHostId(now);
  const HostChange change{.hosts = {{.id = id,
                                     .name = uniqueNameFor(id, server_name),
                                     .type = "persistent",
                                     .is_server = true,
                                     .created_at = now,
                                     .updated_at = now}}};
  if (auto stored = store_.apply(change); !stored) {
    return stored;
  }
  adopt(change);
  return {};
}

std::vector<const HostEntry*> Registry::sorted() const {
  std::vector<const HostEntry*> out;
  out.reserve(hosts_.size());
  for (const auto& [id, entry] : hosts_) {
    out.push_back(&entry);
  }
  std::sort(out.begin(), out.end(), [](const HostEntry* left, const HostEntry* right) {
    return std::tuple(!left->row.is_server, std::string_view(left->row.name),
                      std::string_view(left->row.id)) <
           std::tuple(!right->row.is_server, std::string_view(right->row.name),
                      std::string_view(right->row.id));
  });
  return out;
}

std::vector<Host> Registry::list() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Host> out;
  for (const auto* entry : sorted()) {
    out.push_back(toHost(*entry));
  }
  return out;
}

std::optional<Host> Registry::find(std::string_view host_id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = hosts_.find(host_id);
  return found == hosts_.end() ? std::nullopt : std::optional(toHost(found->second));
}

Json Registry::records() const {
  const std::scoped_lock lock(mutex_);
  auto out = Json::array();
  for (const auto* entry : sorted()) {
    out.push(toRecord(*entry));
  }
  return out;
}

Result<Json> Registry::record(std::string_view host_id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = hosts_.find(host_id);
  if (found == hosts_.end()) {
    return noSuchHost(host_id);
  }
  return toRecord(found->second);
}

std::string Registry::serverHostId() const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, entry] : hosts_) {
    if (entry.row.is_server) {
      return id;
    }
  }
  return {};
}

void Registry::setServerNote(std::string note) {
  const auto id = serverHostId();
  {
    const std::scoped_lock lock(mutex_);
    const auto found = hosts_.find(id);
    if (found == hosts_.end() || found->second.note == note) {
      return;
    }
    found->second.note = std::move(note);
  }
  announce_(id, "host-updated");
}

void Registry::touch(HostEntry& entry) {
  entry.row.last_seen_at = clock_.nowMs();
  dirty_hosts_.insert(entry.row.id);
}

void Registry::connected(const std::string& host_id, const SessionFacts& facts) {
  bool before = false;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = hosts_.find(host_id);
    if (found == hosts_.end()) {
      return;
    }
    auto& entry = found->second;
    before = std::exchange(entry.connected, true);
    entry.facts = facts;
    entry.row.last_rejected_protocol = storage::kNoProtocol;
    entry.update = {};
    touch(entry);
  }
  flushLater();
  announce_(host_id, before ? "host-updated" : "host-connected");
}

void Registry::disconnected(const std::string& host_id) {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = hosts_.find(host_id);
    if (found == hosts_.end() || !std::exchange(found->second.connected, false)) {
      return;
    }
    // When it was seen last is what seen() said: the grace has passed since.
    dirty_hosts_.insert(host_id);
  }
  flushLater();
  announce_(host_id, "host-disconnected");
}

void Registry::seen(const std::string& host_id) {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = hosts_.find(host_id);
    if (found == hosts_.end()) {
      return;
    }
    auto& entry = found->second;
    touch(entry);
    if (entry.row.last_seen_at - entry.stored_seen_at < kSeenStoredEvery) {
      return;
    }
    // Until the store has it, later calls must not ask again.
    entry.stored_seen_at = entry.row.last_seen_at;
  }
  flushLater();
}

Handle Registry::onRemoved(std::function<void(const std::string& host_id)> listener) {
  const std::scoped_lock lock(listeners_->mutex);
  const auto number = ++listeners_->last;
  listeners_->all[number] = std::move(listener);
  return Handle([listeners = listeners_, number] {
    const std::scoped_lock undo(listeners->mutex);
    listeners->all.erase(number);
  });
}

Result<Json> Registry::rename(const std::string& host_id, const std::string& name) {
  std::unique_lock writing(write_mutex_);
  HostChange change;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = hosts_.find(host_id);
    if (found == hosts_.end()) {
      return noSuchHost(host_id);
    }
    auto row = found->second.row;
    row.name = uniqueNameFor(host_id, name);
    if (row.name == found->second.row.name) {
      return toRecord(found->second);
    }
    row.updated_at = clock_.nowMs();
    change.hosts.push_back(std::move(row));
  }
  if (auto stored = store_.apply(change); !stored) {
    return std::move(stored).error();
  }
  Json renamed;
  {
    const std::scoped_lock lock(mutex_);
    auto& entry = hosts_.at(host_id);
    entry.row.name = change.hosts.front().name;
    entry.row.updated_at = change.hosts.front().updated_at;
    renamed = toRecord(entry);
  }
  writing.unlock();
  announce_(host_id, "host-updated");
  return renamed;
}

Status Registry::remove(const std::string& host_id) {
  {
    const std::scoped_lock writing(write_mutex_);
    HostChange change;
    {
      const std::scoped_lock lock(mutex_);
      const auto found = hosts_.find(host_id);
      if (found == hosts_.end()) {
        return noSuchHost(host_id);
      }
      if (found->second.row.is_server) {
        return Error{errc::kConflict,
                     fmt::format("\"{}\" is the server's own machine, which cannot be removed; set "
                                 "hosts.local to false to run no host daemon on it",
                                 found->second.row.name)};
      }
      change = removal(host_id);
    }
    if (auto stored = store_.apply(change); !stored) {
      return stored;
    }
    const std::scoped_lock lock(mutex_);
    adopt(change);
  }
  announce_(host_id, "host-updated");
  std::vector<std::function<void(const std::string&)>> listeners;
  {
    const std::scoped_lock lock(listeners_->mutex);
    for (const auto& [number, listener] : listeners_->all) {
      listeners.push_back(listener);
    }
  }
  for (const auto& listener : listeners) {
    listener(host_id);
  }
  return {};
}

std::string Registry::uniqueNameFor(const std::string& host_id, const std::string& wanted) const {
  return uniqueName(wanted, [&](const std::string& name) {
    return std::any_of(hosts_.begin(), hosts_.end(), [&](const auto& each) {
      return each.first != host_id && each.second.row.name == name;
    });
  });
}

void Registry::adopt(const HostChange& change) {
  for (const auto& id : change.gone_hosts) {
    hosts_.erase(id);
    std::erase_if(keys_, [&id](const auto& each) { return each.second.host_id == id; });
  }
  for (const auto& hash : change.gone_keys) {
    keys_.erase(hash);
  }
  for (const auto& row : change.hosts) {
    auto& entry = hosts_[row.id];
    // What the io thread has changed meanwhile is newer than what was stored.
    const auto seen = std::max(entry.row.last_seen_at, row.last_seen_at);
    const auto rejected =
        entry.row.id.empty() ? row.last_rejected_protocol : entry.row.last_rejected_protocol;
    entry.row = row;
    entry.row.last_seen_at = seen;
    entry.row.last_rejected_protocol = rejected;
  }
  for (const auto& row : change.keys) {
    keys_[row.hash] = row;
  }
}

void Registry::flushLater() {
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(flush_waits_, true)) {
      return;
    }
  }
  if (!workers_.submit([this] { flush(); })) {
    // The next change, a heartbeat at the latest, asks again.
    const std::scoped_lock lock(mutex_);
    flush_waits_ = false;
  }
}

void Registry::flush() {
  const std::scoped_lock writing(write_mutex_);
  HostChange change;
  {
    const std::scoped_lock lock(mutex_);
    flush_waits_ = false;
    for (const auto& id : std::exchange(dirty_hosts_, {})) {
      if (const auto found = hosts_.find(id); found != hosts_.end()) {
        found->second.stored_seen_at = found->second.row.last_seen_at;
        change.hosts.push_back(found->second.row);
      }
    }
    for (const auto& hash : std::exchange(dirty_keys_, {})) {
      if (const auto found = keys_.find(hash); found != keys_.end()) {
        change.keys.push_back(found->second);
      }
    }
    for (const auto& hash : std::exchange(gone_keys_, {})) {
      change.gone_keys.push_back(hash);
    }
  }
  if (change.hosts.empty() && change.keys.empty() && change.gone_keys.empty()) {
    return;
  }
  if (const auto stored = store_.apply(change); !stored) {
    log_->warn("what machines said last is not stored yet: {}", stored.error().message);
    const std::scoped_lock lock(mutex_);
    for (const auto& row : change.hosts) {
      dirty_hosts_.insert(row.id);
    }
    for (const auto& row : change.keys) {
      dirty_keys_.insert(row.hash);
    }
    gone_keys_.insert(change.gone_keys.begin(), change.gone_keys.end());
  }
}

}  // namespace svc::machines
