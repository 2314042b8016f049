#pragma once

#include <chrono>
#include <cstddef>

/// Numbers of agents on machines that daemon and server share, beside those of svc/common/limits.h. Sizes are bytes.
namespace svc::limits {

/// One line of an agent; a longer one ends its session.
inline constexpr std::size_t kAgentLine = 16UL * 1024 * 1024;
/// Lines of one session that are no messages, before it is ended.
inline constexpr std::size_t kAgentGarbage = 100;
/// One text of an item; what is longer keeps head and tail.
inline constexpr std::size_t kAgentItemText = 256UL * 1024;
/// The name that an agent gives its session, which stands in each of its events; one with a longer name does not begin.
inline constexpr std::size_t kAgentSessionName = 1024;
/// Tool calls of one session that can still be updated. The oldest is given up for a new one.
inline constexpr std::size_t kAgentTools = 256;
/// Pictures of one update, or of one tool call, that are kept and shown; the others are named.
inline constexpr std::size_t kAgentPictures = 50;
/// One of them, and all that a machine keeps: those that were sent longest ago go.
inline constexpr std::size_t kAgentPicture = 10UL * 1024 * 1024;
inline constexpr std::size_t kAgentPicturesKept = 512UL * 1024 * 1024;
/// Files of one change that are told.
inline constexpr std::size_t kAgentChanges = 200;
/// Questions of one session that wait for an answer; more are answered `cancelled`.
inline constexpr std::size_t kAgentQuestions = 256;
/// Events of one session that the server has not acknowledged. Beyond it the agent is not read.
inline constexpr std::size_t kAgentUnacknowledged = 4UL * 1024 * 1024;
/// Text of one message of events.
inline constexpr std::size_t kAgentBatch = 256UL * 1024;
/// Input that an agent has not read; more is refused.
inline constexpr std::size_t kAgentInput = 40UL * 1024 * 1024;
/// The last of its standard error, for the text of an error.
inline constexpr std::size_t kAgentLastWords = 4UL * 1024;
/// Skills that a session fetches from the server, and the bytes of all of them; each is within lim.skillTree.
inline constexpr std::size_t kAgentSkills = 200;
inline constexpr std::size_t kAgentSkillBytes = 32UL * 1024 * 1024;
/// Until they are there; then the session begins without.
inline constexpr std::chrono::milliseconds kAgentSkillsWait{20'000};
/// Agents that one machine says it knows or has; a report of more counts as none.
inline constexpr std::size_t kMachineAgents = 256;
/// Agents of one machine at a time. One that rests makes room for one that is to run.
inline constexpr std::size_t kAgentSessions = 64;
/// From the program's start to its session; the first start of some takes ten seconds.
inline constexpr std::chrono::milliseconds kAgentOpen{60'000};
/// A session that was loaded is there when nothing was replayed for so long, and at the latest so long after its answer.
inline constexpr std::chrono::milliseconds kAgentReplayPause{300};
inline constexpr std::chrono::milliseconds kAgentReplay{10'000};
/// A mode or an option that is set.
inline constexpr std::chrono::milliseconds kAgentSet{15'000};
/// From a cancel to the end of the turn; then the agent is ended.
inline constexpr std::chrono::milliseconds kAgentCancel{10'000};
/// Between SIGTERM and SIGKILL.
inline constexpr std::chrono::milliseconds kAgentStop{2'000};
/// One `--version`.
inline constexpr std::chrono::milliseconds kAgentProbe{5'000};

}  // namespace svc::limits
