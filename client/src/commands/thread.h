#pragma once

#include <string>
#include <vector>

#include "commands/record_lookup.h"
#include "threads/thread_printer.h"

/// `svc thread …` and `svc provider …`; each function returns the exit code. A thread is an id.
namespace svc::client {

/// /api/v1/threads/<id><rest>
[[nodiscard]] std::string threadPath(const std::string& thread, const std::string& rest = {});
/// True where the agent of this thread runs the command, and its turn waits for that. (People have the id alone, in terminals.)
[[nodiscard]] bool isOwnAgent(const Context& context, std::string_view thread);
/// Opens the server and asks it once; as ask().
[[nodiscard]] int askServer(Context& context, const HttpRequest& request,
                            const std::function<void(const common::Json& envelope)>& show);
[[nodiscard]] std::string threadTitle(const common::Json& thread);
/// As people read it: "active, asks"
[[nodiscard]] std::string threadState(const common::Json& thread);
/// What a message waits for after a turn that failed.
inline constexpr std::string_view kWaitsAfterFailure =
    "another message or a retry, because the last turn failed";
/// What a row of the queue waits for, "the running turn"; empty when for nothing.
[[nodiscard]] std::string waitsFor(const common::Json& queued_message);
/// "Fix the test (thr_1)"
[[nodiscard]] std::string threadLabel(const common::Json& thread);
/// The words as one text; "-" or none with something piped in reads standard input. Errors: `usage` when there is nothing.
[[nodiscard]] Result<std::string> readMessage(const Console& console,
                                              const std::vector<std::string>& words);
/// Says why there is none; returns the exit code.
[[nodiscard]] int failMessage(const Console& console, const Error& error);

struct ThreadListOptions {
  std::string project{};
  std::string parent{};
  bool archived = false;
  bool hidden = false;
  int limit = 0;  ///< 0 = the server's default
  int skip = 0;
};
[[nodiscard]] int threadList(Context& context, const ThreadListOptions& options);
[[nodiscard]] int threadShow(Context& context, const std::string& thread);
struct ThreadSearchOptions {
  std::string query{};
  int limit = 0;  ///< of the active ones and of the archived ones; 0 = the server's default
};
[[nodiscard]] int threadSearch(Context& context, const ThreadSearchOptions& options);
[[nodiscard]] int threadStop(Context& context, const std::string& thread);
[[nodiscard]] int threadArchive(Context& context, const std::string& thread);
[[nodiscard]] int threadUnarchive(Context& context, const std::string& thread);
[[nodiscard]] int threadDelete(Context& context, const std::string& thread, bool yes);
struct ThreadChange {
  std::optional<std::string> title{};  ///< empty clears
  std::optional<std::string> section{};
  std::optional<std::string> model{};
  std::optional<std::string> reasoning{};
};
[[nodiscard]] int threadUpdate(Context& context, const std::string& thread,
                               const ThreadChange& change);
/// The last thing the agent said.
[[nodiscard]] int threadOutput(Context& context, const std::string& thread);
struct ThreadEventOptions {
  std::string thread{};
  std::int64_t after = 0;
  int limit = 0;  ///< 0 = the server's default
  std::vector<std::string> types{};
  bool newest = false;
};
[[nodiscard]] int threadEvents(Context& context, const ThreadEventOptions& options);

struct ThreadMessage {
  std::vector<std::string> words{};
  std::string model{};
  std::string reasoning{};
  std::string permissions{};
  bool follow = false;
  ThreadView view{};
};
struct ThreadStartOptions {
  ThreadMessage message{};
  std::string project{};  ///< name or id; empty = of the working directory
  std::string provider{};
  std::string title{};
  std::string environment{};  ///< id or name; excludes what follows
  bool worktree = false;
  std::string base{};
  std::string machine{};
  std::string folder{};
  bool hidden = false;
};
[[nodiscard]] int threadStart(Context& context, const ThreadStartOptions& options);
struct ThreadSendOptions {
  std::string thread{};
  ThreadMessage message{};
  std::string mode = "auto";
};
[[nodiscard]] int threadSend(Context& context, const ThreadSendOptions& options);
struct ThreadFollowOptions {
  std::string thread{};
  bool all = false;  ///< from the beginning
  ThreadView view{};
};
[[nodiscard]] int threadFollow(Context& context, const ThreadFollowOptions& options);
/// Its newest turn, or the one of this request.
struct ThreadRetryOptions {
  std::string thread{};
  std::string request{};
  bool follow = false;
  ThreadView view{};
};
[[nodiscard]] int threadRetry(Context& context, const ThreadRetryOptions& options);
struct ThreadForkOptions {
  std::string thread{};
  std::vector<std::string> words{};
  std::string title{};
  bool isolated = false;
};
[[nodiscard]] int threadFork(Context& context, const ThreadForkOptions& options);

[[nodiscard]] int threadInteractions(Context& context, const std::string& thread);
struct ThreadAnswerOptions {
  std::string thread{};
  std::string interaction{};
  std::vector<std::string> answers{};
  bool cancel = false;
};
[[nodiscard]] int threadAnswer(Context& context, const ThreadAnswerOptions& options);

[[nodiscard]] int threadQueueList(Context& context, const std::string& thread);
[[nodiscard]] int threadQueueAdd(Context& context, const std::string& thread,
                                 const std::vector<std::string>& words);
/// `message` is the id of a row of the queue.
[[nodiscard]] int threadQueueEdit(Context& context, const std::string& thread,
                                  const std::string& message,
                                  const std::vector<std::string>& words);
[[nodiscard]] int threadQueueRemove(Context& context, const std::string& thread,
                                    const std::string& message);
[[nodiscard]] int threadQueueSend(Context& context, const std::string& thread,
                                  const std::string& message, bool steer);
/// To the front, or behind another.
[[nodiscard]] int threadQueueMove(Context& context, const std::string& thread,
                                  const std::string& message, const std::string& behind);

[[nodiscard]] int providerList(Context& context, const std::string& machine);
[[nodiscard]] int providerModels(Context& context, const std::string& provider,
                                 const std::string& machine);

}  // namespace svc::client
