#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api.h"
#include "dispatch.h"
#include "threads/interaction_form.h"
#include "threads/live_thread.h"
#include "threads/thread_printer.h"

namespace svc::client {

/// Which turn is followed, and from where.
struct FollowedTurn {
  /// Events up to this one are not shown.
  std::int64_t after_seq = 0;
  /// True for the `client/turn/requested` that begins it; empty = it runs already.
  std::function<bool(const common::Json& requested)> begins{};
  /// The row of the queue that is to begin it; empty where none waits.
  std::string queued_message{};
};

/// Of a turn that begins with this text, or with more besides.
[[nodiscard]] std::function<bool(const common::Json& requested)> beginsWithText(std::string text);

/// Shows a thread as it goes on until one turn of it has ended, asks what the agent asks where somebody can answer, and connects
/// again when the server was away. No event is shown twice: they are numbered.
class ThreadFollower {
 public:
  ThreadFollower(Context& context, std::string thread_id, ThreadView view);

  /// The exit code: 0 the turn is completed, 1 it failed, was refused or interrupted, 130 somebody stopped following.
  [[nodiscard]] int follow(FollowedTurn turn);

 private:
  enum class Step : std::uint8_t { kWent, kLost, kFailed };

  /// Connects, as often as it takes; false when that took too long or somebody stopped it.
  bool connect();
  bool tryConnect();
  Step drain();
  Step get(const std::string& path, common::Json& envelope);
  void take(const common::Json& event);
  Step lookAtQuestions();
  /// Before the followed turn has begun: whether the queue, after a turn that ended badly, rests until somebody goes on, and what has
  /// become of the message that is waited for.
  Step lookAtQueue();
  Step lookAtMessage(const common::Json& thread, const std::vector<common::Json>& rows);
  [[nodiscard]] bool waitsInQueue() const { return !begun_ && !turn_.queued_message.empty(); }
  /// Ends following: nothing more will come of what is waited for.
  void giveUp(const std::string& why, const std::string& hint);
  void offer(const common::Json& interaction);
  void ask();
  Step answer(const std::string& line);
  Step react(const ThreadNews& news);
  int left();
  int ended();
  /// Why the thread cannot go on, or how it does.
  void adviseRetry();
  [[nodiscard]] bool canAsk() const;
  [[nodiscard]] std::string path(const std::string& rest) const;

  Context& context_;
  const Console& console_;
  const std::string thread_id_;
  ThreadPrinter printer_;
  std::unique_ptr<ILiveThread> live_;
  std::optional<Api> api_;
  FollowedTurn turn_;
  std::string request_id_;
  std::int64_t seq_ = 0;
  bool begun_ = false;
  bool interrupted_ = false;
  bool no_more_lines_ = false;
  bool look_ = true;
  bool look_at_queue_ = false;
  /// The turn before the followed one has failed.
  bool failed_before_ = false;
  std::optional<std::string> status_;
  bool deleted_ = false;  ///< with its thread
  std::optional<int> failure_;
  std::optional<InteractionForm> form_;
  /// Interactions that were told of.
  std::set<std::string> told_;
};

}  // namespace svc::client
