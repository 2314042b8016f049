#pragma once

#include <cstddef>

namespace svc::jsruntime {

/// What an environment uses, as V8 counts it.
struct MemorySample {
  std::size_t heap_bytes = 0;
  std::size_t external_bytes = 0;  ///< Buffers, WebAssembly, text that the heap only points to
  std::size_t native_bytes =
      0;                   ///< of native extensions: databases; they have a limit of their own
  double cpu_percent = 0;  ///< of one core, lately
};

/// Decides from samples, one a second, when garbage is collected and when the memory beside the heap has reached its limit:
/// garbage is never held against a script. Pure. Script thread.
class MemoryWatch {
 public:
  enum class Advice : unsigned char {
    kNone,
    kCollect,   ///< collect, then ask exceeded()
    kGiveBack,  ///< collect, and return to the system what is free; then tell gaveBack()
  };

  explicit MemoryWatch(std::size_t external_limit) : external_limit_(external_limit) {}

  [[nodiscard]] Advice look(const MemorySample& now);
  /// Whether the limit is exceeded for good. Some memory is freed on other threads after a collection, so one sample
  /// alone does not tell.
  [[nodiscard]] bool exceeded(const MemorySample& collected);
  /// The same from what a collection of V8 itself leaves, which comes whenever that memory has grown by half a heap: a script
  /// that never comes back to its event loop is not looked at otherwise.
  [[nodiscard]] bool exceededAfterCollection(std::size_t external_bytes);
  void gaveBack(const MemorySample& collected);
  [[nodiscard]] std::size_t externalLimit() const { return external_limit_; }

 private:
  const std::size_t external_limit_;
  bool was_exceeded_ = false;
  bool was_exceeded_after_collection_ = false;
  int quiet_looks_ = 0;
  std::size_t most_ = 0;  // since memory was given back
  std::size_t kept_ = 0;  // what was left then
};

}  // namespace svc::jsruntime
