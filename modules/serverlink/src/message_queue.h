#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace svc::serverlink {

/// Messages from one thread to another, taken all at once, so that one wake-up carries a burst. Thread-safe. More than `limit`
/// bytes are "full", which leaves the answer to the caller.
class MessageQueue {
 public:
  explicit MessageQueue(std::size_t limit) : limit_(limit) {}

  struct Added {
    bool first = false;  ///< nothing else waits: wake whoever takes
    bool full = false;
  };
  Added add(std::string message) {
    const std::scoped_lock lock(mutex_);
    const bool first = messages_.empty();
    bytes_ += message.size();
    messages_.push_back(std::move(message));
    return {first, bytes_ > limit_};
  }
  /// As add(), but leaves the message out and returns false when it would fill a queue in which something waits, or after shut().
  bool addIfRoom(std::string message, bool& first) {
    const std::scoped_lock lock(mutex_);
    if (shut_ || (bytes_ > 0 && bytes_ + message.size() > limit_)) {
      return false;
    }
    first = messages_.empty();
    bytes_ += message.size();
    messages_.push_back(std::move(message));
    return true;
  }
  /// Everything, in order. Their bytes count until release().
  [[nodiscard]] std::vector<std::string> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(messages_, {});
  }
  /// What was added and not released.
  [[nodiscard]] std::size_t bytes() const {
    const std::scoped_lock lock(mutex_);
    return bytes_;
  }
  /// True when the queue was full and is not any more.
  bool release(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    const bool was_full = bytes_ > limit_;
    bytes_ -= bytes;
    return was_full && bytes_ <= limit_;
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
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
  std::size_t bytes_ = 0;
  bool shut_ = false;
};

}  // namespace svc::serverlink
