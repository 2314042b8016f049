#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/executor.h"
#include "svc/storage/thread_store.h"

#include "interaction_machine.h"
#include "thread_machine.h"
#include "turn_machine.h"

namespace svc::threads {

/// One thing to tell of a thread once it is stored.
struct Notice {
  std::string thread_id{};
  std::string project_id{};
  bool hidden = false;
  std::string change{};  ///< a kind of the contract: "thread-created", …
  common::Json metadata{};
};

/// An event of plugins.
struct Emission {
  std::string name{};
  common::Json payload{};
  std::string thread_id{};  ///< not empty: the record of this thread becomes a member
};

/// Who hears what has happened; called without locks, on the thread that made the change, in the order of the changes of a thread.
struct Announcements {
  std::function<void(const Notice& notice)> changed = [](const Notice&) {};
  /// An event of plugins with its payload.
  std::function<void(const std::string& name, const common::Json& payload)> emitted =
      [](const std::string&, const common::Json&) {};
  /// Lines of the log that are new.
  std::function<void(const std::vector<storage::ThreadEventRow>& events)> logged =
      [](const std::vector<storage::ThreadEventRow>&) {};
};

/// What is known of all threads: rows in memory, and their way into the store. Thread-safe. Reading is quick; changes are made by an
/// Edit.
class ThreadBook {
 public:
  ThreadBook(storage::IThreadStore& store, const IClock& clock, Announcements announce)
      : store_(store), clock_(clock), announce_(std::move(announce)) {}

  /// Reads what is stored. Blocks.
  [[nodiscard]] Status open();

  /// Without those that are deleted.
  [[nodiscard]] std::vector<storage::ThreadRow> threads() const;
  /// `not_found` for one that is unknown or deleted.
  [[nodiscard]] Result<storage::ThreadRow> thread(std::string_view thread_id) const;
  [[nodiscard]] std::optional<storage::TurnRow> openTurn(std::string_view thread_id) const;
  /// In their order.
  [[nodiscard]] std::vector<storage::QueuedMessageRow> queue(std::string_view thread_id) const;
  [[nodiscard]] std::vector<std::string> threadsWithQueue() const;
  /// Those that are open, oldest first.
  [[nodiscard]] std::vector<storage::InteractionRow> interactions(std::string_view thread_id) const;
  [[nodiscard]] std::vector<storage::ThreadSectionRow> sections() const;
  /// The record of the contract.
  [[nodiscard]] common::Json record(const storage::ThreadRow& row) const;
  /// Who knows what `runtime` of a record is; without it that is the status. Before others use the book; called from any thread.
  using Runtime = std::function<common::Json(const storage::ThreadRow& row)>;
  void useRuntime(Runtime runtime) { runtime_ = std::move(runtime); }
  /// Says of a thread that its record is another one although its row is not.
  void tellShown(const storage::ThreadRow& row) const;
  [[nodiscard]] std::int64_t now() const { return clock_.nowMs(); }
  [[nodiscard]] storage::IThreadStore& store() const { return store_; }

 private:
  friend class Edit;
  using ByThread = std::map<std::string, std::vector<storage::QueuedMessageRow>, std::less<>>;

  [[nodiscard]] bool hasPending(std::string_view thread_id) const;
  struct News {
    std::vector<storage::ThreadEventRow> events{};
    std::vector<Notice> notices{};
    std::vector<Emission> emissions{};
  };
  void queueNews(News news);
  /// By one thread at a time, without locks.
  void tellNews();
  void take(const storage::ThreadChange& change);
  void takeState(const storage::ThreadRow& row);
  void takeQueued(const storage::ThreadChange& change);

  storage::IThreadStore& store_;
  const IClock& clock_;
  const Announcements announce_;
  Runtime runtime_;

  /// One change at a time; taken before the others, and held while the store writes.
  std::mutex write_mutex_;
  std::mutex news_mutex_;
  std::deque<News> news_;
  bool telling_ = false;
  mutable std::mutex mutex_;
  std::map<std::string, storage::ThreadRow, std::less<>> threads_;
  std::map<std::string, storage::TurnRow, std::less<>> open_turns_;  ///< by thread
  ByThread queued_;
  std::map<std::string, storage::InteractionRow, std::less<>> interactions_;
  std::map<std::string, storage::ThreadSectionRow, std::less<>> sections_;
};

/// One change of the book in the making: nobody else changes anything while it lives. Blocks when it is made and in commit(), so it is
/// never used on the io thread, and not kept.
class Edit {
 public:
  explicit Edit(ThreadBook& book) : book_(book), writing_(book.write_mutex_), now_(book.now()) {}

  [[nodiscard]] std::int64_t now() const { return now_; }
  [[nodiscard]] const ThreadBook& book() const { return book_; }
  /// The row as this change will leave it; `not_found`. Valid while the edit lives.
  [[nodiscard]] Result<storage::ThreadRow*> thread(std::string_view thread_id);
  storage::ThreadRow& add(storage::ThreadRow row);
  void log(storage::ThreadRow& row, std::string type, std::string turn_id,
           const common::Json& data);
  void tell(const storage::ThreadRow& row, std::string change, common::Json metadata = {});
  void emit(std::string name, common::Json payload);
  /// `emit` with the record of the thread as it will be.
  void emitThread(const char* name, const storage::ThreadRow& row, common::Json more = {});
  /// Runs the machine of the thread; false when the input has no effect.
  bool feed(storage::ThreadRow& row, ThreadInput input);
  /// Called after what is announced.
  void afterwards(std::function<void()> task) { after_.push_back(std::move(task)); }

  /// What feed() has asked for, for whoever runs it.
  [[nodiscard]] const std::vector<std::pair<std::string, ThreadEffect>>& effects() const {
    return effects_;
  }
  storage::ThreadChange change{};

  /// Stores it, takes it into memory, lets others write, tells. False when the event of an agent was there before; then, and on an error,
  /// nothing has changed and nothing is told.
  [[nodiscard]] Result<bool> commit();
  /// For what the store cannot take now: the states of the threads are taken into memory and told, and stored with the next change of each
  /// thread. Nothing else of the edit is kept.
  void show();

 private:
  ThreadBook& book_;
  std::unique_lock<std::mutex> writing_;
  const std::int64_t now_;
  std::map<std::string, storage::ThreadRow, std::less<>> rows_;
  std::vector<Notice> notices_;
  std::vector<Emission> emissions_;
  std::vector<std::pair<std::string, ThreadEffect>> effects_;
  std::vector<std::function<void()>> after_;
};

/// `not_found`, and how to find the ids.
[[nodiscard]] Error noSuchThread(std::string_view thread_id);

}  // namespace svc::threads
