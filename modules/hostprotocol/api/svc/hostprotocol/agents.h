#pragma once

#include <string_view>

/// What server and daemons say to each other about agents. A session is one run of one agent for one thread: the server makes its
/// id, the daemon numbers what happens in it and keeps that until it is acknowledged.
///
///     server                                      daemon
///     agent.resume { sessions }            →      once in each connection, before all else: what the server has, and how far
///                                          ←      agent.events …   from there on; items that are open come whole
///     agent.open { sessionId, … }          →      starts the program; answers when its session is there
///     agent.prompt { turnId, prompt }      →      answers when it was handed over
///                                          ←      agent.events { events: [{ seq, turnId, type, data }] }
///     agent.ack { sessionId, seq }         →      everything up to seq is stored
///     agent.close { sessionId }            →
///                                          ←      agent.events …  session/ended; forgotten once acknowledged
namespace svc::hostprotocol {

namespace to_daemon {
/// sessionId, seq: the number of the last event that is stored. The daemon forgets a session whose end is.
inline constexpr std::string_view kAgentAck = "agent.ack";
}  // namespace to_daemon

namespace to_server {
/// sessionId, threadId, events: { seq, at, turnId | null, type, data }[]. `seq` rises; numbers may be left out (deltas that were not
/// acknowledged before the connection was lost are not repeated, the item comes whole). What has been stored already is ignored by
/// its number. `at`: milliseconds since the epoch. The types: agent_event.
inline constexpr std::string_view kAgentEvents = "agent.events";
}  // namespace to_server

namespace command {
/// { agents: { [id]: { command, args?, env?, displayName? } } } → { providers: AgentProvider[] }, the configured ones merged over what the
/// daemon knows by itself. AgentProvider = { id, displayName, available, unavailableReason | null, program | null, version | null,
/// signIn: "signed-in" | "required" | "unknown", installHint | null, modes: { ask | null, edits | null, all | null }, takesMcp, configured }
inline constexpr std::string_view kAgentProviders = "agent.providers";
/// { sessionId, threadId, providerId, agent?: { command, args?, env? }, cwd, env?, mcpServers, additionalDirectories?, resume?: the agent's
/// own id of an earlier session, authMethod?, approval?: "ask" | "edits" | "all", model?, reasoningLevel?,
/// skills?: { name, description, tree: digest }[] } → AgentSession. A session id is
/// used once. Trees of skills that the daemon has not are fetched (`/internal/skills/tree/<digest>`) into a folder that stays with the session. An MCP server whose url is a path is the server's own: the daemon gives it its address, or its `svc mcp` as a bridge. What the agent cannot (additional directories, MCP over HTTP) is left out and told as `provider/warning`.
/// Errors: `invalid_input`, `conflict`, `overloaded`, `not_found` (program or directory), `unauthorized` (details: authMethods),
/// `unavailable` (it ended or answered an error; its last words), `timeout`; the latter two with details { resumes: true } when it was to
/// go on with `resume`, which another session does not ask for.
inline constexpr std::string_view kAgentOpen = "agent.open";
/// { sessionId, turnId, prompt: ContentBlock[] of ACP } → {}. `conflict` while another turn runs; the same turn again changes
/// nothing. `not_found` when the session has ended or is being ended: its agent has not had it. The end comes as `turn/completed`.
inline constexpr std::string_view kAgentPrompt = "agent.prompt";
/// { sessionId } → { cancelled }: false when no turn runs. `turn/completed` follows, with status interrupted.
inline constexpr std::string_view kAgentCancel = "agent.cancel";
/// { sessionId, questionId, decision: "allow_once" | "allow_for_session" | "deny" | "cancel" } or { sessionId, questionId, answers } → {}.
/// `conflict` when the question is open no more.
inline constexpr std::string_view kAgentAnswer = "agent.answer";
/// { sessionId, approval?, model?, reasoningLevel?, mode?, option?: { id, value } } → AgentSession. `not_supported` for what the agent has no
/// such choice of, with its choices.
inline constexpr std::string_view kAgentSet = "agent.set";
/// { sessionId } → { closed }: false when there is no such session. The end comes as `session/ended`.
inline constexpr std::string_view kAgentClose = "agent.close";
/// { sessions: { sessionId, seq }[] } → { sessions: AgentSession[] }: what the server has of this machine and the last event it has
/// stored of each; all events after it are sent. Asked once in each connection; before, nothing of earlier sessions is sent. Those that
/// are not named are ended.
/// AgentSession = { sessionId, threadId, providerId, state, providerThreadId | null, started: "new" | "resumed" | "loaded" | "replaced" | null,
/// turnId | null, lastSeq, modes | null, configOptions | null, commands | null, promptCapabilities | null,
/// offeredOptions: configOptions before anything was chosen; null of one that goes on,
/// canGoOn: whether a later session can resume or load this one, agentInfo | null, skillsDirectory | null };
/// state = "opening" | "idle" | "running" | "auth-required" | "ended"
inline constexpr std::string_view kAgentResume = "agent.resume";
}  // namespace command

/// `type` of events. Those with a slash that the contract has are its ThreadEvents and carry `providerThreadId`; of items also
/// `toolCallId`, the agent's own id.
namespace agent_event {
inline constexpr std::string_view kIdentity =
    "thread/identity";  ///< + started, message?: why it is a new one
inline constexpr std::string_view kNameUpdated = "thread/name/updated";
inline constexpr std::string_view kCompacted = "thread/compacted";
inline constexpr std::string_view kContextWindow = "thread/contextWindowUsage/updated";
inline constexpr std::string_view kTurnStarted = "turn/started";
inline constexpr std::string_view kInputAccepted = "turn/input/accepted";
/// + stopReason | null: the agent's word
inline constexpr std::string_view kTurnCompleted = "turn/completed";
inline constexpr std::string_view kPlanUpdated = "turn/plan/updated";
/// Again for an item that has changed. With `length` the item is told again as it is: the next delta has this offset.
inline constexpr std::string_view kItemStarted = "item/started";
inline constexpr std::string_view kItemCompleted = "item/completed";
/// Not for the log: itemId, field: "text" | "output" | "reasoning", offset (UTF-16 units), text
inline constexpr std::string_view kItemDelta = "item/delta";
inline constexpr std::string_view kWarning = "provider/warning";
inline constexpr std::string_view kError = "provider/error";
/// questionId, payload: that of an interaction (approval or user_question)
inline constexpr std::string_view kQuestionAsked = "question/asked";
/// questionId, reason: "cancelled" | "turn-ended" | "session-ended"; not after agent.answer
inline constexpr std::string_view kQuestionWithdrawn = "question/withdrawn";
/// modes | null, configOptions | null, commands | null: what has changed
inline constexpr std::string_view kSessionChanged = "session/changed";
/// reason: "closed" | "exited" | "failed" | "auth-required", message, exitCode | null, signal | null, lastWords | null. The last event.
inline constexpr std::string_view kSessionEnded = "session/ended";
}  // namespace agent_event

}  // namespace svc::hostprotocol
