#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::storage {

/// One thread. Times are milliseconds since the epoch; 0 = not (yet). An empty text is none.
struct ThreadRow {
  std::string id{};
  std::string project_id{};
  std::string environment_id{};
  std::string provider_id{};
  std::string title{};
  bool title_is_own = false;  ///< a user or a plugin gave it, so that the agent does not replace it
  std::string title_fallback{};
  std::string section_id{};
  std::string status{};
  std::string parent_thread_id{};
  std::string source_thread_id{};
  std::string origin_kind{};
  std::string origin_plugin_id{};
  bool hidden = false;
  std::string pin_sort_key{};
  std::int64_t archived_at = 0;
  std::int64_t pinned_at = 0;
  std::int64_t deleted_at = 0;
  std::int64_t last_read_at = 0;
  std::int64_t latest_attention_at = 0;
  std::int64_t created_at = 0;
  std::int64_t updated_at = 0;
  std::string execution{};  ///< JSON object: model, reasoning level, permission mode, service tier
  std::string environment{};  ///< JSON object: what was asked for, and what is known of it
  std::string session{};      ///< the agent's own id of the session
  std::int64_t last_seq = 0;  ///< of its events
  bool owes_idle = false;  ///< its run was ended for the server's stop, and no plugin has heard it

  friend bool operator==(const ThreadRow&, const ThreadRow&) = default;
};

/// One turn, by the request that asked for it.
struct TurnRow {
  std::string request_id{};
  std::string turn_id{};  ///< empty until the agent has taken it
  std::string thread_id{};
  std::string state{};
  std::int64_t attempt = 1;
  std::string retry_of{};
  std::string initiator{};
  std::string provider_turn_id{};
  std::string error{};
  std::int64_t requested_seq = 0;  ///< of the event that holds what was said
  std::int64_t accepted_at = 0;
  std::int64_t dispatched_at = 0;
  std::int64_t started_at = 0;
  std::int64_t ended_at = 0;

  friend bool operator==(const TurnRow&, const TurnRow&) = default;
};

/// One line of the log of a thread; never changes.
struct ThreadEventRow {
  std::string id{};
  std::string thread_id{};
  std::int64_t seq = 0;  ///< one more than the one before it
  std::string type{};
  std::string turn_id{};  ///< empty = of the thread as a whole
  std::string data{};     ///< JSON object
  std::int64_t created_at = 0;

  friend bool operator==(const ThreadEventRow&, const ThreadEventRow&) = default;
};

/// A message that waits. The rows of a thread are ordered by their keys.
struct QueuedMessageRow {
  std::string id{};
  std::string thread_id{};
  std::string sort_key{};
  std::string content{};  ///< JSON array of blocks
  std::string options{};  ///< JSON object: how it wants to be run, and who sends it
  bool group_with_next = false;
  std::int64_t send_at = 0;
  std::string waiting_on{};  ///< JSON object; empty = nothing of its own
  std::string payload{};     ///< JSON object
  std::int64_t created_at = 0;
  std::int64_t updated_at = 0;

  friend bool operator==(const QueuedMessageRow&, const QueuedMessageRow&) = default;
};

struct InteractionRow {
  std::string id{};
  std::string thread_id{};
  std::string turn_id{};
  std::string status{};
  std::string status_reason{};
  std::string origin{};      ///< JSON object
  std::string payload{};     ///< JSON object
  std::string resolution{};  ///< JSON object; empty = none
  std::int64_t created_at = 0;
  std::int64_t resolved_at = 0;
  std::int64_t expires_at = 0;

  friend bool operator==(const InteractionRow&, const InteractionRow&) = default;
};

struct ThreadSectionRow {
  std::string id{};
  std::string name{};
  std::int64_t created_at = 0;
  std::int64_t updated_at = 0;

  friend bool operator==(const ThreadSectionRow&, const ThreadSectionRow&) = default;
};

struct ThreadTabsRow {
  std::string thread_id{};
  std::int64_t revision = 0;
  std::string tabs = "[]";  ///< JSON array

  friend bool operator==(const ThreadTabsRow&, const ThreadTabsRow&) = default;
};

struct ThreadMetadataRow {
  std::string thread_id{};
  std::string plugin_id{};
  std::string metadata{};  ///< JSON object

  friend bool operator==(const ThreadMetadataRow&, const ThreadMetadataRow&) = default;
};

/// How far the events of an agent's session are in the log.
struct SessionPosition {
  std::string thread_id{};
  std::string session{};
  std::int64_t seq = 0;
};

/// Rows that change together. Inserted or replaced where nothing else is said.
struct ThreadChange {
  std::vector<ThreadRow> threads{};
  std::vector<TurnRow> turns{};
  std::vector<ThreadEventRow> events{};  ///< inserted
  std::vector<QueuedMessageRow> queued{};
  std::vector<InteractionRow> interactions{};
  std::vector<ThreadSectionRow> sections{};
  std::vector<ThreadTabsRow> tabs{};
  std::vector<ThreadMetadataRow> metadata{};
  std::vector<std::string> gone_threads{};   ///< ids; everything of theirs goes, too
  std::vector<std::string> gone_queued{};    ///< ids
  std::vector<std::string> gone_sections{};  ///< ids
  std::vector<std::string> gone_metadata{};  ///< ids of plugins; what they keep with any thread
  /// The change comes from this event of an agent: it is made once, however often the event arrives.
  std::optional<SessionPosition> position{};
};

/// Which events of a thread. Bounds are exclusive; 0 = none.
struct ThreadEventQuery {
  std::string thread_id{};
  std::int64_t after_seq = 0;
  std::int64_t before_seq = 0;
  bool descending = false;
  std::vector<std::string> types{};  ///< empty = all
  std::size_t limit = 100;
};

/// Threads and everything that belongs to them. Thread-safe. Every call blocks until the answer is durable, so it is never made from
/// the io thread or a script thread.
class IThreadStore {
 public:
  static constexpr ServiceId kId{"svc.storage.ThreadStore", 1};
  virtual ~IThreadStore() = default;

  /// Ascending by id, as those below.
  [[nodiscard]] virtual Result<std::vector<ThreadRow>> threads() = 0;
  /// Ascending by time of acceptance, then by id.
  [[nodiscard]] virtual Result<std::vector<TurnRow>> turns(const std::string& thread_id) = 0;
  /// Those of all threads that have not ended.
  [[nodiscard]] virtual Result<std::vector<TurnRow>> openTurns() = 0;
  /// Of all threads, by thread and key.
  [[nodiscard]] virtual Result<std::vector<QueuedMessageRow>> queuedMessages() = 0;
  /// Those of all threads that wait for an answer or its delivery.
  [[nodiscard]] virtual Result<std::vector<InteractionRow>> openInteractions() = 0;
  [[nodiscard]] virtual Result<std::optional<InteractionRow>> interaction(
      const std::string& interaction_id) = 0;
  [[nodiscard]] virtual Result<std::vector<ThreadSectionRow>> sections() = 0;
  /// Revision 0 without tabs when nothing is stored.
  [[nodiscard]] virtual Result<ThreadTabsRow> tabs(const std::string& thread_id) = 0;
  /// Empty when nothing is stored.
  [[nodiscard]] virtual Result<std::string> metadata(const std::string& thread_id,
                                                     const std::string& plugin_id) = 0;
  /// What all plugins keep with the thread, by plugin.
  [[nodiscard]] virtual Result<std::vector<ThreadMetadataRow>> allMetadata(
      const std::string& thread_id) = 0;
  /// With how many threads the plugin keeps metadata.
  [[nodiscard]] virtual Result<std::size_t> threadsWithMetadata(const std::string& plugin_id) = 0;
  [[nodiscard]] virtual Result<std::vector<ThreadEventRow>> events(
      const ThreadEventQuery& query) = 0;
  /// Events of these types whose data has this text in it (ASCII letters of either case), newest first. A candidate: the text may
  /// stand in any member.
  [[nodiscard]] virtual Result<std::vector<ThreadEventRow>> findEvents(
      const std::string& text, const std::vector<std::string>& types, std::size_t limit) = 0;

  /// All of it or nothing; removals come first. False when `position` is not above the one that is stored: nothing changes then.
  /// What is already gone is no error. `invalid_argument` for an empty id; `conflict` when a thread has an event of that seq.
  [[nodiscard]] virtual Result<bool> apply(const ThreadChange& change) = 0;
};

/// What every implementation answers to a row without its key; success when there is none.
[[nodiscard]] inline Status checkThreadChange(const ThreadChange& change) {
  const auto fails = [](bool whole) {
    return whole ? Status{}
                 : Status{Error{errc::kInvalidArgument,
                                "a row of a thread needs its id and the id of its thread"}};
  };
  bool whole = true;
  for (const auto& row : change.threads) {
    whole = whole && !row.id.empty();
  }
  for (const auto& row : change.turns) {
    whole = whole && !row.request_id.empty() && !row.thread_id.empty();
  }
  for (const auto& row : change.events) {
    whole = whole && !row.id.empty() && !row.thread_id.empty() && row.seq > 0;
  }
  for (const auto& row : change.queued) {
    whole = whole && !row.id.empty() && !row.thread_id.empty();
  }
  for (const auto& row : change.interactions) {
    whole = whole && !row.id.empty() && !row.thread_id.empty();
  }
  for (const auto& row : change.sections) {
    whole = whole && !row.id.empty();
  }
  for (const auto& row : change.tabs) {
    whole = whole && !row.thread_id.empty();
  }
  for (const auto& row : change.metadata) {
    whole = whole && !row.thread_id.empty() && !row.plugin_id.empty();
  }
  if (change.position) {
    whole = whole && !change.position->thread_id.empty() && !change.position->session.empty();
  }
  return fails(whole);
}

/// The states of turns and interactions that are not their last one, for stores.
[[nodiscard]] inline bool isOpenTurn(const TurnRow& row) {
  return row.state == "accepted" || row.state == "dispatched" || row.state == "started";
}
[[nodiscard]] inline bool isOpenInteraction(const InteractionRow& row) {
  return row.status == "pending" || row.status == "resolving";
}

}  // namespace svc::storage
