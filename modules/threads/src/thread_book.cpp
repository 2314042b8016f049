#include "thread_book.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/record_id.h"

#include "thread_record.h"

namespace svc::threads {

using common::Json;
using storage::QueuedMessageRow;
using storage::ThreadChange;
using storage::ThreadRow;

Error noSuchThread(std::string_view thread_id) {
  return {errc::kNotFound,
          fmt::format("there is no thread \"{}\"; `svc thread list` shows them", thread_id)};
}

Status ThreadBook::open() {
  const std::scoped_lock writing(write_mutex_);
  ThreadChange all;
  const auto read = [](auto rows, auto& into) -> Status {
    if (!rows) {
      return std::move(rows).error();
    }
    into = std::move(rows).value();
    return {};
  };
  for (auto done :
       {read(store_.threads(), all.threads), read(store_.openTurns(), all.turns),
        read(store_.queuedMessages(), all.queued),
        read(store_.openInteractions(), all.interactions), read(store_.sections(), all.sections)}) {
    if (!done) {
      return done;
    }
  }
  take(all);
  return {};
}

std::vector<ThreadRow> ThreadBook::threads() const {
  const std::scoped_lock lock(mutex_);
  std::vector<ThreadRow> out;
  for (const auto& [id, row] : threads_) {
    if (row.deleted_at == 0) {
      out.push_back(row);
    }
  }
  return out;
}

Result<ThreadRow> ThreadBook::thread(std::string_view thread_id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = threads_.find(thread_id);
  if (found == threads_.end() || found->second.deleted_at != 0) {
    return noSuchThread(thread_id);
  }
  return found->second;
}

std::optional<storage::TurnRow> ThreadBook::openTurn(std::string_view thread_id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = open_turns_.find(thread_id);
  return found == open_turns_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<QueuedMessageRow> ThreadBook::queue(std::string_view thread_id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = queued_.find(thread_id);
  return found == queued_.end() ? std::vector<QueuedMessageRow>() : found->second;
}

std::vector<std::string> ThreadBook::threadsWithQueue() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [id, rows] : queued_) {
    if (!rows.empty()) {
      out.push_back(id);
    }
  }
  return out;
}

std::vector<storage::InteractionRow> ThreadBook::interactions(std::string_view thread_id) const {
  const std::scoped_lock lock(mutex_);
  std::vector<storage::InteractionRow> out;
  for (const auto& [id, row] : interactions_) {
    if (row.thread_id == thread_id) {
      out.push_back(row);
    }
  }
  return out;
}

std::vector<storage::ThreadSectionRow> ThreadBook::sections() const {
  const std::scoped_lock lock(mutex_);
  std::vector<storage::ThreadSectionRow> out;
  for (const auto& [id, row] : sections_) {
    out.push_back(row);
  }
  return out;
}

bool ThreadBook::hasPending(std::string_view thread_id) const {
  return std::any_of(interactions_.begin(), interactions_.end(),
                     [&](const auto& entry) { return entry.second.thread_id == thread_id; });
}

Json ThreadBook::record(const ThreadRow& row) const {
  auto out = [&] {
    const std::scoped_lock lock(mutex_);
    return toRecord(row, hasPending(row.id));
  }();
  if (runtime_) {
    out.set("runtime", runtime_(row));
  }
  return out;
}

void ThreadBook::tellShown(const ThreadRow& row) const {
  announce_.changed({.thread_id = row.id,
                     .project_id = row.project_id,
                     .hidden = row.hidden,
                     .change = "status-changed"});
  if (!queue(row.id).empty()) {
    // What they wait for is another thing, too.
    announce_.changed({.thread_id = row.id,
                       .project_id = row.project_id,
                       .hidden = row.hidden,
                       .change = "queue-changed"});
  }
}

void ThreadBook::take(const ThreadChange& change) {
  const std::scoped_lock lock(mutex_);
  for (const auto& id : change.gone_threads) {
    threads_.erase(id);
    open_turns_.erase(id);
    queued_.erase(id);
    std::erase_if(interactions_, [&](const auto& each) { return each.second.thread_id == id; });
  }
  for (const auto& id : change.gone_sections) {
    sections_.erase(id);
  }
  for (const auto& row : change.threads) {
    threads_.insert_or_assign(row.id, row);
  }
  for (const auto& row : change.turns) {
    if (storage::isOpenTurn(row)) {
      open_turns_.insert_or_assign(row.thread_id, row);
    } else if (const auto found = open_turns_.find(row.thread_id);
               found != open_turns_.end() && found->second.request_id == row.request_id) {
      open_turns_.erase(found);
    }
  }
  for (const auto& row : change.interactions) {
    if (storage::isOpenInteraction(row)) {
      interactions_.insert_or_assign(row.id, row);
    } else {
      interactions_.erase(row.id);
    }
  }
  for (const auto& row : change.sections) {
    sections_.insert_or_assign(row.id, row);
  }
  takeQueued(change);
}

void ThreadBook::takeState(const ThreadRow& row) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = threads_.find(row.id); found != threads_.end()) {
    found->second.status = row.status;
    found->second.updated_at = row.updated_at;
  }
}

void ThreadBook::takeQueued(const ThreadChange& change) {
  const auto drop = [this](const std::string& id) {
    for (auto& [thread_id, rows] : queued_) {
      std::erase_if(rows, [&id](const auto& each) { return each.id == id; });
    }
  };
  for (const auto& id : change.gone_queued) {
    drop(id);
  }
  for (const auto& row : change.queued) {
    auto& rows = queued_[row.thread_id];
    std::erase_if(rows, [&row](const auto& each) { return each.id == row.id; });
    const auto place = [](const QueuedMessageRow& each) {
      return std::tie(each.sort_key, each.id);
    };
    rows.insert(std::upper_bound(rows.begin(), rows.end(), row,
                                 [&](const auto& left, const auto& right) {
                                   return place(left) < place(right);
                                 }),
                row);
  }
}

void ThreadBook::queueNews(News news) {
  const std::scoped_lock lock(news_mutex_);
  news_.push_back(std::move(news));
}

void ThreadBook::tellNews() {
  std::unique_lock lock(news_mutex_);
  if (std::exchange(telling_, true)) {
    return;
  }
  while (!news_.empty()) {
    const auto news = std::move(news_.front());
    news_.pop_front();
    lock.unlock();
    if (!news.events.empty()) {
      announce_.logged(news.events);
    }
    for (const auto& notice : news.notices) {
      announce_.changed(notice);
    }
    for (const auto& each : news.emissions) {
      announce_.emitted(each.name, each.payload);
    }
    lock.lock();
  }
  telling_ = false;
}

Result<ThreadRow*> Edit::thread(std::string_view thread_id) {
  if (const auto found = rows_.find(thread_id); found != rows_.end()) {
    return &found->second;
  }
  auto row = book_.thread(thread_id);
  if (!row) {
    return std::move(row).error();
  }
  return &rows_.emplace(std::string(thread_id), std::move(row).value()).first->second;
}

ThreadRow& Edit::add(ThreadRow row) {
  auto id = row.id;
  return rows_.insert_or_assign(std::move(id), std::move(row)).first->second;
}

void Edit::log(ThreadRow& row, std::string type, std::string turn_id, const Json& data) {
  change.events.push_back({.id = common::newRecordId("evt", now_),
                           .thread_id = row.id,
                           .seq = ++row.last_seq,
                           .type = std::move(type),
                           .turn_id = std::move(turn_id),
                           .data = data.dump(),
                           .created_at = now_});
}

void Edit::tell(const ThreadRow& row, std::string change_kind, Json metadata) {
  notices_.push_back({.thread_id = row.id,
                      .project_id = row.project_id,
                      .hidden = row.hidden,
                      .change = std::move(change_kind),
                      .metadata = std::move(metadata)});
}

void Edit::emit(std::string name, Json payload) {
  emissions_.push_back({std::move(name), std::move(payload)});
}

void Edit::emitThread(const char* name, const ThreadRow& row, Json more) {
  emissions_.push_back({name, more.isNull() ? Json::object() : std::move(more), row.id});
}

bool Edit::feed(ThreadRow& row, ThreadInput input) {
  const auto state = threadStateOf(row.status).value_or(ThreadState::kError);
  auto step =
      advance(state, input, {.archived = row.archived_at != 0, .deleted = row.deleted_at != 0});
  if (!step) {
    return false;
  }
  row.status = std::string(nameOf(step->state));
  row.updated_at = now_;
  tell(row, "status-changed");
  for (const auto effect : step->effects) {
    if (effect == ThreadEffect::kAttention) {
      row.latest_attention_at = now_;
    } else if (effect == ThreadEffect::kEmitActive) {
      emitThread("thread.active", row);
    } else {
      effects_.emplace_back(row.id, effect);
    }
  }
  return true;
}

Result<bool> Edit::commit() {
  for (auto& [id, row] : rows_) {
    change.threads.push_back(row);
  }
  auto stored = book_.store_.apply(change);
  if (!stored || !stored.value()) {
    writing_.unlock();
    return stored;
  }
  book_.take(change);
  for (auto& each : emissions_) {
    if (const auto row = rows_.find(each.thread_id); row != rows_.end()) {
      auto payload = Json::object().set("thread", book_.record(row->second));
      for (const auto& [key, value] : each.payload.members()) {
        payload.set(key, value);
      }
      each.payload = std::move(payload);
    }
  }
  // Queued while nobody else may write, so that what is told has the order of the changes.
  book_.queueNews({change.events, std::move(notices_), std::move(emissions_)});
  writing_.unlock();
  book_.tellNews();
  for (const auto& task : after_) {
    task();
  }
  return true;
}

void Edit::show() {
  for (const auto& [id, row] : rows_) {
    book_.takeState(row);
  }
  book_.queueNews({{}, std::move(notices_), {}});
  writing_.unlock();
  book_.tellNews();
}

}  // namespace svc::threads
