#include "process_usage.h"

#include <ctime>

#include <gtest/gtest.h>

namespace svc::metrics {
namespace {

TEST(ProcessUsageTest, ReadsThisProcess) {
  const auto usage = readProcessUsage();
  ASSERT_TRUE(usage);
  EXPECT_GT(usage->resident_bytes, 1U << 20);
  EXPECT_GT(usage->virtual_bytes, usage->resident_bytes);
  EXPECT_GE(usage->threads, 1U);
  EXPECT_GE(usage->open_descriptors, 3U);
  EXPECT_GE(usage->max_descriptors, usage->open_descriptors);
  EXPECT_GT(usage->started_at, 0);
  EXPECT_LE(usage->started_at, static_cast<double>(std::time(nullptr)) + 1);
}

}  // namespace
}  // namespace svc::metrics
