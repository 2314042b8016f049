#include "states.h"

#include <array>
#include <set>

#include <gtest/gtest.h>

namespace svc::environments {
namespace {

constexpr std::array kStates{State::kCreating, State::kProvisioning, State::kReady, State::kError,
                             State::kDestroyed};
constexpr std::array kEvents{Event::kPlaced,       Event::kCreateFailed, Event::kSetupDone,
                             Event::kSetupFailed,  Event::kSetupAsked,   Event::kCreateRetried,
                             Event::kSetupRetried, Event::kRemoved};

TEST(EnvironmentStatesTest, WhatTheContractListsHappensAndNothingElse) {
  std::set<std::string> seen;
  for (const auto from : kStates) {
    for (const auto event : kEvents) {
      if (const auto to = next(from, event)) {
        seen.insert(std::string(name(from)) + " > " + std::string(name(*to)));
      }
    }
  }
  EXPECT_EQ(seen, (std::set<std::string>{
                      "creating > provisioning", "creating > error", "provisioning > ready",
                      "provisioning > error", "ready > provisioning", "error > creating",
                      "error > provisioning", "ready > destroyed", "error > destroyed"}));
}

TEST(EnvironmentStatesTest, NothingLeavesTheEnd) {
  for (const auto event : kEvents) {
    EXPECT_FALSE(next(State::kDestroyed, event));
  }
}

TEST(EnvironmentStatesTest, ARemovalThatHasBegunIsNotTakenBack) {
  EXPECT_EQ(next(Phase::kActive, PhaseEvent::kUnused), Phase::kRetiring);
  EXPECT_EQ(next(Phase::kRetiring, PhaseEvent::kUsed), Phase::kActive);
  EXPECT_EQ(next(Phase::kRetiring, PhaseEvent::kGraceOver), Phase::kRemoving);
  EXPECT_EQ(next(Phase::kActive, PhaseEvent::kRemoveAsked), Phase::kRemoving);
  for (const auto event : {PhaseEvent::kUnused, PhaseEvent::kUsed, PhaseEvent::kGraceOver}) {
    EXPECT_FALSE(next(Phase::kRemoving, event));
  }
}

TEST(EnvironmentStatesTest, NamesAreThoseOfTheWire) {
  for (const auto state : kStates) {
    EXPECT_EQ(stateOf(name(state)), state);
  }
  EXPECT_EQ(stateOf("unknown"), State::kDestroyed);
  EXPECT_EQ(phaseOf("retiring"), Phase::kRetiring);
}

}  // namespace
}  // namespace svc::environments
