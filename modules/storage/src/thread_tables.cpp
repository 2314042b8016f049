#include "thread_tables.h"

#include <utility>

namespace svc::storage {
namespace {

constexpr const char* kTurnColumns =
    "SELECT request_id, turn_id, thread_id, state, attempt, retry_of, initiator, "
    "provider_turn_id, error, requested_seq, accepted_at, dispatched_at, started_at, ended_at "
    "FROM turns ";
constexpr const char* kInteractionColumns =
    "SELECT id, thread_id, turn_id, status, status_reason, origin, payload, resolution, "
    "created_at, resolved_at, expires_at FROM interactions ";

TurnRow readTurn(const Run& rows) {
  TurnRow row;
  row.request_id = rows.text(0);
  row.turn_id = rows.text(1);
  row.thread_id = rows.text(2);
  row.state = rows.text(3);
  row.attempt = rows.integer(4);
  row.retry_of = rows.text(5);
  row.initiator = rows.text(6);
  row.provider_turn_id = rows.text(7);
  row.error = rows.text(8);
  row.requested_seq = rows.integer(9);
  row.accepted_at = rows.integer(10);
  row.dispatched_at = rows.integer(11);
  row.started_at = rows.integer(12);
  row.ended_at = rows.integer(13);
  return row;
}

InteractionRow readInteraction(const Run& rows) {
  InteractionRow row;
  row.id = rows.text(0);
  row.thread_id = rows.text(1);
  row.turn_id = rows.text(2);
  row.status = rows.text(3);
  row.status_reason = rows.text(4);
  row.origin = rows.text(5);
  row.payload = rows.text(6);
  row.resolution = rows.text(7);
  row.created_at = rows.integer(8);
  row.resolved_at = rows.integer(9);
  row.expires_at = rows.integer(10);
  return row;
}

ThreadRow readThread(const Run& rows) {
  ThreadRow row;
  row.id = rows.text(0);
  row.project_id = rows.text(1);
  row.environment_id = rows.text(2);
  row.provider_id = rows.text(3);
  row.title = rows.text(4);
  row.title_is_own = rows.integer(5) != 0;
  row.title_fallback = rows.text(6);
  row.section_id = rows.text(7);
  row.status = rows.text(8);
  row.parent_thread_id = rows.text(9);
  row.source_thread_id = rows.text(10);
  row.origin_kind = rows.text(11);
  row.origin_plugin_id = rows.text(12);
  row.hidden = rows.integer(13) != 0;
  row.pin_sort_key = rows.text(14);
  row.archived_at = rows.integer(15);
  row.pinned_at = rows.integer(16);
  row.deleted_at = rows.integer(17);
  row.last_read_at = rows.integer(18);
  row.latest_attention_at = rows.integer(19);
  row.created_at = rows.integer(20);
  row.updated_at = rows.integer(21);
  row.execution = rows.text(22);
  row.environment = rows.text(23);
  row.session = rows.text(24);
  row.last_seq = rows.integer(25);
  row.owes_idle = rows.integer(26) != 0;
  return row;
}

template <class Row, class Read>
std::vector<Row> all(Run rows, Read read) {
  std::vector<Row> out;
  while (rows.next()) {
    out.push_back(read(rows));
  }
  return out;
}

std::int64_t flag(bool value) { return value ? 1 : 0; }

}  // namespace

ThreadTables::ThreadTables(const Database& database)
    : list_threads_(
          database.handle(),
          "SELECT id, project_id, environment_id, provider_id, title, title_is_own, "
          "title_fallback, section_id, status, parent_thread_id, source_thread_id, "
          "origin_kind, origin_plugin_id, hidden, pin_sort_key, archived_at, pinned_at, "
          "deleted_at, last_read_at, latest_attention_at, created_at, updated_at, "
          "execution, environment, session, last_seq, owes_idle FROM threads ORDER BY id"),
      put_thread_(database.handle(),
                  "INSERT OR REPLACE INTO threads (id, project_id, environment_id, provider_id, "
                  "title, title_is_own, title_fallback, section_id, status, parent_thread_id, "
                  "source_thread_id, origin_kind, origin_plugin_id, hidden, pin_sort_key, "
                  "archived_at, pinned_at, deleted_at, last_read_at, latest_attention_at, "
                  "created_at, updated_at, execution, environment, session, last_seq, "
                  "owes_idle) VALUES "
                  "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
      turns_of_(database.handle(),
                std::string(kTurnColumns) + "WHERE thread_id=? ORDER BY accepted_at, request_id"),
      open_turns_(database.handle(),
                  std::string(kTurnColumns) +
                      "WHERE state IN ('accepted', 'dispatched', 'started') ORDER BY request_id"),
      put_turn_(database.handle(),
                "INSERT OR REPLACE INTO turns (request_id, turn_id, thread_id, state, attempt, "
                "retry_of, initiator, provider_turn_id, error, requested_seq, accepted_at, "
                "dispatched_at, started_at, ended_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
      list_queued_(database.handle(),
                   "SELECT id, thread_id, sort_key, content, options, group_with_next, send_at, "
                   "waiting_on, payload, created_at, updated_at FROM queued_messages ORDER BY "
                   "thread_id, sort_key, id"),
      put_queued_(database.handle(),
                  "INSERT OR REPLACE INTO queued_messages (id, thread_id, sort_key, content, "
                  "options, group_with_next, send_at, waiting_on, payload, created_at, "
                  "updated_at) VALUES (?,?,?,?,?,?,?,?,?,?,?)"),
      open_interactions_(database.handle(),
                         std::string(kInteractionColumns) +
                             "WHERE status IN ('pending', 'resolving') ORDER BY id"),
      one_interaction_(database.handle(), std::string(kInteractionColumns) + "WHERE id=?"),
      put_interaction_(database.handle(),
                       "INSERT OR REPLACE INTO interactions (id, thread_id, turn_id, status, "
                       "status_reason, origin, payload, resolution, created_at, resolved_at, "
                       "expires_at) VALUES (?,?,?,?,?,?,?,?,?,?,?)"),
      list_sections_(database.handle(),
                     "SELECT id, name, created_at, updated_at FROM thread_sections ORDER BY id"),
      put_section_(database.handle(),
                   "INSERT OR REPLACE INTO thread_sections (id, name, created_at, updated_at) "
                   "VALUES (?,?,?,?)"),
      tabs_of_(database.handle(), "SELECT revision, tabs FROM thread_tabs WHERE thread_id=?"),
      put_tabs_(database.handle(),
                "INSERT OR REPLACE INTO thread_tabs (thread_id, revision, tabs) VALUES (?,?,?)"),
      metadata_of_(database.handle(),
                   "SELECT metadata FROM thread_plugin_metadata WHERE thread_id=? AND plugin_id=?"),
      all_metadata_of_(database.handle(),
                       "SELECT plugin_id, metadata FROM thread_plugin_metadata WHERE thread_id=? "
                       "ORDER BY plugin_id"),
      put_metadata_(database.handle(),
                    "INSERT OR REPLACE INTO thread_plugin_metadata (thread_id, plugin_id, "
                    "metadata) VALUES (?,?,?)"),
      remove_queued_(database.handle(), "DELETE FROM queued_messages WHERE id=?"),
      remove_section_(database.handle(), "DELETE FROM thread_sections WHERE id=?"),
      remove_thread_(database.handle(), "DELETE FROM threads WHERE id=?"),
      remove_turns_of_(database.handle(), "DELETE FROM turns WHERE thread_id=?"),
      remove_queued_of_(database.handle(), "DELETE FROM queued_messages WHERE thread_id=?"),
      remove_interactions_of_(database.handle(), "DELETE FROM interactions WHERE thread_id=?"),
      remove_tabs_of_(database.handle(), "DELETE FROM thread_tabs WHERE thread_id=?"),
      remove_metadata_of_(database.handle(),
                          "DELETE FROM thread_plugin_metadata WHERE thread_id=?"),
      count_metadata_of_plugin_(database.handle(),
                                "SELECT count(*) FROM thread_plugin_metadata WHERE plugin_id=?"),
      remove_metadata_of_plugin_(database.handle(),
                                 "DELETE FROM thread_plugin_metadata WHERE plugin_id=?") {}

std::vector<ThreadRow> ThreadTables::threads() {
  return all<ThreadRow>(list_threads_.run(), readThread);
}

std::vector<TurnRow> ThreadTables::turns(const std::string& thread_id) {
  return all<TurnRow>(turns_of_.run(thread_id), readTurn);
}

std::vector<TurnRow> ThreadTables::openTurns() { return all<TurnRow>(open_turns_.run(), readTurn); }

std::vector<QueuedMessageRow> ThreadTables::queuedMessages() {
  return all<QueuedMessageRow>(list_queued_.run(), [](const Run& rows) {
    QueuedMessageRow row;
    row.id = rows.text(0);
    row.thread_id = rows.text(1);
    row.sort_key = rows.text(2);
    row.content = rows.text(3);
    row.options = rows.text(4);
    row.group_with_next = rows.integer(5) != 0;
    row.send_at = rows.integer(6);
    row.waiting_on = rows.text(7);
    row.payload = rows.text(8);
    row.created_at = rows.integer(9);
    row.updated_at = rows.integer(10);
    return row;
  });
}

std::vector<InteractionRow> ThreadTables::openInteractions() {
  return all<InteractionRow>(open_interactions_.run(), readInteraction);
}

std::optional<InteractionRow> ThreadTables::interaction(const std::string& interaction_id) {
  auto rows = one_interaction_.run(interaction_id);
  return rows.next() ? std::optional(readInteraction(rows)) : std::nullopt;
}

std::vector<ThreadSectionRow> ThreadTables::sections() {
  return all<ThreadSectionRow>(list_sections_.run(), [](const Run& rows) {
    return ThreadSectionRow{.id = rows.text(0),
                            .name = rows.text(1),
                            .created_at = rows.integer(2),
                            .updated_at = rows.integer(3)};
  });
}

ThreadTabsRow ThreadTables::tabs(const std::string& thread_id) {
  ThreadTabsRow row{.thread_id = thread_id};
  auto rows = tabs_of_.run(thread_id);
  if (rows.next()) {
    row.revision = rows.integer(0);
    row.tabs = rows.text(1);
  }
  return row;
}

std::size_t ThreadTables::threadsWithMetadata(const std::string& plugin_id) {
  auto rows = count_metadata_of_plugin_.run(plugin_id);
  return rows.next() ? static_cast<std::size_t>(rows.integer(0)) : 0;
}

std::string ThreadTables::metadata(const std::string& thread_id, const std::string& plugin_id) {
  auto rows = metadata_of_.run(thread_id, plugin_id);
  return rows.next() ? rows.text(0) : std::string();
}

std::vector<ThreadMetadataRow> ThreadTables::allMetadata(const std::string& thread_id) {
  std::vector<ThreadMetadataRow> out;
  auto rows = all_metadata_of_.run(thread_id);
  while (rows.next()) {
    out.push_back({.thread_id = thread_id, .plugin_id = rows.text(0), .metadata = rows.text(1)});
  }
  return out;
}

void ThreadTables::put(const ThreadRow& row) {
  put_thread_.execute(row.id, row.project_id, row.environment_id, row.provider_id, row.title,
                      flag(row.title_is_own), row.title_fallback, row.section_id, row.status,
                      row.parent_thread_id, row.source_thread_id, row.origin_kind,
                      row.origin_plugin_id, flag(row.hidden), row.pin_sort_key, row.archived_at,
                      row.pinned_at, row.deleted_at, row.last_read_at, row.latest_attention_at,
                      row.created_at, row.updated_at, row.execution, row.environment, row.session,
                      row.last_seq, flag(row.owes_idle));
}

void ThreadTables::put(const TurnRow& row) {
  put_turn_.execute(row.request_id, row.turn_id, row.thread_id, row.state, row.attempt,
                    row.retry_of, row.initiator, row.provider_turn_id, row.error, row.requested_seq,
                    row.accepted_at, row.dispatched_at, row.started_at, row.ended_at);
}

void ThreadTables::apply(const ThreadChange& change) {
  for (const auto& id : change.gone_threads) {
    for (auto* statement : {&remove_thread_, &remove_turns_of_, &remove_queued_of_,
                            &remove_interactions_of_, &remove_tabs_of_, &remove_metadata_of_}) {
      statement->execute(id);
    }
  }
  for (const auto& id : change.gone_queued) {
    remove_queued_.execute(id);
  }
  for (const auto& id : change.gone_sections) {
    remove_section_.execute(id);
  }
  for (const auto& id : change.gone_metadata) {
    remove_metadata_of_plugin_.execute(id);
  }
  for (const auto& row : change.threads) {
    put(row);
  }
  for (const auto& row : change.turns) {
    put(row);
  }
  for (const auto& row : change.queued) {
    put_queued_.execute(row.id, row.thread_id, row.sort_key, row.content, row.options,
                        flag(row.group_with_next), row.send_at, row.waiting_on, row.payload,
                        row.created_at, row.updated_at);
  }
  for (const auto& row : change.interactions) {
    put_interaction_.execute(row.id, row.thread_id, row.turn_id, row.status, row.status_reason,
                             row.origin, row.payload, row.resolution, row.created_at,
                             row.resolved_at, row.expires_at);
  }
  for (const auto& row : change.sections) {
    put_section_.execute(row.id, row.name, row.created_at, row.updated_at);
  }
  for (const auto& row : change.tabs) {
    put_tabs_.execute(row.thread_id, row.revision, row.tabs);
  }
  for (const auto& row : change.metadata) {
    put_metadata_.execute(row.thread_id, row.plugin_id, row.metadata);
  }
}

}  // namespace svc::storage
