#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/fake_clock.h"
#include "fakes/fake_executor.h"
#include "plugin_changes.h"

namespace svc::realtime {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

class ChangeJoinTest : public ::testing::Test {
 protected:
  void pass(std::chrono::milliseconds time) {
    clock_.advance(time);
    main_.advance(time);
  }

  svc::test::FakeMainExecutor main_;
  svc::test::FakeClock clock_;
  std::vector<std::string> sent_;
  ChangeJoin join_{main_, clock_, [this](std::string frame) { sent_.push_back(std::move(frame)); }};
};

TEST_F(ChangeJoinTest, TheFirstLeavesAtOnce) {
  join_.offer("1");
  EXPECT_THAT(sent_, ElementsAre("1"));
}

TEST_F(ChangeJoinTest, ABurstEndsInItsNewest) {
  for (const auto* frame : {"1", "2", "3", "4"}) {
    join_.offer(frame);
  }
  EXPECT_THAT(sent_, ElementsAre("1"));
  pass(kChangedJoin - 1ms);
  EXPECT_THAT(sent_, ElementsAre("1"));
  pass(1ms);
  EXPECT_THAT(sent_, ElementsAre("1", "4"));
}

TEST_F(ChangeJoinTest, AStreamOfChangesIsSentOncePerTime) {
  for (int i = 0; i < 20; ++i) {
    join_.offer(std::to_string(i));
    pass(10ms);
  }
  pass(kChangedJoin);
  EXPECT_THAT(sent_, ElementsAre("0", "4", "9", "14", "19"));
}

TEST_F(ChangeJoinTest, AfterAPauseNothingWaits) {
  join_.offer("1");
  pass(kChangedJoin);
  join_.offer("2");
  EXPECT_THAT(sent_, ElementsAre("1", "2"));
  EXPECT_EQ(main_.pendingTimers(), 0U);
}

}  // namespace
}  // namespace svc::realtime
