#include "memory_budget.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/fake_executor.h"

namespace svc::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using namespace std::chrono_literals;

constexpr std::uint64_t kMiB = 1UL << 20;

class MemoryBudgetTest : public ::testing::Test {
 protected:
  struct Held {
    std::uint64_t heap_mib = 0;
    std::uint64_t external_mib = 0;
    std::uint64_t database_mib = 0;
    std::uint64_t parked_mib = 0;
  };
  void holds(const std::string& id, Held held) {
    auto& usage = held_[id];
    usage.id = id;
    usage.heap_bytes = held.heap_mib * kMiB;
    usage.external_bytes = held.external_mib * kMiB;
    usage.database_bytes = held.database_mib * kMiB;
    usage.parked_bytes = held.parked_mib * kMiB;
  }
  void look(int times = 1) {
    for (int time = 0; time < times; ++time) {
      main_.advance(1s);
    }
  }

  test::FakeMainExecutor main_;
  std::map<std::string, PluginUsage> held_;
  std::vector<std::pair<std::string, std::string>> ended_;
  std::string stopped_;
  std::shared_ptr<MemoryBudget> budget_ = std::make_shared<MemoryBudget>(
      MemoryBudget::Surroundings{main_,
                                 [this] {
                                   std::vector<PluginUsage> out;
                                   for (const auto& [id, usage] : held_) {
                                     out.push_back(usage);
                                   }
                                   return out;
                                 },
                                 [this](const std::string& id, const std::string& why) {
                                   if (id == stopped_) {
                                     return false;
                                   }
                                   ended_.emplace_back(id, why);
                                   held_.erase(id);
                                   return true;
                                 }});
};

TEST_F(MemoryBudgetTest, EndsTheOneThatHoldsMostWhenAllHoldTooMuchTwice) {
  budget_->setLimit(100 * kMiB);
  holds("big", {.heap_mib = 20, .external_mib = 40});
  holds("bigger", {.heap_mib = 40, .database_mib = 30});
  holds("small", {.heap_mib = 10});
  look();
  EXPECT_THAT(ended_, IsEmpty()) << "garbage may go by itself";
  look();
  EXPECT_THAT(ended_, ElementsAre(Pair(
                          "bigger",
                          "the plugins of this server hold 140 MiB together, more than the 100 of "
                          "plugins.totalMiB; this one held most, 70 MiB")));
  look(5);
  EXPECT_EQ(ended_.size(), 1U) << "70 MiB are within the limit";
}

TEST_F(MemoryBudgetTest, WhatIsAboveTheLimitForAMomentEndsNothing) {
  budget_->setLimit(100 * kMiB);
  for (int time = 0; time < 5; ++time) {
    holds("spiky", {.heap_mib = 200});
    look();
    holds("spiky", {.heap_mib = 50});
    look();
  }
  EXPECT_THAT(ended_, IsEmpty());
}

TEST_F(MemoryBudgetTest, TheNextOneGoesWhenTheLargestDoesNotRun) {
  budget_->setLimit(100 * kMiB);
  holds("parked", {.parked_mib = 90});
  holds("big", {.heap_mib = 40});
  stopped_ = "parked";
  look(2);
  ASSERT_EQ(ended_.size(), 1U);
  EXPECT_EQ(ended_[0].first, "big");
}

TEST_F(MemoryBudgetTest, WithoutALimitNothingIsLookedAt) {
  holds("big", {.heap_mib = 4000});
  look(5);
  budget_->setLimit(100 * kMiB);
  budget_->setLimit(0);
  look(5);
  EXPECT_THAT(ended_, IsEmpty());
}

TEST_F(MemoryBudgetTest, LooksNoMoreWhenItIsGone) {
  budget_->setLimit(100 * kMiB);
  holds("big", {.heap_mib = 400});
  budget_.reset();
  look(5);
  EXPECT_THAT(ended_, IsEmpty());
}

}  // namespace
}  // namespace svc::plugins
