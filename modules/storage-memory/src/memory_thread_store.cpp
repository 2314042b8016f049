#include "memory_thread_store.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "svc/common/fold.h"

namespace svc::storage_memory {
namespace {

template <class Key, class Row, class Wanted>
std::vector<Row> thoseOf(const std::map<Key, Row>& rows, Wanted wanted) {
  std::vector<Row> out;
  for (const auto& [key, row] : rows) {
    if (wanted(row)) {
      out.push_back(row);
    }
  }
  return out;
}

bool isWantedType(const std::vector<std::string>& types, const std::string& type) {
  return types.empty() || std::find(types.begin(), types.end(), type) != types.end();
}

}  // namespace

Result<std::vector<storage::ThreadRow>> MemoryThreadStore::threads() {
  const std::lock_guard lock(mutex_);
  return thoseOf(threads_, [](const auto&) { return true; });
}

Result<std::vector<storage::TurnRow>> MemoryThreadStore::turns(const std::string& thread_id) {
  const std::lock_guard lock(mutex_);
  auto out = thoseOf(turns_, [&](const auto& row) { return row.thread_id == thread_id; });
  std::stable_sort(out.begin(), out.end(), [](const auto& left, const auto& right) {
    return left.accepted_at < right.accepted_at;
  });
  return out;
}

Result<std::vector<storage::TurnRow>> MemoryThreadStore::openTurns() {
  const std::lock_guard lock(mutex_);
  return thoseOf(turns_, storage::isOpenTurn);
}

Result<std::vector<storage::QueuedMessageRow>> MemoryThreadStore::queuedMessages() {
  const std::lock_guard lock(mutex_);
  auto out = thoseOf(queued_, [](const auto&) { return true; });
  std::sort(out.begin(), out.end(), [](const auto& left, const auto& right) {
    return std::tie(left.thread_id, left.sort_key, left.id) <
           std::tie(right.thread_id, right.sort_key, right.id);
  });
  return out;
}

Result<std::vector<storage::InteractionRow>> MemoryThreadStore::openInteractions() {
  const std::lock_guard lock(mutex_);
  return thoseOf(interactions_, storage::isOpenInteraction);
}

Result<std::optional<storage::InteractionRow>> MemoryThreadStore::interaction(
    const std::string& interaction_id) {
  const std::lock_guard lock(mutex_);
  const auto found = interactions_.find(interaction_id);
  return found == interactions_.end() ? std::nullopt : std::optional(found->second);
}

Result<std::vector<storage::ThreadSectionRow>> MemoryThreadStore::sections() {
  const std::lock_guard lock(mutex_);
  return thoseOf(sections_, [](const auto&) { return true; });
}

Result<storage::ThreadTabsRow> MemoryThreadStore::tabs(const std::string& thread_id) {
  const std::lock_guard lock(mutex_);
  const auto found = tabs_.find(thread_id);
  return found == tabs_.end() ? storage::ThreadTabsRow{.thread_id = thread_id} : found->second;
}

Result<std::vector<storage::ThreadMetadataRow>> MemoryThreadStore::allMetadata(
    const std::string& thread_id) {
  const std::lock_guard lock(mutex_);
  std::vector<storage::ThreadMetadataRow> out;
  for (const auto& [key, row] : metadata_) {
    if (key.first == thread_id) {
      out.push_back(row);
    }
  }
  return out;
}

Result<std::size_t> MemoryThreadStore::threadsWithMetadata(const std::string& plugin_id) {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(
      metadata_, [&plugin_id](const auto& entry) { return entry.second.plugin_id == plugin_id; }));
}

Result<std::string> MemoryThreadStore::metadata(const std::string& thread_id,
                                                const std::string& plugin_id) {
  const std::lock_guard lock(mutex_);
  const auto found = metadata_.find({thread_id, plugin_id});
  return found == metadata_.end() ? std::string() : found->second.metadata;
}

Result<std::vector<storage::ThreadEventRow>> MemoryThreadStore::events(
    const storage::ThreadEventQuery& query) {
  const std::lock_guard lock(mutex_);
  std::vector<storage::ThreadEventRow> out;
  for (auto at = events_.upper_bound({query.thread_id, query.after_seq});
       at != events_.end() && at->first.first == query.thread_id; ++at) {
    const auto& row = at->second;
    if ((query.before_seq == 0 || row.seq < query.before_seq) &&
        isWantedType(query.types, row.type)) {
      out.push_back(row);
    }
  }
  if (query.descending) {
    std::reverse(out.begin(), out.end());
  }
  out.resize(std::min(out.size(), query.limit));
  return out;
}

Result<std::vector<storage::ThreadEventRow>> MemoryThreadStore::findEvents(
    const std::string& text, const std::vector<std::string>& types, std::size_t limit) {
  const std::lock_guard lock(mutex_);
  const auto needle = common::foldCase(text);
  auto out = thoseOf(events_, [&](const auto& row) {
    return std::find(types.begin(), types.end(), row.type) != types.end() &&
           common::foldCase(row.data).find(needle) != std::string::npos;
  });
  std::sort(out.begin(), out.end(), [](const auto& left, const auto& right) {
    return std::tie(left.created_at, left.id) > std::tie(right.created_at, right.id);
  });
  out.resize(std::min(out.size(), limit));
  return out;
}

Result<bool> MemoryThreadStore::apply(const storage::ThreadChange& change) {
  if (auto checked = storage::checkThreadChange(change); !checked) {
    return checked.error();
  }
  const std::lock_guard lock(mutex_);
  if (const auto& position = change.position) {
    const auto found = positions_.find({position->thread_id, position->session});
    if (found != positions_.end() && found->second >= position->seq) {
      return false;
    }
  }
  const std::set<std::string> gone(change.gone_threads.begin(), change.gone_threads.end());
  std::set<std::pair<std::string, std::int64_t>> added;
  for (const auto& row : change.events) {
    const std::pair key(row.thread_id, row.seq);
    if (!added.insert(key).second || (!gone.contains(row.thread_id) && events_.contains(key))) {
      return Error{errc::kConflict, "the thread has an event of this seq already"};
    }
  }
  remove(change);
  write(change);
  return true;
}

void MemoryThreadStore::remove(const storage::ThreadChange& change) {
  for (const auto& id : change.gone_threads) {
    const auto is_of = [&id](const auto& entry) { return entry.second.thread_id == id; };
    threads_.erase(id);
    tabs_.erase(id);
    std::erase_if(turns_, is_of);
    std::erase_if(events_, is_of);
    std::erase_if(queued_, is_of);
    std::erase_if(interactions_, is_of);
    std::erase_if(metadata_, is_of);
    std::erase_if(positions_, [&id](const auto& entry) { return entry.first.first == id; });
  }
  for (const auto& id : change.gone_queued) {
    queued_.erase(id);
  }
  for (const auto& id : change.gone_sections) {
    sections_.erase(id);
  }
  for (const auto& id : change.gone_metadata) {
    std::erase_if(metadata_, [&id](const auto& entry) { return entry.second.plugin_id == id; });
  }
}

void MemoryThreadStore::write(const storage::ThreadChange& change) {
  for (const auto& row : change.threads) {
    threads_.insert_or_assign(row.id, row);
  }
  for (const auto& row : change.turns) {
    turns_.insert_or_assign(row.request_id, row);
  }
  for (const auto& row : change.events) {
    events_.insert_or_assign({row.thread_id, row.seq}, row);
  }
  for (const auto& row : change.queued) {
    queued_.insert_or_assign(row.id, row);
  }
  for (const auto& row : change.interactions) {
    interactions_.insert_or_assign(row.id, row);
  }
  for (const auto& row : change.sections) {
    sections_.insert_or_assign(row.id, row);
  }
  for (const auto& row : change.tabs) {
    tabs_.insert_or_assign(row.thread_id, row);
  }
  for (const auto& row : change.metadata) {
    metadata_.insert_or_assign({row.thread_id, row.plugin_id}, row);
  }
  if (const auto& position = change.position) {
    positions_[{position->thread_id, position->session}] = position->seq;
  }
}

}  // namespace svc::storage_memory
