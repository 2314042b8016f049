#include "buffer_allocator.h"

#include <atomic>
#include <utility>

namespace svc::jsruntime {

namespace {

/// V8 asks so often for one buffer, and collects garbage in between, before it believes that there is no memory.
constexpr int kAttempts = 4;
/// For what native code needs while the environment ends.
constexpr std::size_t kSlack = 64UL << 20;

class BufferAllocator final : public v8::ArrayBuffer::Allocator {
 public:
  BufferAllocator(std::shared_ptr<node::ArrayBufferAllocator> memory, std::size_t limit,
                  std::function<void()> on_limit)
      : memory_(std::move(memory)), limit_(limit), on_limit_(std::move(on_limit)) {}

  void* Allocate(std::size_t length) override {
    return admit(length) ? counted(memory_->Allocate(length), length) : nullptr;
  }
  void* AllocateUninitialized(std::size_t length) override {
    return admit(length) ? counted(memory_->AllocateUninitialized(length), length) : nullptr;
  }
  void Free(void* data, std::size_t length) override {
    used_.fetch_sub(length, std::memory_order_relaxed);
    memory_->Free(data, length);
  }

 private:
  bool admit(std::size_t length) {
    const auto used = used_.load(std::memory_order_relaxed);
    if (used + length <= limit_) {
      refused_ = 0;
      return true;
    }
    if (++refused_ < kAttempts) {
      return false;
    }
    on_limit_();
    return used + length <= limit_ + kSlack;
  }
  void* counted(void* data, std::size_t length) {
    if (data != nullptr) {
      used_.fetch_add(length, std::memory_order_relaxed);
    }
    return data;
  }

  const std::shared_ptr<node::ArrayBufferAllocator> memory_;
  const std::size_t limit_;
  const std::function<void()> on_limit_;
  std::atomic<std::size_t> used_{0};
  int refused_ = 0;  // script thread only
};

}  // namespace

std::shared_ptr<v8::ArrayBuffer::Allocator> makeBufferAllocator(
    std::shared_ptr<node::ArrayBufferAllocator> memory, std::size_t limit,
    std::function<void()> on_limit) {
  return std::make_shared<BufferAllocator>(std::move(memory), limit, std::move(on_limit));
}

}  // namespace svc::jsruntime
