#include "resting_agents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::threads {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

bool nobody(const std::string& /*thread_id*/) { return false; }

/// "a" rests since 10, "b" since 20 and cannot go on later, "c" since 30; all on "mac".
RestingAgents three(AgentBounds bounds) {
  RestingAgents agents;
  agents.setBounds(bounds);
  std::int64_t now = 10;
  for (const auto* id : {"a", "b", "c"}) {
    agents.began(id, "mac", 0);
    agents.used(id, now);
    now += 10;
  }
  agents.canGoOn("a");
  agents.canGoOn("c");
  return agents;
}

TEST(RestingAgentsTest, OneThatHasNothingToDoForLongEnoughIsOverdue) {
  auto agents = three({.idle = std::chrono::milliseconds(100)});
  EXPECT_THAT(agents.overdue(109, nobody), IsEmpty());
  EXPECT_THAT(agents.overdue(130, nobody), ElementsAre("a", "c")) << "b would forget what was said";
  EXPECT_THAT(agents.overdue(130, [](const std::string& id) { return id == "a"; }),
              ElementsAre("c"));
  agents.used("a", 130);
  agents.ended("c");
  EXPECT_THAT(agents.overdue(130, nobody), IsEmpty());
}

TEST(RestingAgentsTest, WithoutATimeNoneIsOverdue) {
  EXPECT_THAT(three({}).overdue(1'000'000'000, nobody), IsEmpty());
}

TEST(RestingAgentsTest, TheOneThatRestsLongestGoesForAnother) {
  const auto agents = three({.per_machine = 3});
  EXPECT_TRUE(agents.roomOn("home", nobody).is);
  EXPECT_THAT(agents.roomOn("home", nobody).instead_of, IsEmpty());
  EXPECT_THAT(agents.roomOn("mac", nobody).instead_of, ElementsAre("a"));
  EXPECT_THAT(agents.roomOn("mac", [](const std::string& id) { return id == "a"; }).instead_of,
              ElementsAre("c"));
  EXPECT_THAT(agents.roomOn("mac", [](const std::string& id) { return id != "b"; }).instead_of,
              ElementsAre("b"))
      << "rather than none";
  EXPECT_FALSE(agents.roomOn("mac", [](const std::string&) { return true; }).is);
  EXPECT_TRUE(three({.per_machine = 4}).roomOn("mac", nobody).instead_of.empty());
  EXPECT_TRUE(three({}).roomOn("mac", nobody).instead_of.empty());
}

TEST(RestingAgentsTest, WhatRestsBeyondALoweredBoundIsSurplusOnItsMachine) {
  EXPECT_THAT(three({.per_machine = 3}).surplus(nobody), IsEmpty());
  EXPECT_THAT(three({}).surplus(nobody), IsEmpty());
  auto agents = three({.per_machine = 1});
  agents.began("d", "home", 0);
  EXPECT_THAT(agents.surplus(nobody), ElementsAre("a", "c")) << "b would forget what was said";
  EXPECT_THAT(agents.surplus([](const std::string& id) { return id == "a"; }),
              ElementsAre("c", "b"));
  EXPECT_THAT(agents.surplus([](const std::string& id) { return id != "c"; }), ElementsAre("c"))
      << "the others are at work";
}

TEST(RestingAgentsTest, ABoundThatWasLoweredHoldsForTheNextOne) {
  const auto agents = three({.per_machine = 2});
  EXPECT_THAT(agents.roomOn("mac", nobody).instead_of, ElementsAre("a", "c"));
  EXPECT_FALSE(agents.roomOn("mac", [](const std::string& id) { return id != "a"; }).is)
      << "one of three goes, which leaves two beside the new one";
}

}  // namespace
}  // namespace svc::threads
