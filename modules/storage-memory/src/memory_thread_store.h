#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "svc/storage/thread_store.h"

namespace svc::storage_memory {

/// Keeps threads and everything of theirs for as long as the object lives. Thread-safe.
class MemoryThreadStore : public storage::IThreadStore {
 public:
  [[nodiscard]] Result<std::vector<storage::ThreadRow>> threads() override;
  [[nodiscard]] Result<std::vector<storage::TurnRow>> turns(const std::string& thread_id) override;
  [[nodiscard]] Result<std::vector<storage::TurnRow>> openTurns() override;
  [[nodiscard]] Result<std::vector<storage::QueuedMessageRow>> queuedMessages() override;
  [[nodiscard]] Result<std::vector<storage::InteractionRow>> openInteractions() override;
  [[nodiscard]] Result<std::optional<storage::InteractionRow>> interaction(
      const std::string& interaction_id) override;
  [[nodiscard]] Result<std::vector<storage::ThreadSectionRow>> sections() override;
  [[nodiscard]] Result<storage::ThreadTabsRow> tabs(const std::string& thread_id) override;
  [[nodiscard]] Result<std::string> metadata(const std::string& thread_id,
                                             const std::string& plugin_id) override;
  [[nodiscard]] Result<std::vector<storage::ThreadMetadataRow>> allMetadata(
      const std::string& thread_id) override;
  [[nodiscard]] Result<std::size_t> threadsWithMetadata(const std::string& plugin_id) override;
  [[nodiscard]] Result<std::vector<storage::ThreadEventRow>> events(
      const storage::ThreadEventQuery& query) override;
  [[nodiscard]] Result<std::vector<storage::ThreadEventRow>> findEvents(
      const std::string& text, const std::vector<std::string>& types, std::size_t limit) override;
  [[nodiscard]] Result<bool> apply(const storage::ThreadChange& change) override;

 private:
  using OfThread = std::pair<std::string, std::string>;

  void remove(const storage::ThreadChange& change);
  void write(const storage::ThreadChange& change);

  std::mutex mutex_;
  std::map<std::string, storage::ThreadRow> threads_;
  std::map<std::string, storage::TurnRow> turns_;
  std::map<std::pair<std::string, std::int64_t>, storage::ThreadEventRow> events_;
  std::map<std::string, storage::QueuedMessageRow> queued_;
  std::map<std::string, storage::InteractionRow> interactions_;
  std::map<std::string, storage::ThreadSectionRow> sections_;
  std::map<std::string, storage::ThreadTabsRow> tabs_;
  std::map<OfThread, storage::ThreadMetadataRow> metadata_;
  std::map<OfThread, std::int64_t> positions_;
};

}  // namespace svc::storage_memory
