#include "answer_budget.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::http {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class AnswerBudgetTest : public ::testing::Test {
 protected:
  AnswerBudgetTest() { budget_.setLimit(100); }
  bool admit(const char* client, std::size_t bytes) {
    return budget_.admit(client, bytes, now_, [this, client] { cut_.emplace_back(client); });
  }

  static constexpr const char* kAnn = "ann";
  static constexpr const char* kBob = "bob";
  static constexpr const char* kEve = "eve";
  AnswerBudget budget_;
  AnswerBudget::TimePoint now_{1h};
  std::vector<std::string> cut_;
};

TEST_F(AnswerBudgetTest, OneThatIsAloneHasRoom) {
  EXPECT_TRUE(admit(kAnn, 500));
  EXPECT_FALSE(admit(kBob, 1));
  budget_.release(kAnn);
  EXPECT_EQ(budget_.total(), 0U);
  EXPECT_TRUE(admit(kBob, 1));
  EXPECT_THAT(cut_, IsEmpty());
}

TEST_F(AnswerBudgetTest, WhatWasTakenMakesRoom) {
  EXPECT_TRUE(admit(kAnn, 80));
  EXPECT_FALSE(admit(kBob, 50));
  budget_.left(kAnn, 50);
  budget_.left(kAnn, 60);
  EXPECT_EQ(budget_.total(), 50U);
  EXPECT_TRUE(admit(kBob, 50));
}

TEST_F(AnswerBudgetTest, TheClientThatTakesSlowestGoesFirst) {
  EXPECT_TRUE(admit(kAnn, 40));
  EXPECT_TRUE(admit(kBob, 60));
  now_ += AnswerBudget::kPatience;
  budget_.left(kAnn, 39);
  budget_.left(kBob, 30);
  EXPECT_TRUE(admit(kEve, 50));
  EXPECT_THAT(cut_, ElementsAre("ann"));
  EXPECT_EQ(budget_.total(), 80U);
  EXPECT_EQ(budget_.cut(), 1U);
}

TEST_F(AnswerBudgetTest, NobodyIsSlowAtOnce) {
  EXPECT_TRUE(admit(kAnn, 90));
  now_ += AnswerBudget::kPatience - 1ms;
  EXPECT_FALSE(admit(kBob, 20));
  EXPECT_THAT(cut_, IsEmpty());
}

TEST_F(AnswerBudgetTest, AClientDoesNotGoForItsOwnNextAnswer) {
  EXPECT_TRUE(admit(kAnn, 90));
  now_ += 1h;
  EXPECT_FALSE(admit(kAnn, 20));
  EXPECT_THAT(cut_, IsEmpty());
}

TEST_F(AnswerBudgetTest, ANewAnswerIsMeasuredFromItsBeginning) {
  EXPECT_TRUE(admit(kAnn, 10));
  budget_.release(kAnn);
  now_ += 1h;
  EXPECT_TRUE(admit(kAnn, 90));
  EXPECT_FALSE(admit(kBob, 20));
}

}  // namespace
}  // namespace svc::http
