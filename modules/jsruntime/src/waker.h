#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include <uv.h>

namespace svc::jsruntime {

/// Wakes a uv loop from any thread, also while and after the loop goes away. open() and close() on the loop's thread.
class Waker {
 public:
  Waker() = default;
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;

  /// `on_wake` runs on the loop's thread; several sends may be answered by one call.
  bool open(uv_loop_t* loop, std::function<void()> on_wake) {
    on_wake_ = std::move(on_wake);
    async_.data = this;
    const bool opened = uv_async_init(loop, &async_, [](uv_async_t* handle) {
                          static_cast<Waker*>(handle->data)->on_wake_();
                        }) == 0;
    open_.store(opened);
    return opened;
  }
  /// The handle is closed once the loop has turned. Returns when no other thread touches it any more.
  void close() {
    if (open_.exchange(false)) {
      while (senders_.load() != 0) {
        std::this_thread::yield();
      }
      uv_close(reinterpret_cast<uv_handle_t*>(&async_), nullptr);
    }
  }
  /// As close(), for a loop that will never turn again.
  void abandon() { open_.store(false); }
  void send() {
    senders_.fetch_add(1);
    if (open_.load()) {
      uv_async_send(&async_);
    }
    senders_.fetch_sub(1);
  }

 private:
  uv_async_t async_{};
  std::function<void()> on_wake_;
  std::atomic<bool> open_{false};
  std::atomic<int> senders_{0};
};

}  // namespace svc::jsruntime
