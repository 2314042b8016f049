#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/completion.h"

#include "turn_runner.h"

namespace svc::threads {

/// What agents and plugins ask people, and the one answer each of them gets. Thread-safe; blocks, so it is never used on the io thread.
class InteractionDesk {
 public:
  InteractionDesk(ThreadBook& book, TurnRunner& runner) : book_(book), runner_(runner) {}

  /// The open ones, oldest first.
  [[nodiscard]] Result<common::Json> list(const std::string& thread_id) const;
  /// Ended ones, too.
  [[nodiscard]] Result<common::Json> get(const std::string& thread_id,
                                         const std::string& interaction_id) const;
  /// A person's answer to an agent. `invalid_input` says what can be answered; `conflict` for the second one.
  void resolve(const std::string& thread_id, const std::string& interaction_id,
               const common::Json& resolution, Completion<common::Json> done);
  /// A person's answer to a plugin. The value goes to who asked and is not stored.
  [[nodiscard]] Result<common::Json> respond(const std::string& thread_id,
                                             const std::string& interaction_id,
                                             const common::Json& value);
  /// A person wants to say nothing.
  [[nodiscard]] Result<common::Json> cancel(const std::string& thread_id,
                                            const std::string& interaction_id,
                                            const std::string& reason);

  /// A plugin asks: { pluginId, rendererId, title, data, presentation?, loadId?, described? }. Fires once, with
  /// { outcome: "submitted", value, interactionId } or { outcome: "cancelled", reason }. The interaction's id, or an error when there is no
  /// such thread; then `done` is dropped.
  [[nodiscard]] Result<std::string> ask(const std::string& thread_id, const common::Json& form,
                                        std::int64_t expires_at, Completion<common::Json> done);
  /// What the timeline keeps of an answer to a form that is `described`; null = nothing. Ignored when nobody waits for it (any more).
  void describe(const std::string& plugin_id, const std::string& interaction_id,
                const common::Json& description);
  /// Interrupts the forms of a plugin's environment, which ends.
  void dispose(std::uint64_t load_id);
  /// Interrupts all forms, because the server ends. What waits for their end goes on after the next start.
  void close();
  /// Interrupts the forms whose time is over, and tells those that others have ended. Called about once a second.
  void tick();

 private:
  struct Asker {
    Completion<common::Json> done;
    std::uint64_t load_id = 0;
    bool described = false;
  };
  using Waiting = std::map<std::string, Asker>;
  /// An answer whose description is awaited.
  struct Describing {
    std::string plugin_id;
    std::string thread_id;
    std::int64_t until = 0;
  };

  [[nodiscard]] Result<storage::InteractionRow> openRow(const std::string& thread_id,
                                                        const std::string& interaction_id) const;
  Result<common::Json> move(storage::InteractionRow row, InteractionInput input,
                            const std::string& reason, const common::Json& resolution);
  /// Answers the other questions of the thread that a grant for the session is good for.
  void allowGranted(const std::string& thread_id);
  /// The forms that wait, of one load or of all.
  [[nodiscard]] std::vector<std::string> asked(std::optional<std::uint64_t> load_id) const;
  void tell(const std::string& interaction_id, common::Json outcome);
  [[nodiscard]] Result<common::Json> delivered(const std::string& thread_id,
                                               const std::string& interaction_id,
                                               const common::Json& description);

  ThreadBook& book_;
  TurnRunner& runner_;
  mutable std::mutex mutex_;
  Waiting waiting_;
  std::map<std::string, Describing> describing_;
};

/// What is to be told to an agent for this resolution of what it asked; `invalid_input` says what it may be.
[[nodiscard]] Result<common::Json> readResolution(const common::Json& payload,
                                                  const common::Json& resolution);

}  // namespace svc::threads
