#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "svc/agents/agent_context.h"
#include "svc/common/json.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc::providers {

/// What an agent says in a session. Types and data are those of hostprotocol::agent_event: the contract's thread events, and beside them
/// `item/delta`, `question/asked`, `question/withdrawn`, `session/changed` and `session/ended`, which is the last one.
struct AgentEvent {
  std::string thread_id{};
  std::string session{};
  std::int64_t seq = 0;  ///< rises; the same event has the same number when it is sent again
  std::string type{};
  std::string turn_id{};  ///< empty = of the thread
  common::Json data{};

  /// The end of its turn, and not of one of the agent's own inside it.
  [[nodiscard]] bool endsTurn() const {
    return type == "turn/completed" && data["parentToolCallId"].isNull();
  }
};

/// Reasons of a `session/ended` that no agent has said.
namespace ended {
/// The machine was away for longer than its grace.
inline constexpr std::string_view kHostLost = "host-lost";
/// The machine was removed from the server.
inline constexpr std::string_view kHostRemoved = "host-removed";
/// Its daemon has come back and has no such session.
inline constexpr std::string_view kDaemonRestarted = "host-daemon-restarted";
}  // namespace ended

/// A session of an agent that is to begin, or to go on.
struct SessionRequest {
  std::string session{};  ///< used once
  std::string thread_id{};
  std::string provider_id{};
  std::string host_id{};
  std::string cwd{};
  std::string resume{};      ///< the agent's own id of an earlier session; empty = a new one
  common::Json execution{};  ///< model, reasoningLevel, permissionMode, serviceTier, where given
  /// What is known of thread, project and environment; host and provider are filled in.
  agents::AgentContext context{};
};

struct OpenSession {
  std::string agent_session{};  ///< the agent's own id
  bool can_go_on = false;       ///< a later session can resume or load it
};

/// The agents of machines, as threads need them. Thread-safe. Completions and events arrive on any thread.
class IAgentSessions {
 public:
  static constexpr ServiceId kId{"svc.providers.AgentSessions", 1};
  virtual ~IAgentSessions() = default;

  /// The agent a new thread gets: the one that is named, or the first one that is available when it is empty. Quick. An error says how
  /// to get one.
  [[nodiscard]] virtual Result<std::string> choose(const std::string& provider_id) const = 0;

  virtual void open(SessionRequest request, Completion<OpenSession> done) = 0;
  /// A further turn of the session is about to begin: plugins are asked again what it may use of them, and its model, level and permission
  /// mode are set; nothing is done for those it has. `not_supported` names what the agent has instead; the rest is set all the same.
  /// `not_found` as prompt().
  virtual void set(const std::string& session, common::Json execution, agents::AgentContext context,
                   Completion<void> done) = 0;
  /// Answered when the prompt was handed over; what comes of it arrives as events. `not_found` when the session has ended: its agent has
  /// not had it. Nor has one whose `session/ended` comes before the `turn/started`.
  virtual void prompt(const std::string& session, const std::string& turn_id,
                      const std::string& request_id, common::Json input, Completion<void> done) = 0;
  /// The end of the turn arrives as an event.
  virtual void cancel(const std::string& session, Completion<void> done) = 0;
  /// `{ decision }` or `{ answers }`. `conflict` when the question is open no more.
  virtual void answer(const std::string& session, const std::string& question_id,
                      common::Json answer, Completion<void> done) = 0;
  /// Ids of the open questions that an answer `allow_for_session` to another one is good for, too.
  virtual void granted(const std::string& session, Completion<std::vector<std::string>> done) = 0;
  /// Its token ends at once, its program soon; `session/ended` may still arrive.
  virtual void close(const std::string& session, Completion<void> done) = 0;

  /// Called with every event, those of one session in order and one at a time. `taken` fires once it is in the log, or with an error:
  /// then the same event comes again. At most one listener; it is not called any more once the handle was let go on the io thread, or
  /// that thread has ended.
  using EventListener = std::function<void(AgentEvent event, Completion<void> taken)>;
  [[nodiscard]] virtual Handle onEvent(EventListener listener) = 0;
};

}  // namespace svc::providers
