#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "svc/http/http.h"
#include "svc/kernel/result.h"
#include "svc/kernel/unique_function.h"

namespace svc::hosts {

/// What was asked of daemons and is not answered yet. Lives on the io thread. Thousands of requests share one timer.
class PendingRequests final : public std::enable_shared_from_this<PendingRequests> {
 public:
  /// Called once, on the io thread. The view holds during the call. It may add and forget requests.
  using Answered = UniqueFunction<void(Result<std::string_view> result)>;

  PendingRequests(http::IReactor& reactor, const IClock& clock)
      : reactor_(reactor), clock_(clock) {}

  /// A request of `bytes`, with a command of this type, to a session. Never 0. After `wait` it fails with `timeout`.
  [[nodiscard]] std::uint64_t add(std::uint64_t session, std::string type, std::size_t bytes,
                                  std::chrono::milliseconds wait, Answered done);
  /// What was asked; nothing when nobody waits for the answer.
  [[nodiscard]] std::optional<std::string> type(std::uint64_t request) const;
  /// The answer that arrived in a session; one for another session's request, or for none, does nothing.
  void answer(std::uint64_t session, std::uint64_t request, Result<std::string_view> result);
  /// The request is not waited for any more; `done` is dropped. False when there is none.
  bool forget(std::uint64_t request);
  /// Every request of the session fails.
  void fail(std::uint64_t session, const Error& error);

  [[nodiscard]] std::size_t size() const { return requests_.size(); }
  /// Bytes of the session's requests.
  [[nodiscard]] std::size_t bytes(std::uint64_t session) const;

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  struct Request {
    std::uint64_t session;
    std::string type;
    std::size_t bytes;
    std::chrono::milliseconds wait;
    TimePoint due;
    Answered done;
  };

  [[nodiscard]] std::optional<Request> take(std::uint64_t request);
  void arm();
  void sweep();

  http::IReactor& reactor_;
  const IClock& clock_;
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, Request> requests_;
  std::unordered_map<std::uint64_t, std::size_t> session_bytes_;
  std::set<std::pair<TimePoint, std::uint64_t>> due_;
  /// When the timer fires; it may find that what it was set for has been answered.
  std::optional<TimePoint> armed_for_;
  Handle timer_;
};

}  // namespace svc::hosts
