#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/fake_clock.h"
#include "memory_thread_store.h"
#include "thread_book.h"
#include "thread_records.h"

namespace svc::threads {

/// A store in memory that can be made to fail.
class BreakableStore final : public storage_memory::MemoryThreadStore {
 public:
  Result<bool> apply(const storage::ThreadChange& change) override {
    if (broken) {
      return *broken;
    }
    return MemoryThreadStore::apply(change);
  }
  Result<std::vector<storage::ThreadEventRow>> events(
      const storage::ThreadEventQuery& query) override {
    if (on_events) {
      on_events();
    }
    auto read = MemoryThreadStore::events(query);
    events_read += read ? read.value().size() : 0;
    ++event_reads;
    return read;
  }
  std::optional<Error> broken;
  std::function<void()> on_events;  ///< before each read of a log
  std::size_t event_reads = 0;
  std::size_t events_read = 0;
};

/// A book that has been opened on an empty store, and what it told.
class ThreadsFixture : public ::testing::Test {
 protected:
  ThreadsFixture() { restartBook(); }

  Announcements announcements() {
    return {.changed =
                [this](const Notice& notice) {
                  told_.emplace_back(notice.thread_id, notice.change);
                  told_hidden_.push_back(notice.hidden);
                  onChanged(notice);
                },
            .emitted =
                [this](const std::string& name, const common::Json& payload) {
                  emitted_.emplace_back(name, payload["thread"]["id"].asString());
                  payloads_.push_back(payload);
                },
            .logged =
                [this](const std::vector<storage::ThreadEventRow>& events) {
                  logged_.insert(logged_.end(), events.begin(), events.end());
                  onLogged(events);
                }};
  }
  virtual void onChanged(const Notice& /*notice*/) {}
  virtual void onLogged(const std::vector<storage::ThreadEventRow>& /*events*/) {}
  /// As after a restart of the server: only what was stored is left.
  void restartBook() {
    book_ = std::make_unique<ThreadBook>(store_, clock_, announcements());
    EXPECT_TRUE(book_->open().ok());
    records_ = std::make_unique<ThreadRecords>(*book_);
    forget();
  }
  void forget() {
    told_.clear();
    told_hidden_.clear();
    emitted_.clear();
    payloads_.clear();
    logged_.clear();
  }
  /// A thread that nothing runs in.
  void add(const std::string& id, storage::ThreadRow row = {}) {
    clock_.advance(std::chrono::milliseconds(1));
    row.id = id;
    row.project_id = row.project_id.empty() ? "proj_a" : row.project_id;
    row.status = row.status.empty() ? "idle" : row.status;
    row.title_fallback = "about " + id;
    row.latest_attention_at = clock_.nowMs();
    row.created_at = clock_.nowMs();
    row.updated_at = clock_.nowMs();
    Edit edit(*book_);
    edit.add(std::move(row));
    EXPECT_TRUE(edit.commit().ok());
  }
  std::vector<std::string> ids(ThreadFilter filter = {}) {
    filter.limit = filter.limit == 0 ? 100 : filter.limit;
    std::vector<std::string> out;
    const auto list = records_->list(filter);
    for (const auto& record : list.items()) {
      out.push_back(record["id"].asString());
    }
    return out;
  }

  using Told = std::vector<std::pair<std::string, std::string>>;
  svc::test::FakeClock clock_;
  BreakableStore store_;
  Told told_;
  /// Of each, whether only those who look at the thread itself hear of it.
  std::vector<bool> told_hidden_;
  Told emitted_;  ///< event and thread
  std::vector<common::Json> payloads_;
  std::vector<storage::ThreadEventRow> logged_;
  std::unique_ptr<ThreadBook> book_;
  std::unique_ptr<ThreadRecords> records_;
};

}  // namespace svc::threads
