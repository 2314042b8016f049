#include <random>
#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interaction_machine.h"
#include "thread_machine.h"
#include "turn_machine.h"

namespace svc::threads {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

constexpr std::array kThreadStates{ThreadState::kPending,  ThreadState::kIdle,
                                   ThreadState::kStarting, ThreadState::kActive,
                                   ThreadState::kStopping, ThreadState::kError};
constexpr std::array kThreadInputs{ThreadInput::kRunPreparing,  ThreadInput::kRunStarted,
                                   ThreadInput::kRunSucceeded,  ThreadInput::kRunFailed,
                                   ThreadInput::kStopRequested, ThreadInput::kStopSettled};
constexpr std::array kTurnStates{TurnState::kAccepted, TurnState::kDispatched,
                                 TurnState::kStarted,  TurnState::kCompleted,
                                 TurnState::kFailed,   TurnState::kInterrupted};
constexpr std::array kTurnInputs{TurnInput::kDispatch, TurnInput::kAcknowledge,
                                 TurnInput::kComplete, TurnInput::kFail, TurnInput::kInterrupt};
constexpr std::array kInteractionStates{InteractionState::kPending, InteractionState::kResolving,
                                        InteractionState::kResolved,
                                        InteractionState::kInterrupted};
constexpr std::array kInteractionInputs{InteractionInput::kAnswer, InteractionInput::kDelivered,
                                        InteractionInput::kDeliveryFailed,
                                        InteractionInput::kInterrupt};

/// The table of the contract as text: a row for each state, a cell for each input in the order above, "-" without effect.
std::vector<std::string> threadRows(const ThreadFacts& facts) {
  std::vector<std::string> rows;
  for (const auto state : kThreadStates) {
    std::string row(nameOf(state));
    for (const auto input : kThreadInputs) {
      const auto step = advance(state, input, facts);
      row += " " + (step ? std::string(nameOf(step->state)) : "-");
    }
    rows.push_back(row);
  }
  return rows;
}

TEST(ThreadMachineTest, FollowsTheTableOfTheContract) {
  EXPECT_THAT(threadRows({}),
              ElementsAre("pending starting - - - - -",  //
                          "idle starting active - - - -", "starting - active idle error stopping -",
                          "active - - idle error stopping -", "stopping - - idle error - idle",
                          "error starting active - - - -"));
}

TEST(ThreadMachineTest, AnArchivedThreadEndsItsRunAndStartsNone) {
  EXPECT_THAT(threadRows({.archived = true}),
              ElementsAre("pending - - - - - -", "idle - - - - - -",
                          "starting - - idle error stopping -", "active - - idle error stopping -",
                          "stopping - - idle error - idle", "error - - - - - -"));
}

TEST(ThreadMachineTest, ADeletedThreadDoesNotFail) {
  EXPECT_THAT(threadRows({.deleted = true}),
              ElementsAre("pending - - - - - -", "idle - - - - - -",
                          "starting - - idle - stopping -", "active - - idle - stopping -",
                          "stopping - - idle - - idle", "error - - - - - -"));
}

TEST(ThreadMachineTest, EachEdgeStandsOnceInItsTable) {
  std::set<std::pair<ThreadState, ThreadInput>> seen;
  for (const auto& edge : threadTable()) {
    EXPECT_TRUE(seen.insert({edge.from, edge.input}).second);
    EXPECT_EQ(advance(edge.from, edge.input, {})->state, edge.to);
  }
}

TEST(ThreadMachineTest, OnlyWhatEndsARunIsWorthAttention) {
  for (const auto& edge : threadTable()) {
    const auto effects = advance(edge.from, edge.input, {})->effects;
    const bool ended = edge.to == ThreadState::kIdle || edge.to == ThreadState::kError;
    EXPECT_EQ(ended, std::count(effects.begin(), effects.end(), ThreadEffect::kAttention) == 1);
    EXPECT_EQ(edge.to == ThreadState::kIdle,
              std::count(effects.begin(), effects.end(), ThreadEffect::kDrainQueue) == 1);
    EXPECT_EQ(edge.input == ThreadInput::kStopRequested,
              std::count(effects.begin(), effects.end(), ThreadEffect::kEndRun) == 1);
  }
}

TEST(ThreadMachineTest, NamesGoBothWays) {
  for (const auto state : kThreadStates) {
    EXPECT_EQ(threadStateOf(nameOf(state)), state);
  }
  for (const auto state : kTurnStates) {
    EXPECT_EQ(turnStateOf(nameOf(state)), state);
  }
  for (const auto state : kInteractionStates) {
    EXPECT_EQ(interactionStateOf(nameOf(state)), state);
  }
  EXPECT_FALSE(threadStateOf("started"));
  EXPECT_FALSE(turnStateOf("active"));
  EXPECT_FALSE(interactionStateOf(""));
}

TEST(TurnMachineTest, FollowsTheTableOfTheContract) {
  std::vector<std::string> rows;
  for (const auto state : kTurnStates) {
    std::string row(nameOf(state));
    for (const auto input : kTurnInputs) {
      const auto step = advance(state, input);
      row += " " + (step ? std::string(nameOf(step->state)) : "-");
    }
    rows.push_back(row);
  }
  EXPECT_THAT(rows, ElementsAre("accepted dispatched - - failed interrupted",
                                "dispatched - started - failed interrupted",
                                "started - - completed failed interrupted",  //
                                "completed - - - - -",                       //
                                "failed - - - - -",                          //
                                "interrupted - - - - -"));
}

TEST(TurnMachineTest, WhatEndsTellsTheThreadAndEndsItsQuestions) {
  for (const auto& edge : turnTable()) {
    const auto step = *advance(edge.from, edge.input);
    EXPECT_EQ(step.state, edge.to);
    if (isEnded(edge.to)) {
      EXPECT_TRUE(step.thread);
      EXPECT_THAT(step.effects, Contains(TurnEffect::kEndInteractions));
      // The log has an end for each start, and a refusal for what never started.
      const bool started = edge.from == TurnState::kStarted;
      EXPECT_EQ(step.effects.front(), started ? TurnEffect::kLogEnded : TurnEffect::kLogRejected);
    } else {
      EXPECT_THAT(step.effects, Not(Contains(TurnEffect::kEndInteractions)));
    }
  }
}

TEST(InteractionMachineTest, FollowsTheTableOfTheContract) {
  std::vector<std::string> rows;
  for (const auto state : kInteractionStates) {
    std::string row(nameOf(state));
    for (const auto input : kInteractionInputs) {
      const auto step = advance(state, input);
      row += " " + (step ? std::string(nameOf(step->state)) : "-");
    }
    rows.push_back(row);
  }
  EXPECT_THAT(rows, ElementsAre("pending resolving - - interrupted",
                                "resolving - resolved pending interrupted",  //
                                "resolved - - - -",                          //
                                "interrupted - - - -"));
}

TEST(InteractionMachineTest, EveryTransitionIsLoggedAndEveryEndUnblocks) {
  for (const auto& edge : interactionTable()) {
    const auto effects = advance(edge.from, edge.input)->effects;
    EXPECT_THAT(effects, Contains(InteractionEffect::kLog));
    EXPECT_EQ(!isOpen(edge.to),
              std::count(effects.begin(), effects.end(), InteractionEffect::kUnblock) == 1);
  }
}

// A thread whose turns come and go in any order of inputs, legal and illegal: both machines stay in step.
TEST(MachinesTest, AThreadIsBusyExactlyWhileItsTurnIsNotEnded) {
  std::mt19937 random(7);
  for (int course = 0; course < 500; ++course) {
    auto thread = ThreadState::kIdle;
    std::optional<TurnState> turn;
    const auto feed = [&thread](ThreadInput input) {
      if (const auto step = advance(thread, input, {})) {
        thread = step->state;
      }
    };
    for (int at = 0; at < 40; ++at) {
      if ((!turn || isEnded(*turn)) && random() % 2 == 0) {
        turn = TurnState::kAccepted;
        feed(ThreadInput::kRunPreparing);
      } else if (random() % 8 == 0) {
        feed(ThreadInput::kStopRequested);
      } else if (turn) {
        const auto input = kTurnInputs.at(random() % kTurnInputs.size());
        if (input == TurnInput::kInterrupt) {
          feed(ThreadInput::kStopRequested);
        }
        if (const auto step = advance(*turn, input)) {
          turn = step->state;
          if (step->thread) {
            feed(*step->thread);
          }
        }
      }
      EXPECT_EQ(isBusy(thread), turn && !isEnded(*turn))
          << nameOf(thread) << " with " << (turn ? nameOf(*turn) : "none");
    }
  }
}

}  // namespace
}  // namespace svc::threads
