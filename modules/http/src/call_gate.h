#pragma once

#include <atomic>
#include <cstdint>

namespace svc::http {

/// Guards foreign code that the io thread calls and another thread may withdraw. After close() the code is neither
/// running nor entered again. Thread-safe.
class CallGate {
 public:
  /// io thread. False when closed; otherwise leave() must follow. Calls may nest.
  [[nodiscard]] bool enter() {
    if ((state_.fetch_add(kCall, std::memory_order_acq_rel) & kClosed) == 0) {
      return true;
    }
    leave();
    return false;
  }

  void leave() {
    if ((state_.fetch_sub(kCall, std::memory_order_acq_rel) & kClosed) != 0) {
      state_.notify_all();
    }
  }

  enum class Wait : bool { kNo, kYes };
  /// `kNo` is for the io thread itself, which would otherwise wait for its own call.
  void close(Wait wait) {
    auto state = state_.fetch_or(kClosed, std::memory_order_acq_rel) | kClosed;
    while (wait == Wait::kYes && state != kClosed) {
      state_.wait(state, std::memory_order_acquire);
      state = state_.load(std::memory_order_acquire);
    }
  }

 private:
  static constexpr std::uint32_t kClosed = 1;
  static constexpr std::uint32_t kCall = 2;
  std::atomic<std::uint32_t> state_{0};
};

/// Enters a gate for one scope.
class GatedCall {
 public:
  explicit GatedCall(CallGate& gate) : gate_(gate), entered_(gate.enter()) {}
  ~GatedCall() {
    if (entered_) {
      gate_.leave();
    }
  }
  GatedCall(const GatedCall&) = delete;
  GatedCall& operator=(const GatedCall&) = delete;
  explicit operator bool() const { return entered_; }

 private:
  CallGate& gate_;
  bool entered_;
};

}  // namespace svc::http
