#include "memory_schedule_store.h"

#include <algorithm>
#include <tuple>

#include "svc/storage/schedule_limits.h"

namespace svc::storage_memory {

using storage::ScheduleClaim;
using storage::ScheduleResult;
using storage::ScheduleRow;
using storage::ScheduleSpec;

Result<std::vector<ScheduleRow>> MemoryScheduleStore::list() {
  const std::scoped_lock lock(mutex_);
  std::vector<ScheduleRow> out;
  for (const auto& [key, row] : rows_) {
    out.push_back(row);
  }
  return out;
}

Status MemoryScheduleStore::replace(const std::string& plugin_id,
                                    const std::vector<ScheduleSpec>& specs, std::int64_t now) {
  if (auto valid = storage::checkSchedules(plugin_id, specs); !valid) {
    return valid;
  }
  const std::scoped_lock lock(mutex_);
  std::erase_if(rows_, [&](const auto& entry) {
    return entry.first.first == plugin_id &&
           std::none_of(specs.begin(), specs.end(),
                        [&](const ScheduleSpec& spec) { return spec.name == entry.first.second; });
  });
  for (const auto& spec : specs) {
    auto& row = rows_[{plugin_id, spec.name}];
    const bool is_same = row.cron == spec.cron && row.timezone == spec.timezone;
    row.next_run_at = is_same ? std::min(row.next_run_at, spec.next_run_at) : spec.next_run_at;
    row.plugin_id = plugin_id;
    row.name = spec.name;
    row.cron = spec.cron;
    row.timezone = spec.timezone;
    row.updated_at = now;
  }
  return {};
}

Result<std::vector<ScheduleRow>> MemoryScheduleStore::due(
    const std::vector<std::string>& plugin_ids, std::int64_t now, std::size_t limit) {
  const std::scoped_lock lock(mutex_);
  std::vector<ScheduleRow> out;
  for (const auto& [key, row] : rows_) {
    const bool asked =
        std::find(plugin_ids.begin(), plugin_ids.end(), key.first) != plugin_ids.end();
    if (asked && row.next_run_at <= now) {
      out.push_back(row);
    }
  }
  std::sort(out.begin(), out.end(), [](const ScheduleRow& left, const ScheduleRow& right) {
    return std::tie(left.next_run_at, left.plugin_id, left.name) <
           std::tie(right.next_run_at, right.plugin_id, right.name);
  });
  out.resize(std::min(out.size(), limit));
  return out;
}

bool MemoryScheduleStore::claimOne(const ScheduleClaim& claim, std::int64_t now) {
  const auto found = rows_.find({claim.plugin_id, claim.name});
  if (found == rows_.end() || found->second.next_run_at != claim.seen) {
    return false;
  }
  auto& row = found->second;
  row.next_run_at = claim.next;
  row.updated_at = now;
  if (claim.run) {
    row.last_status = "running";
    row.last_run_at = now;
    row.last_error.clear();
    row.last_run_missed = claim.missed;
  }
  return true;
}

Result<std::vector<bool>> MemoryScheduleStore::claim(const std::vector<ScheduleClaim>& claims,
                                                     std::int64_t now) {
  const std::scoped_lock lock(mutex_);
  std::vector<bool> won;
  won.reserve(claims.size());
  for (const auto& claim : claims) {
    won.push_back(claimOne(claim, now));
  }
  return won;
}

Status MemoryScheduleStore::finish(const std::vector<ScheduleResult>& results, std::int64_t now) {
  const std::scoped_lock lock(mutex_);
  for (const auto& result : results) {
    const auto found = rows_.find({result.plugin_id, result.name});
    if (found == rows_.end() || found->second.last_status != "running" ||
        found->second.last_run_at != result.started_at) {
      continue;
    }
    found->second.last_status = result.error.empty() ? "ok" : "error";
    found->second.last_error = result.error;
    found->second.updated_at = now;
  }
  return {};
}

Result<std::size_t> MemoryScheduleStore::interruptRunning(const std::string& why,
                                                          std::int64_t now) {
  const std::scoped_lock lock(mutex_);
  std::size_t count = 0;
  for (auto& [key, row] : rows_) {
    if (row.last_status == "running") {
      row.last_status = "error";
      row.last_error = why;
      row.updated_at = now;
      ++count;
    }
  }
  return count;
}

void MemoryScheduleStore::clear(const std::string& plugin_id) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(rows_, [&](const auto& entry) { return entry.first.first == plugin_id; });
}

std::vector<storage::ScheduleRow> MemoryScheduleStore::rowsOf(const std::string& plugin_id) {
  const std::scoped_lock lock(mutex_);
  std::vector<storage::ScheduleRow> out;
  for (const auto& [key, row] : rows_) {
    if (key.first == plugin_id) {
      out.push_back(row);
    }
  }
  return out;
}

void MemoryScheduleStore::replaceAll(const std::string& plugin_id,
                                     const std::vector<storage::ScheduleRow>& rows) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(rows_, [&](const auto& entry) { return entry.first.first == plugin_id; });
  for (const auto& row : rows) {
    rows_.emplace(Key{plugin_id, row.name}, row);
  }
}

}  // namespace svc::storage_memory
