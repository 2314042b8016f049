#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace svc::serverlink {

/// Messages from one thread to another, taken all at once, so that one wake-up carries a burst. Thread-safe. It holds `limit` bytes, and
/// `held` bytes more of what may wait until there is room.
class MessageQueue {
 public:
  explicit MessageQueue(std::size_t limit, std::size_t held = 0)
      : limit_(limit), held_limit_(held) {}

  /// Leaves the message out and returns false when it would fill a queue in which something waits, or after shut(). `first`: nothing
  /// else waits, so wake whoever takes.
  bool addIfRoom(std::string message, bool& first) {
    const std::scoped_lock lock(mutex_);
    return add(message, first);
  }
  /// The same, but what finds no room waits, and may be taken later than what is added after it. False when too much waits, or after
  /// shut(): then the message is left as it was.
  bool addOrHold(std::string& message, bool& first) {
    const std::scoped_lock lock(mutex_);
    first = false;
    if (add(message, first)) {
      return true;
    }
    if (shut_ || held_bytes_ + message.size() > held_limit_) {
      return false;
    }
    held_bytes_ += message.size();
    held_.push_back(std::move(message));
    return true;
  }
  /// Everything that has found room, in order, and one of those that have not. Their bytes count until release().
  [[nodiscard]] std::vector<std::string> take() {
    const std::scoped_lock lock(mutex_);
    if (!held_.empty()) {
      const auto size = held_.front().size();
      held_bytes_ -= size;
      bytes_ += size;
      messages_.push_back(std::move(held_.front()));
      held_.pop_front();
    }
    return std::exchange(messages_, {});
  }
  /// What was added and not released, also of what waits for room.
  [[nodiscard]] std::size_t bytes() const {
    const std::scoped_lock lock(mutex_);
    return bytes_ + held_bytes_;
  }
  void release(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    bytes_ -= bytes;
  }
  /// Takes no more; true for the first call.
  bool shut() {
    const std::scoped_lock lock(mutex_);
    return !std::exchange(shut_, true);
  }
  [[nodiscard]] bool isShut() const {
    const std::scoped_lock lock(mutex_);
    return shut_;
  }

 private:
  bool add(std::string& message, bool& first) {
    if (shut_ || (bytes_ > 0 && bytes_ + message.size() > limit_)) {
      return false;
    }
    first = messages_.empty();
    bytes_ += message.size();
    messages_.push_back(std::move(message));
    return true;
  }

  const std::size_t limit_;
  const std::size_t held_limit_;
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
  std::deque<std::string> held_;
  std::size_t held_bytes_ = 0;
  std::size_t bytes_ = 0;
  bool shut_ = false;
};

}  // namespace svc::serverlink
