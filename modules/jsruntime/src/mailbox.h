#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <utility>

namespace svc::jsruntime {

class Bridge;

/// Something for the script thread. Exactly one of the two methods is called, once; it disposes of the message.
class Message {
 public:
  Message() = default;
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  virtual ~Message() = default;
  /// On the script thread, inside the JavaScript scopes.
  virtual void deliver(Bridge& bridge) = 0;
  /// The environment has ended; `why` is for people. On the script thread or on the sender's.
  virtual void refuse(const std::string& why) = 0;
  /// What it brings along, in bytes.
  [[nodiscard]] virtual std::size_t weight() const { return 0; }

 private:
  friend class Mailbox;
  Message* next_ = nullptr;
};

/// Many senders, one receiver, no lock: a stack of messages that the receiver takes whole and turns round. From
/// takeAll() until rest() the receiver counts as awake, and senders are spared the system call that wakes it.
class Mailbox {
 public:
  enum class Push : unsigned char { kFirst, kQueued, kClosed };

  /// kFirst: the receiver sleeps and needs a wake. kClosed: the caller keeps the message. Any thread.
  [[nodiscard]] Push push(Message* message) {
    Message* head = head_.load(std::memory_order_relaxed);
    do {
      if (head == closedMark()) {
        return Push::kClosed;
      }
      message->next_ = head;
    } while (!head_.compare_exchange_weak(head, message, std::memory_order_release,
                                          std::memory_order_relaxed));
    return head == nullptr ? Push::kFirst : Push::kQueued;
  }

  /// Everything so far, oldest first, linked through next(). Receiver only.
  [[nodiscard]] Message* takeAll() {
    return inOrder(head_.exchange(awakeMark(), std::memory_order_acquire));
  }
  /// The receiver is going to sleep. False when something has arrived since takeAll(). Receiver only.
  [[nodiscard]] bool rest() {
    Message* expected = awakeMark();
    return head_.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel);
  }
  /// Takes the rest; every later push is refused. Receiver only.
  [[nodiscard]] Message* close() {
    return inOrder(head_.exchange(closedMark(), std::memory_order_acq_rel));
  }

  [[nodiscard]] static Message* next(Message* message) { return message->next_; }

 private:
  // Two addresses that no message has.
  static inline std::array<char, 2> marks{};
  static Message* closedMark() { return reinterpret_cast<Message*>(marks.data()); }
  static Message* awakeMark() { return reinterpret_cast<Message*>(marks.data() + 1); }

  static Message* inOrder(Message* newest) {
    Message* ordered = nullptr;
    while (newest != nullptr && newest != closedMark() && newest != awakeMark()) {
      Message* next = std::exchange(newest->next_, ordered);
      ordered = std::exchange(newest, next);
    }
    return ordered;
  }

  alignas(64) std::atomic<Message*> head_{nullptr};
};

}  // namespace svc::jsruntime
