#include "loaded_map.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

#include "fakes/fake_executor.h"
#include "mocks/mock_generation.h"

namespace svc::plugins {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::NiceMock;
using ::testing::Pair;

class LoadedMapTest : public ::testing::Test {
 protected:
  LoadedMap map_;
  std::shared_ptr<Meters> meters_ = std::make_shared<Meters>();
  GenerationPtr first_ = std::make_shared<NiceMock<MockGeneration>>();
  GenerationPtr second_ = std::make_shared<NiceMock<MockGeneration>>();
  std::vector<GenerationPtr> got_;
  std::vector<Error> refused_;

  LoadedMapTest() { map_.add("todo", meters_); }
  void acquire(const std::string& id = "todo") {
    map_.acquire(id, [this](Result<GenerationPtr> result) {
      if (result) {
        got_.push_back(result.value());
      } else {
        refused_.push_back(result.error());
      }
    });
  }
};

TEST_F(LoadedMapTest, IsSettledWhenEveryPluginHasBeenLoadedOnceOrHasFailedTo) {
  test::FakeMainExecutor main;
  int settled = 0;
  const auto ask = [&] {
    map_.settled(main, 5s, [&](const Status& status) { settled += status ? 1 : 100; });
  };
  map_.add("other", meters_);
  ask();
  EXPECT_EQ(map_.loading(), (std::vector<std::string>{"other", "todo"}));
  map_.setStatus("todo", PluginStatus::kRunning, "");
  EXPECT_EQ(settled, 0);
  map_.setStatus("other", PluginStatus::kError, "factory threw");
  EXPECT_EQ(settled, 1);
  // A crash and a reload are no first time.
  map_.setStatus("todo", PluginStatus::kStarting, "");
  ask();
  EXPECT_TRUE(map_.loading().empty());
  EXPECT_EQ(settled, 2);
  map_.add("new", meters_);
  ask();
  EXPECT_EQ(settled, 2);
  map_.erase("new");
  EXPECT_EQ(settled, 3);
}

TEST_F(LoadedMapTest, PatienceWithPluginsThatAreBeingLoadedHasAnEnd) {
  test::FakeMainExecutor main;
  int settled = 0;
  map_.settled(main, 5s, [&](const Status& status) { settled += status ? 1 : 100; });
  main.advance(4999ms);
  EXPECT_EQ(settled, 0);
  main.advance(1ms);
  EXPECT_EQ(settled, 1);
  map_.setStatus("todo", PluginStatus::kRunning, "");
  EXPECT_EQ(settled, 1);
}

TEST_F(LoadedMapTest, AnUnknownPluginIsRefused) {
  acquire("nobody");
  ASSERT_EQ(refused_.size(), 1U);
  EXPECT_EQ(refused_[0].code, errc::kUnknownPlugin);
  EXPECT_EQ(refused_[0].details, R"({"pluginId":"nobody"})");
}

TEST_F(LoadedMapTest, APluginThatIsNotLoadedSaysWhy) {
  map_.setStatus("todo", PluginStatus::kError, "factory threw");
  acquire();
  ASSERT_EQ(refused_.size(), 1U);
  EXPECT_EQ(refused_[0].code, errc::kPluginNotRunning);
  EXPECT_THAT(refused_[0].message, HasSubstr("factory threw"));
  EXPECT_EQ(refused_[0].details,
            R"({"pluginId":"todo","status":"error","statusDetail":"factory threw"})");
}

TEST_F(LoadedMapTest, GivesTheCommittedGenerationWhateverTheStatus) {
  map_.publish("todo", first_);
  map_.setStatus("todo", PluginStatus::kNeedsConfiguration, "no key");
  acquire();
  EXPECT_THAT(got_, ElementsAre(first_));
  EXPECT_THAT(map_.all(), ElementsAre(first_));
}

TEST_F(LoadedMapTest, LookupsAndHeldCallsGetLeases) {
  int leases = 0;
  map_.hold("todo");
  acquire();
  map_.publish("todo", first_, [this, &leases] {
    ++leases;
    return first_;
  });
  acquire();
  EXPECT_EQ(leases, 2);
  EXPECT_THAT(got_, ElementsAre(first_, first_));
}

TEST_F(LoadedMapTest, HeldCallsGoToTheNewGenerationInOrder) {
  map_.publish("todo", first_);
  map_.hold("todo");
  acquire();
  acquire();
  EXPECT_THAT(got_, IsEmpty());
  map_.publish("todo", second_);
  EXPECT_THAT(got_, ElementsAre(second_, second_));
  EXPECT_EQ(meters_->snapshot().counters.held_calls, 2U);
}

TEST_F(LoadedMapTest, ASuspendedPluginIsNotLoadedAndCallsWait) {
  map_.publish("todo", first_);
  map_.suspend("todo");
  EXPECT_THAT(map_.all(), IsEmpty());
  acquire();
  EXPECT_THAT(got_, IsEmpty());
  EXPECT_THAT(refused_, IsEmpty());
  map_.publish("todo", second_);
  EXPECT_THAT(got_, ElementsAre(second_));
}

TEST_F(LoadedMapTest, HeldCallsFailWhenNothingComes) {
  map_.publish("todo", first_);
  map_.hold("todo");
  acquire();
  map_.withdraw("todo");
  EXPECT_EQ(refused_.size(), 1U);
  EXPECT_THAT(map_.all(), IsEmpty());
}

TEST_F(LoadedMapTest, HoldsNoMoreThanTheLimit) {
  map_.hold("todo");
  for (std::size_t call = 0; call < limits::kHeldCalls; ++call) {
    acquire();
  }
  EXPECT_THAT(refused_, IsEmpty());
  acquire();
  ASSERT_EQ(refused_.size(), 1U);
  EXPECT_EQ(refused_[0].code, errc::kPluginNotRunning);
  EXPECT_THAT(refused_[0].message, HasSubstr("1024 calls wait already (limit heldCalls is 1024)"));
  map_.publish("todo", first_);
  EXPECT_EQ(got_.size(), limits::kHeldCalls);
}

TEST_F(LoadedMapTest, ErasingAnswersWhoeverWaits) {
  map_.hold("todo");
  acquire();
  map_.erase("todo");
  EXPECT_EQ(refused_.size(), 1U);
  acquire();
  EXPECT_EQ(refused_.back().code, errc::kUnknownPlugin);
}

TEST_F(LoadedMapTest, ListsStatusesById) {
  map_.add("alpha", meters_);
  map_.setStatus("todo", PluginStatus::kRunning, "");
  EXPECT_THAT(map_.statuses(), ElementsAre(Pair("alpha", PluginStatus::kStarting),
                                           Pair("todo", PluginStatus::kRunning)));
}

TEST_F(LoadedMapTest, AnswersEveryLookupDuringSwitchesFromManyThreads) {
  constexpr int kCalls = 2000;
  map_.publish("todo", first_);
  std::atomic<int> answered{0};
  std::atomic<int> failed{0};
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < 2; ++caller) {
    callers.emplace_back([&] {
      for (int call = 0; call < kCalls; ++call) {
        map_.acquire("todo",
                     [&](const Result<GenerationPtr>& result) { ++(result ? answered : failed); });
      }
    });
  }
  for (int round = 0; round < 100; ++round) {
    map_.hold("todo");
    map_.publish("todo", round % 2 == 0 ? second_ : first_);
  }
  callers.clear();
  EXPECT_EQ(answered + failed, 2 * kCalls);
}

}  // namespace
}  // namespace svc::plugins
