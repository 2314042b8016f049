#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "transcript.h"

namespace svc::agentd {

/// What one session has told, numbered, until the server has stored it. On the io thread.
///
/// While the server listens everything is sent as it comes. While it does not, deltas are dropped: what they belong to is told
/// whole when it listens again, or has ended, which is whole as well. Too much that is not acknowledged asks for the agent not to
/// be read (limits::kAgentUnacknowledged).
class EventLog : public std::enable_shared_from_this<EventLog> {
 public:
  struct Services {
    std::function<void(std::string message)> send{};
    std::function<std::int64_t()> now_ms{};
    /// Runs a task soon, so that what is told at once is sent at once.
    std::function<void(std::function<void()> task)> soon{};
    /// Called when it becomes full, and when there is room again.
    std::function<void(bool full)> pressure{};
  };
  EventLog(std::string session_id, std::string thread_id, Services services);

  void append(AgentEvent event);
  /// The server has everything up to `seq`, and listens to what is after it.
  void attach(std::uint64_t seq);
  void detach();
  void acknowledge(std::uint64_t seq);
  [[nodiscard]] bool settled() const { return entries_.empty(); }
  /// Number of the last event; 0 for none.
  [[nodiscard]] std::uint64_t last() const { return last_; }
  [[nodiscard]] std::size_t held() const { return held_; }

 private:
  struct Entry {
    std::uint64_t seq;
    bool is_delta;
    std::string text;
  };
  void dropUntil(std::uint64_t seq);
  void dropDeltas();
  void sendSoon();
  void flush();
  void judge();

  const std::string session_id_;
  const std::string thread_id_;
  const Services services_;
  std::deque<Entry> entries_;
  std::uint64_t last_ = 0;
  /// Of what was sent since the server listens.
  std::uint64_t sent_ = 0;
  std::size_t held_ = 0;
  bool attached_ = false;
  bool flushing_ = false;
  bool full_ = false;
};

}  // namespace svc::agentd
