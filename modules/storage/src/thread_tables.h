#pragma once

#include <optional>
#include <string>
#include <vector>

#include "svc/storage/thread_store.h"

#include "database.h"

namespace svc::storage {

/// threads, turns and what else belongs to threads but their events, through statements prepared once. Thread of the connection;
/// throws SqliteFailure.
class ThreadTables {
 public:
  explicit ThreadTables(const Database& database);

  [[nodiscard]] std::vector<ThreadRow> threads();
  [[nodiscard]] std::vector<TurnRow> turns(const std::string& thread_id);
  [[nodiscard]] std::vector<TurnRow> openTurns();
  [[nodiscard]] std::vector<QueuedMessageRow> queuedMessages();
  [[nodiscard]] std::vector<InteractionRow> openInteractions();
  [[nodiscard]] std::optional<InteractionRow> interaction(const std::string& interaction_id);
  [[nodiscard]] std::vector<ThreadSectionRow> sections();
  [[nodiscard]] ThreadTabsRow tabs(const std::string& thread_id);
  [[nodiscard]] std::size_t threadsWithMetadata(const std::string& plugin_id);
  [[nodiscard]] std::string metadata(const std::string& thread_id, const std::string& plugin_id);
  [[nodiscard]] std::vector<ThreadMetadataRow> allMetadata(const std::string& thread_id);

  /// Removes, then writes; events and positions are not looked at.
  void apply(const ThreadChange& change);

 private:
  void put(const ThreadRow& row);
  void put(const TurnRow& row);

  Statement list_threads_;
  Statement put_thread_;
  Statement turns_of_;
  Statement open_turns_;
  Statement put_turn_;
  Statement list_queued_;
  Statement put_queued_;
  Statement open_interactions_;
  Statement one_interaction_;
  Statement put_interaction_;
  Statement list_sections_;
  Statement put_section_;
  Statement tabs_of_;
  Statement put_tabs_;
  Statement metadata_of_;
  Statement all_metadata_of_;
  Statement put_metadata_;
  Statement remove_queued_;
  Statement remove_section_;
  Statement remove_thread_;
  Statement remove_turns_of_;
  Statement remove_queued_of_;
  Statement remove_interactions_of_;
  Statement remove_tabs_of_;
  Statement remove_metadata_of_;
  Statement count_metadata_of_plugin_;
  Statement remove_metadata_of_plugin_;
};

}  // namespace svc::storage
