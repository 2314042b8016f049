#include "schedule_table.h"

#include "svc/common/json.h"

namespace svc::storage {
namespace {

// The columns in the order of readRow(). NULL reads as 0 and as empty text.
const std::string kSelect =
    "SELECT plugin_id, name, cron, timezone, next_run_at, last_run_at IS NOT NULL, last_run_at, "
    "last_status, last_error, last_run_missed, updated_at FROM plugin_schedules";

ScheduleRow readRow(const Run& rows) {
  ScheduleRow row;
  row.plugin_id = rows.text(0);
  row.name = rows.text(1);
  row.cron = rows.text(2);
  row.timezone = rows.text(3);
  row.next_run_at = rows.integer(4);
  if (rows.integer(5) != 0) {
    row.last_run_at = rows.integer(6);
  }
  row.last_status = rows.text(7);
  row.last_error = rows.text(8);
  row.last_run_missed = rows.integer(9) != 0;
  row.updated_at = rows.integer(10);
  return row;
}

std::vector<ScheduleRow> readAll(Run rows) {
  std::vector<ScheduleRow> out;
  while (rows.next()) {
    out.push_back(readRow(rows));
  }
  return out;
}

template <class Range, class Project>
std::string jsonList(const Range& range, Project project) {
  auto out = common::Json::array();
  for (const auto& each : range) {
    out.push(project(each));
  }
  return out.dump();
}

}  // namespace

ScheduleTable::ScheduleTable(const Database& database)
    : connection_(database.handle()),
      list_(connection_, kSelect + " ORDER BY plugin_id, name"),
      prune_(connection_,
             "DELETE FROM plugin_schedules WHERE plugin_id=? AND name NOT IN "
             "(SELECT value FROM json_each(?))"),
      upsert_(connection_,
              "INSERT INTO plugin_schedules (plugin_id, name, cron, timezone, next_run_at, "
              "updated_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (plugin_id, name) DO UPDATE SET "
              "next_run_at=CASE WHEN cron=excluded.cron AND timezone=excluded.timezone THEN "
              "MIN(next_run_at, excluded.next_run_at) ELSE excluded.next_run_at END, "
              "cron=excluded.cron, "
              "timezone=excluded.timezone, updated_at=excluded.updated_at"),
      due_(connection_, kSelect +
                            " WHERE next_run_at<=? AND plugin_id IN (SELECT value FROM "
                            "json_each(?)) ORDER BY next_run_at, plugin_id, name LIMIT ?"),
      claim_run_(connection_,
                 "UPDATE plugin_schedules SET next_run_at=?, last_status='running', last_run_at=?, "
                 "last_error=NULL, last_run_missed=?, updated_at=? "
                 "WHERE plugin_id=? AND name=? AND next_run_at=?"),
      claim_skip_(connection_,
                  "UPDATE plugin_schedules SET next_run_at=?, updated_at=? "
                  "WHERE plugin_id=? AND name=? AND next_run_at=?"),
      finish_(connection_,
              "UPDATE plugin_schedules SET last_status=?, last_error=NULLIF(?, ''), updated_at=? "
              "WHERE plugin_id=? AND name=? AND last_status='running' AND last_run_at=?"),
      interrupt_(connection_,
                 "UPDATE plugin_schedules SET last_status='error', last_error=?, updated_at=? "
                 "WHERE last_status='running'") {}

std::vector<ScheduleRow> ScheduleTable::list() { return readAll(list_.run()); }

void ScheduleTable::replace(const std::string& plugin_id, const std::vector<ScheduleSpec>& specs,
                            std::int64_t now) {
  prune_.execute(plugin_id, jsonList(specs, [](const ScheduleSpec& spec) { return spec.name; }));
  for (const auto& spec : specs) {
    upsert_.execute(plugin_id, spec.name, spec.cron, spec.timezone, spec.next_run_at, now);
  }
}

std::vector<ScheduleRow> ScheduleTable::due(const std::vector<std::string>& plugin_ids,
                                            std::int64_t now, std::size_t limit) {
  const auto ids = jsonList(plugin_ids, [](const std::string& id) { return id; });
  return readAll(due_.run(now, ids, static_cast<std::int64_t>(limit)));
}

bool ScheduleTable::claim(const ScheduleClaim& claim, std::int64_t now) {
  if (claim.run) {
    claim_run_.execute(claim.next, now, std::int64_t{claim.missed ? 1 : 0}, now, claim.plugin_id,
                       claim.name, claim.seen);
  } else {
    claim_skip_.execute(claim.next, now, claim.plugin_id, claim.name, claim.seen);
  }
  return sqlite3_changes64(connection_) > 0;
}

void ScheduleTable::finish(const ScheduleResult& result, std::int64_t now) {
  const std::string status = result.error.empty() ? "ok" : "error";
  finish_.execute(status, result.error, now, result.plugin_id, result.name, result.started_at);
}

std::size_t ScheduleTable::interruptRunning(const std::string& why, std::int64_t now) {
  interrupt_.execute(why, now);
  return static_cast<std::size_t>(sqlite3_changes64(connection_));
}

}  // namespace svc::storage
