#pragma once

#include <string>

#include "svc/common/json.h"

#include "environment_source.h"
#include "live_texts.h"
#include "thread_book.h"

namespace svc::threads {

/// What is said to an agent, however it came.
struct Message {
  std::string thread_id{};
  common::Json input{};
  common::Json execution{};  ///< what it wants otherwise than the thread
  common::Json sources{};    ///< where that comes from; recorded only
  common::Json groups{};     ///< inputs of the messages that were joined
  std::string initiator = "user";
  std::string sender_thread_id{};
  const char* source = "tell";
  std::string origin = "sdk";      ///< "app", "cli", "sdk" or "plugin"
  std::string origin_plugin_id{};  ///< exactly of a plugin's
  std::string retry_of{};
  std::int64_t attempt = 1;
  bool typed = true;    ///< by a person; not what the server entry of a plugin says
  bool steers = false;  ///< it goes before what waits already
};

/// A new turn for what is said: its request in the log, the thread on its way. `conflict` when the thread cannot take it.
[[nodiscard]] Result<storage::TurnRow> acceptTurn(Edit& edit, storage::ThreadRow& thread,
                                                  const Message& message);

/// The row of a message that waits, and what plugins hear of it.
storage::QueuedMessageRow& queueRow(Edit& edit, const Message& message, std::string sort_key,
                                    std::int64_t send_at, const common::Json& waiting);
/// What keeps a thread from taking what waits in it; null when nothing does.
[[nodiscard]] common::Json waitOf(const ThreadBook& book, const storage::ThreadRow& thread);
/// The record of a row, with what it waits for because of its thread when it waits for nothing of its own (any more).
[[nodiscard]] common::Json waitingRecord(const storage::QueuedMessageRow& row,
                                         const common::Json& wait, std::int64_t now);
/// The record of a row that waits no longer.
[[nodiscard]] common::Json leavingRecord(storage::QueuedMessageRow row);
/// It was to go into a turn that ran, before everything that waits but what was before it to do so.
[[nodiscard]] bool steers(const storage::QueuedMessageRow& row);
/// The row waits for that from now on, null = for nothing of its own; its readers hear of it.
void nowWaitsFor(Edit& edit, const storage::ThreadRow& thread, storage::QueuedMessageRow row,
                 const common::Json& waiting);
/// Moves on the time by which its readers know that it is another one.
void touch(const Edit& edit, storage::QueuedMessageRow& row);
/// What the sender of a message has asked for, of what is kept beside it.
[[nodiscard]] common::Json wantedOf(const common::Json& options);
/// What waits there.
[[nodiscard]] Message messageOf(const storage::QueuedMessageRow& row);

/// What became of a turn, and why.
struct TurnEnd {
  std::string message{};  ///< for people; empty = none
  std::string code{};
  /// The agent's own event of the end is in the log.
  bool told = false;
  /// Of items that are open, beyond what the log has of them.
  LiveTexts::Texts texts{};
};

/// A turn for what is said that never runs: its request and why in the log, so that it can be retried.
void refuseTurn(Edit& edit, storage::ThreadRow& thread, const Message& message, const TurnEnd& why);

/// Runs the machine of the turn, writes what it asks for into the edit; false when the input has no effect.
bool advanceTurn(Edit& edit, storage::ThreadRow& thread, storage::TurnRow& turn, TurnInput input,
                 const TurnEnd& end = {});

/// Runs the machine of the interaction; false when the input has no effect.
bool advanceInteraction(Edit& edit, storage::ThreadRow& thread, storage::InteractionRow& row,
                        InteractionInput input, const std::string& reason,
                        const common::Json& resolution = {});

/// Somebody has asked for its end, which has not come yet.
[[nodiscard]] bool isStopping(const storage::ThreadRow& thread);

/// Interrupts all that is asked in the thread.
void endInteractions(Edit& edit, storage::ThreadRow& thread, const std::string& reason);

/// The lifecycle event of the interaction as it is.
void logInteraction(Edit& edit, storage::ThreadRow& thread, const storage::InteractionRow& row);

/// The thread is there from now on; false when it was before.
[[nodiscard]] bool moveTo(storage::ThreadRow& thread, const ReadyEnvironment& environment);

/// What the thread runs with: its own options below those of the message.
[[nodiscard]] common::Json executionOf(const storage::ThreadRow& thread,
                                       const common::Json& wanted);

}  // namespace svc::threads
