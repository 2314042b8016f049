#include "memory_watch.h"

#include <algorithm>
#include <utility>

namespace svc::jsruntime {

namespace {

/// A script that uses less of a core than this, for so many samples, is not held up by a collection.
constexpr double kQuietPercent = 5;
constexpr int kQuietLooks = 3;
/// Less than this, and less than half of what is kept, is not worth a collection: it stops the script for as long as its heap is
/// large.
constexpr std::size_t kWorthGivingBack = 16UL << 20;

std::size_t wholeOf(const MemorySample& sample) {
  return sample.heap_bytes + sample.external_bytes + sample.native_bytes;
}

}  // namespace

MemoryWatch::Advice MemoryWatch::look(const MemorySample& now) {
  if (now.external_bytes > external_limit_) {
    return Advice::kCollect;
  }
  was_exceeded_ = false;
  most_ = std::max(most_, wholeOf(now));
  quiet_looks_ = now.cpu_percent < kQuietPercent ? quiet_looks_ + 1 : 0;
  const auto worth = std::max(kWorthGivingBack, kept_ / 2);
  return quiet_looks_ >= kQuietLooks && most_ >= kept_ + worth ? Advice::kGiveBack : Advice::kNone;
}

bool MemoryWatch::exceeded(const MemorySample& collected) {
  const bool now = collected.external_bytes > external_limit_;
  return std::exchange(was_exceeded_, now) && now;
}

bool MemoryWatch::exceededAfterCollection(std::size_t external_bytes) {
  // The next collection begins when all that the one before has found is freed.
  const bool now = external_bytes > external_limit_;
  return std::exchange(was_exceeded_after_collection_, now) && now;
}

void MemoryWatch::gaveBack(const MemorySample& collected) {
  kept_ = most_ = wholeOf(collected);
  quiet_looks_ = 0;
}

}  // namespace svc::jsruntime
