#include "memory_watch.h"

#include <gtest/gtest.h>

namespace svc::jsruntime {
namespace {

using Advice = MemoryWatch::Advice;

constexpr std::size_t kMiB = 1UL << 20;
constexpr double kBusy = 80;
constexpr double kQuiet = 1;

MemorySample heap(std::size_t mib, double cpu_percent) {
  return {
      .heap_bytes = mib * kMiB, .external_bytes = 0, .native_bytes = 0, .cpu_percent = cpu_percent};
}
MemorySample external(std::size_t mib) {
  return {.heap_bytes = 0, .external_bytes = mib * kMiB, .native_bytes = 0, .cpu_percent = kBusy};
}
/// The advice of so many equal samples in a row.
Advice afterLooks(MemoryWatch& watch, int count, const MemorySample& sample) {
  auto advice = Advice::kNone;
  for (int at = 0; at < count; ++at) {
    advice = watch.look(sample);
  }
  return advice;
}

TEST(MemoryWatchTest, LooksOnBelowTheLimit) {
  MemoryWatch watch(100 * kMiB);
  EXPECT_EQ(watch.look(external(100)), Advice::kNone);
}

TEST(MemoryWatchTest, CollectsBeforeItJudges) {
  MemoryWatch watch(100 * kMiB);
  EXPECT_EQ(watch.look(external(101)), Advice::kCollect);
  EXPECT_FALSE(watch.exceeded(external(3)));
  EXPECT_EQ(watch.look(external(500)), Advice::kCollect) << "garbage may come again and again";
  EXPECT_FALSE(watch.exceeded(external(3)));
}

TEST(MemoryWatchTest, ExceededIsWhatTwoCollectionsInARowDoNotFree) {
  MemoryWatch watch(100 * kMiB);
  EXPECT_EQ(watch.look(external(101)), Advice::kCollect);
  EXPECT_FALSE(watch.exceeded(external(101)));
  EXPECT_EQ(watch.look(external(101)), Advice::kCollect);
  EXPECT_TRUE(watch.exceeded(external(101)));
}

TEST(MemoryWatchTest, ASampleBelowTheLimitStartsTheCountAgain) {
  MemoryWatch watch(100 * kMiB);
  EXPECT_EQ(watch.look(external(101)), Advice::kCollect);
  EXPECT_FALSE(watch.exceeded(external(101)));
  EXPECT_EQ(watch.look(external(20)), Advice::kNone);
  EXPECT_EQ(watch.look(external(101)), Advice::kCollect);
  EXPECT_FALSE(watch.exceeded(external(101)));
}

TEST(MemoryWatchTest, GivesMemoryBackWhenAScriptIsQuiet) {
  MemoryWatch watch(1000 * kMiB);
  EXPECT_EQ(afterLooks(watch, 10, heap(300, kBusy)), Advice::kNone);
  EXPECT_EQ(afterLooks(watch, 2, heap(300, kQuiet)), Advice::kNone);
  EXPECT_EQ(watch.look(heap(300, kQuiet)), Advice::kGiveBack);
}

TEST(MemoryWatchTest, GivesBackWhatV8HasCollectedMeanwhile) {
  MemoryWatch watch(1000 * kMiB);
  EXPECT_EQ(watch.look(heap(300, kBusy)), Advice::kNone);
  EXPECT_EQ(afterLooks(watch, 3, heap(2, kQuiet)), Advice::kGiveBack);
}

TEST(MemoryWatchTest, GivesBackWhatDatabasesHaveFreed) {
  MemoryWatch watch(1000 * kMiB);
  const auto databases = [](std::size_t mib) {
    return MemorySample{
        .heap_bytes = 0, .external_bytes = 0, .native_bytes = mib * kMiB, .cpu_percent = kQuiet};
  };
  watch.gaveBack(databases(1));
  EXPECT_EQ(watch.look(databases(200)), Advice::kNone);
  EXPECT_EQ(afterLooks(watch, 3, databases(1)), Advice::kGiveBack);
}

TEST(MemoryWatchTest, DoesNotCollectAgainWhatIsKept) {
  MemoryWatch watch(1000 * kMiB);
  EXPECT_EQ(afterLooks(watch, 3, heap(300, kQuiet)), Advice::kGiveBack);
  watch.gaveBack(heap(290, kQuiet));
  EXPECT_EQ(afterLooks(watch, 100, heap(434, kQuiet)), Advice::kNone) << "half of what is kept";
  EXPECT_EQ(afterLooks(watch, 3, heap(435, kQuiet)), Advice::kGiveBack);
}

TEST(MemoryWatchTest, ASmallHeapHasToGrowBySixteenMebibytes) {
  MemoryWatch watch(1000 * kMiB);
  EXPECT_EQ(afterLooks(watch, 3, heap(300, kQuiet)), Advice::kGiveBack);
  watch.gaveBack(heap(4, kQuiet));
  EXPECT_EQ(afterLooks(watch, 100, heap(19, kQuiet)), Advice::kNone);
  EXPECT_EQ(watch.look(heap(20, kQuiet)), Advice::kGiveBack);
}

TEST(MemoryWatchTest, ABusyMomentStartsTheQuietTimeAgain) {
  MemoryWatch watch(1000 * kMiB);
  EXPECT_EQ(afterLooks(watch, 2, heap(300, kQuiet)), Advice::kNone);
  EXPECT_EQ(watch.look(heap(300, kBusy)), Advice::kNone);
  EXPECT_EQ(afterLooks(watch, 2, heap(300, kQuiet)), Advice::kNone);
  EXPECT_EQ(watch.look(heap(300, kQuiet)), Advice::kGiveBack);
}

}  // namespace
}  // namespace svc::jsruntime
