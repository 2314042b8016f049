#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace svc::serverlink {

/// Messages from one thread to another, taken all at once, so that one wake-up carries a burst. Thread-safe. It holds `limit` bytes.
class MessageQueue {
 public:
  explicit MessageQueue(std::size_t limit) : limit_(limit) {}

  /// Leaves the message out and returns false when it would fill a queue in which something waits, or after shut(). `first`: nothing
  /// else waits, so wake whoever takes.
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
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
  std::size_t bytes_ = 0;
  bool shut_ = false;
};

}  // namespace svc::serverlink
