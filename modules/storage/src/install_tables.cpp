#include "install_tables.h"

#include <utility>

namespace svc::storage {

InstallTables::InstallTables(const Database& database)
    : list_jobs_(database.handle(),
                 "SELECT id, source, state, step, error, plugin_id, created_at, finished_at "
                 "FROM install_jobs ORDER BY id"),
      put_job_(database.handle(),
               "INSERT OR REPLACE INTO install_jobs (id, source, state, step, error, plugin_id, "
               "created_at, finished_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
      remove_job_(database.handle(), "DELETE FROM install_jobs WHERE id=?"),
      list_marketplaces_(database.handle(),
                         "SELECT name, source, content, added_at, refreshed_at, last_error "
                         "FROM marketplaces ORDER BY name"),
      put_marketplace_(database.handle(),
                       "INSERT OR REPLACE INTO marketplaces (name, source, content, added_at, "
                       "refreshed_at, last_error) VALUES (?, ?, ?, ?, ?, ?)"),
      remove_marketplace_(database.handle(), "DELETE FROM marketplaces WHERE name=?") {}

std::vector<InstallJobRow> InstallTables::jobs() {
  std::vector<InstallJobRow> out;
  auto rows = list_jobs_.run();
  while (rows.next()) {
    InstallJobRow row;
    row.id = rows.text(0);
    row.source = rows.text(1);
    row.state = rows.text(2);
    row.step = rows.text(3);
    row.error = rows.text(4);
    row.plugin_id = rows.text(5);
    row.created_at = rows.integer(6);
    row.finished_at = rows.integer(7);
    out.push_back(std::move(row));
  }
  return out;
}

void InstallTables::putJob(const InstallJobRow& row) {
  put_job_.execute(row.id, row.source, row.state, row.step, row.error, row.plugin_id,
                   row.created_at, row.finished_at);
}

void InstallTables::removeJob(const std::string& id) { remove_job_.execute(id); }

std::vector<MarketplaceRow> InstallTables::marketplaces() {
  std::vector<MarketplaceRow> out;
  auto rows = list_marketplaces_.run();
  while (rows.next()) {
    MarketplaceRow row;
    row.name = rows.text(0);
    row.source = rows.text(1);
    row.content = rows.text(2);
    row.added_at = rows.integer(3);
    row.refreshed_at = rows.integer(4);
    row.last_error = rows.text(5);
    out.push_back(std::move(row));
  }
  return out;
}

void InstallTables::putMarketplace(const MarketplaceRow& row) {
  put_marketplace_.execute(row.name, row.source, row.content, row.added_at, row.refreshed_at,
                           row.last_error);
}

void InstallTables::removeMarketplace(const std::string& name) {
  remove_marketplace_.execute(name);
}

}  // namespace svc::storage
