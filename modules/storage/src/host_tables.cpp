#include "host_tables.h"

#include <array>
#include <string_view>
#include <utility>

namespace svc::storage {
namespace {

constexpr std::array<std::pair<HostKeyKind, std::string_view>, 4> kKinds{
    {{HostKeyKind::kHost, "host"},
     {HostKeyKind::kJoin, "join"},
     {HostKeyKind::kLocal, "local"},
     {HostKeyKind::kRemoved, "removed"}}};

std::string_view textOf(HostKeyKind kind) {
  for (const auto& [each, text] : kKinds) {
    if (each == kind) {
      return text;
    }
  }
  return {};
}

/// A text this program does not know reads as a join code, which opens nothing but one enrollment.
HostKeyKind kindOf(std::string_view text) {
  for (const auto& [kind, each] : kKinds) {
    if (each == text) {
      return kind;
    }
  }
  return HostKeyKind::kJoin;
}

}  // namespace

HostTables::HostTables(const Database& database)
    : list_hosts_(database.handle(),
                  "SELECT id, name, type, is_server, last_seen_at, last_rejected_protocol, "
                  "created_at, updated_at FROM hosts ORDER BY id"),
      put_host_(database.handle(),
                "INSERT OR REPLACE INTO hosts (id, name, type, is_server, last_seen_at, "
                "last_rejected_protocol, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
      remove_host_(database.handle(), "DELETE FROM hosts WHERE id=?"),
      list_keys_(database.handle(),
                 "SELECT hash, host_id, kind, host_name, created_at, expires_at, used_at "
                 "FROM host_keys ORDER BY hash"),
      put_key_(database.handle(),
               "INSERT OR REPLACE INTO host_keys (hash, host_id, kind, host_name, created_at, "
               "expires_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?)"),
      remove_key_(database.handle(), "DELETE FROM host_keys WHERE hash=?"),
      remove_keys_of_(database.handle(), "DELETE FROM host_keys WHERE host_id=?") {}

std::vector<HostRow> HostTables::hosts() {
  std::vector<HostRow> out;
  auto rows = list_hosts_.run();
  while (rows.next()) {
    HostRow row;
    row.id = rows.text(0);
    row.name = rows.text(1);
    row.type = rows.text(2);
    row.is_server = rows.integer(3) != 0;
    row.last_seen_at = rows.integer(4);
    row.last_rejected_protocol = rows.integer(5);
    row.created_at = rows.integer(6);
    row.updated_at = rows.integer(7);
    out.push_back(std::move(row));
  }
  return out;
}

std::vector<HostKeyRow> HostTables::keys() {
  std::vector<HostKeyRow> out;
  auto rows = list_keys_.run();
  while (rows.next()) {
    HostKeyRow row;
    row.hash = rows.text(0);
    row.host_id = rows.text(1);
    row.kind = kindOf(rows.view(2));
    row.host_name = rows.text(3);
    row.created_at = rows.integer(4);
    row.expires_at = rows.integer(5);
    row.used_at = rows.integer(6);
    out.push_back(std::move(row));
  }
  return out;
}

void HostTables::apply(const HostChange& change) {
  for (const auto& id : change.gone_hosts) {
    remove_host_.execute(id);
    remove_keys_of_.execute(id);
  }
  for (const auto& hash : change.gone_keys) {
    remove_key_.execute(hash);
  }
  for (const auto& row : change.hosts) {
    put_host_.execute(row.id, row.name, row.type, std::int64_t{row.is_server ? 1 : 0},
                      row.last_seen_at, row.last_rejected_protocol, row.created_at, row.updated_at);
  }
  for (const auto& row : change.keys) {
    put_key_.execute(row.hash, row.host_id, textOf(row.kind), row.host_name, row.created_at,
                     row.expires_at, row.used_at);
  }
}

}  // namespace svc::storage
