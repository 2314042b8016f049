#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

namespace svc::http {

/// Whole answers that their clients have not taken yet: what they take of the server's memory, and who goes when it becomes too much.
/// A client that takes a little now and then keeps its connection for as long as it likes; it is measured by how fast it takes. Lives on
/// the io thread.
class AnswerBudget {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  /// A client is slow only after so long.
  static constexpr std::chrono::seconds kPatience{5};

  /// Any thread. One answer that is alone has room whatever the limit is.
  void setLimit(std::size_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t limit() const { return limit_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t total() const { return total_; }
  /// Clients that were cut off so far.
  [[nodiscard]] std::uint64_t cut() const { return cut_; }

  /// Counts an answer of a holder, whose `cut` is called when it has to go; it may release the holder. False, and nothing is counted, when
  /// there is no room even without the clients that are slow.
  [[nodiscard]] bool admit(const void* holder, std::size_t bytes, TimePoint now,
                           const std::function<void()>& cut);
  /// So much of what the holder has is still unsent.
  void left(const void* holder, std::size_t bytes);
  void release(const void* holder) { left(holder, 0); }

 private:
  struct Held {
    std::size_t given = 0;   ///< bytes, since `since`
    std::size_t unsent = 0;  ///< of these
    TimePoint since{};
    std::function<void()> cut;
  };
  [[nodiscard]] bool hasRoom(std::size_t bytes) const {
    return total_ == 0 || total_ + bytes <= limit();
  }
  [[nodiscard]] bool cutSlowest(const void* but, TimePoint now);

  std::atomic<std::size_t> limit_ = 0;
  std::size_t total_ = 0;
  std::uint64_t cut_ = 0;
  std::map<const void*, Held> held_;
};

}  // namespace svc::http
