#pragma once

#include "svc/storage/thread_store.h"

#include "sides.h"
#include "store_threads.h"
#include "thread_event_table.h"
#include "thread_tables.h"

namespace svc::storage {

/// Thread-safe: every call waits for a request of the store threads.
class SqliteThreadStore final : public IThreadStore {
 public:
  SqliteThreadStore(OnBothSides<ThreadTables>& tables, OnBothSides<ThreadEventTable>& events,
                    StoreThreads& threads)
      : tables_(tables), events_(events), threads_(threads) {}

  [[nodiscard]] Result<std::vector<ThreadRow>> threads() override;
  [[nodiscard]] Result<std::vector<TurnRow>> turns(const std::string& thread_id) override;
  [[nodiscard]] Result<std::vector<TurnRow>> openTurns() override;
  [[nodiscard]] Result<std::vector<QueuedMessageRow>> queuedMessages() override;
  [[nodiscard]] Result<std::vector<InteractionRow>> openInteractions() override;
  [[nodiscard]] Result<std::optional<InteractionRow>> interaction(
      const std::string& interaction_id) override;
  [[nodiscard]] Result<std::vector<ThreadSectionRow>> sections() override;
  [[nodiscard]] Result<ThreadTabsRow> tabs(const std::string& thread_id) override;
  [[nodiscard]] Result<std::string> metadata(const std::string& thread_id,
                                             const std::string& plugin_id) override;
  [[nodiscard]] Result<std::vector<ThreadMetadataRow>> allMetadata(
      const std::string& thread_id) override;
  [[nodiscard]] Result<std::size_t> threadsWithMetadata(const std::string& plugin_id) override;
  [[nodiscard]] Result<std::vector<ThreadEventRow>> events(const ThreadEventQuery& query) override;
  [[nodiscard]] Result<std::vector<ThreadEventRow>> findEvents(
      const std::string& text, const std::vector<std::string>& types, std::size_t limit) override;
  [[nodiscard]] Result<bool> apply(const ThreadChange& change) override;

 private:
  template <class T, class Ask>
  [[nodiscard]] Result<T> read(Ask ask);

  OnBothSides<ThreadTables>& tables_;
  OnBothSides<ThreadEventTable>& events_;
  StoreThreads& threads_;
};

}  // namespace svc::storage
