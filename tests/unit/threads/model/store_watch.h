#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/executor.h"
#include "svc/storage/thread_store.h"

namespace svc::threads::model {

/// The words `m1`, `m2`, … that blocks of input consist of.
[[nodiscard]] std::vector<std::string> wordsOf(const common::Json& input);

/// Sees every change that is stored, and judges it: what may follow what is written here a second time, from the contract.
class StoreWatch {
 public:
  void stored(const storage::ThreadChange& change);
  /// All that can be said of logs at any time.
  void checkLogs();
  /// The store has what it was given.
  void compare(storage::IThreadStore& store);
  void blame(std::string problem) { problems_.push_back(std::move(problem)); }
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

  /// How often the word is in queues, and in requests that are no retries.
  [[nodiscard]] int count(const std::string& word) const;
  /// In the order of the queue.
  [[nodiscard]] std::vector<storage::QueuedMessageRow> queue(const std::string& thread_id) const;
  [[nodiscard]] bool isOpen(const std::string& thread_id) const;
  /// Requests that no agent has had, whose threads nobody has stopped: a restart leaves them as they are.
  [[nodiscard]] std::vector<std::string> outliving() const;
  [[nodiscard]] const std::vector<storage::ThreadEventRow>& log(const std::string& thread_id) const;

  std::vector<std::string> order{};  ///< ids of threads as they came
  std::map<std::string, storage::ThreadRow> threads{};
  std::map<std::string, storage::TurnRow> turns{};  ///< by request
  std::map<std::string, storage::InteractionRow> interactions{};

  /// What people are doing: rows may change their places, or be taken away.
  bool moving = false;
  bool removing = false;
  /// A plugin refuses what it was asked about: a retry that somebody waits for leaves nothing.
  bool refusing = false;
  /// Without what waits at the front for a time or a plugin, and keeps nothing back. After a turn that failed only retries and what has a
  /// time go by themselves.
  [[nodiscard]] std::vector<std::string> ready(const std::vector<std::string>& queue,
                                               bool after_failure = false) const;

  const IClock* clock = nullptr;
  /// What was ready() when a plugin was asked about the first of it.
  std::map<std::string, std::vector<std::string>> asked{};
  /// The same after a turn that failed.
  std::map<std::string, std::vector<std::string>> asked_after_failure{};
  void noteAsked(const std::string& thread_id, const std::vector<std::string>& queue);
  /// Something is ready that was said before what is said now; after a turn that failed that does not matter.
  [[nodiscard]] bool keepsOrder(const std::string& thread_id) const;

 private:
  using Ids = std::vector<std::string>;

  void checkThread(const storage::ThreadRow& row);
  void checkTurn(const storage::TurnRow& row);
  void checkInteraction(const storage::InteractionRow& row);
  void checkEvent(const storage::ThreadEventRow& row);
  void checkLeaving(const std::string& row_id, const storage::ThreadChange& change);
  void checkQueue(const std::string& thread_id, const Ids& before);
  void checkWhole(const std::string& thread_id);
  void checkLog(const std::string& thread_id);
  void checkTurnIn(const storage::TurnRow& turn);
  [[nodiscard]] Ids queueIds(const std::string& thread_id) const;

  std::map<std::string, std::vector<storage::ThreadEventRow>> events_;
  std::map<std::string, storage::QueuedMessageRow> queued_;
  std::map<std::pair<std::string, std::string>, std::int64_t> positions_;
  std::vector<std::string> problems_;
};

}  // namespace svc::threads::model
