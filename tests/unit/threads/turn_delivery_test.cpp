// From a turn to its agent: the environment, the machine, the session.

#include "svc/common/codes.h"

#include "runner_fixture.h"
#include "thread_limits.h"
#include "timeline.h"
#include "turn_runner.h"

namespace svc::threads {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

using TurnDeliveryTest = RunnerFixture;

TEST_F(TurnDeliveryTest, WhatCannotBeReadiedFailsTheTurnWithItsReason) {
  EXPECT_CALL(environments_, resolve(_, _, _))
      .WillOnce(
          [](const EnvironmentNeed&, const PlaceListener&, Completion<ReadyEnvironment> done) {
            done(Error{errc::kUnavailable, "the machine is offline"});
          });
  const auto id = spawn();
  EXPECT_EQ(status(), "error");
  EXPECT_EQ(store_.turns(id).value().front().error, "the machine is offline");
  EXPECT_EQ(payloads_.back()["error"].asString(), "the machine is offline");
  EXPECT_THAT(emitted_, Contains(Pair("thread.failed", id)));
  EXPECT_THAT(emitted_, Contains(Pair("turn.failed", "")));
}

/// Machines that are away answer so.
const Error kAway{errc::kHostUnavailable, "host \"laptop\" is not connected"};

TEST_F(TurnDeliveryTest, ATurnWaitsForItsMachineAtEveryStep) {
  EXPECT_CALL(environments_, resolve(_, _, _))
      .WillOnce([](const EnvironmentNeed&, const PlaceListener&,
                   Completion<ReadyEnvironment> done) { done(kAway); })
      .WillRepeatedly(
          [](const EnvironmentNeed&, const PlaceListener&, Completion<ReadyEnvironment> done) {
            done(ReadyEnvironment{"env_a", "host_a", "/work", {}});
          });
  EXPECT_CALL(agents_, open(_, _))
      .WillOnce([](const SessionRequest&, Completion<OpenSession> done) { done(kAway); })
      .WillOnce([this](const SessionRequest& request, Completion<OpenSession> done) {
        session_ = request.session;
        done(OpenSession{"acp-1"});
      });
  std::vector<std::string> turns;
  EXPECT_CALL(agents_, prompt(_, _, _, _, _))
      .WillOnce([&turns](const std::string&, const std::string& turn_id, const std::string&,
                         const Json&, Completion<void> done) {
        turns.push_back(turn_id);
        done(kAway);
      })
      .WillOnce([&turns, this](const std::string&, const std::string& turn_id, const std::string&,
                               const Json&, Completion<void> done) {
        turns.push_back(turn_id);
        turn_ = turn_id;
        done({});
      });
  spawn();
  for (int tried = 0; tried < 4; ++tried) {
    EXPECT_EQ(status(), "starting");
    clock_.advance(std::chrono::seconds(1));
    runner_->tick();
  }
  EXPECT_THAT(turns, ElementsAre(turn_, turn_)) << "a machine knows a prompt that it has already";
  begin();
  finish();
  EXPECT_THAT(logTypes(), ElementsAre("client/turn/requested", "thread/started", "turn/started",
                                      "turn/input/accepted", "turn/completed"));
}

TEST_F(TurnDeliveryTest, AMachineThatStaysAwayFailsTheTurnAfterItsGrace) {
  EXPECT_CALL(environments_, resolve(_, _, _))
      .WillRepeatedly([](const EnvironmentNeed&, const PlaceListener&,
                         Completion<ReadyEnvironment> done) { done(kAway); });
  const auto id = spawn();
  clock_.advance(kHostWait - std::chrono::milliseconds(1));
  runner_->tick();
  EXPECT_EQ(status(), "starting");
  clock_.advance(std::chrono::milliseconds(1));
  runner_->tick();
  EXPECT_EQ(status(), "error");
  EXPECT_THAT(store_.turns(id).value().front().error,
              AllOf(HasSubstr("\"laptop\" is not connected"), HasSubstr("30 s")));
  EXPECT_EQ(logTypes().back(), "client/turn/rejected");
  // The next one waits as long.
  ASSERT_TRUE(send("again").ok());
  runner_->tick();
  EXPECT_EQ(status(), "starting");
}

TEST_F(TurnDeliveryTest, AMachineThatIsLostWhileItMakesThePlaceIsWaitedForEachTime) {
  std::vector<PlaceListener> told;
  std::vector<Completion<ReadyEnvironment>> ready;
  ON_CALL(environments_, resolve(_, _, _))
      .WillByDefault(
          [&](const EnvironmentNeed&, PlaceListener listener, Completion<ReadyEnvironment> done) {
            told.push_back(std::move(listener));
            ready.push_back(std::move(done));
          });
  const auto id = spawn();
  const auto step = [&](const char* key, const char* state) {
    told.back()({.step = Json::object().set("key", key).set("text", key).set("status", state)});
  };
  const auto logged = [&] {
    std::vector<std::string> out;
    const auto events =
        store_.events({.thread_id = id, .types = {"system/thread-provisioning"}, .limit = 99})
            .value();
    for (const auto& event : events) {
      out.push_back(parsed(event.data)["status"].asString());
    }
    return out;
  };
  for (const char* const back : {"active", "completed"}) {
    step("setup", "active");
    step("machine", back);
    ready.back()(Error(kAway));
    clock_.advance(kHostWait - std::chrono::milliseconds(1));
    runner_->tick();
    EXPECT_EQ(status(), "starting");
  }
  step("setup", "active");
  EXPECT_THAT(logged(), ElementsAre("active", "active", "active")) << "what is new, of one course";
  step("setup", "completed");
  ready.back()(ReadyEnvironment{"env_a", "host_a", "/work", {}});
  EXPECT_THAT(logged(), ElementsAre("active", "active", "active", "active", "completed"));
  EXPECT_THAT(prompts_, ElementsAre("hello"));
}

TEST_F(TurnDeliveryTest, AFolderThatIsGoneFailsTheTurnAndItsEnvironment) {
  spawn();
  begin();
  finish();
  const Error gone{errc::kUnknownPath, "the folder /work is not there any more"};
  const auto first = session_;
  EXPECT_CALL(agents_, open(_, _)).Times(testing::AnyNumber());
  EXPECT_CALL(agents_, prompt(_, _, _, _, _)).Times(testing::AnyNumber());
  EXPECT_CALL(agents_, prompt(first, _, _, _, _))
      .WillOnce([&](const std::string&, const std::string&, const std::string&, const Json&,
                    Completion<void> done) { done(gone); });
  EXPECT_CALL(agents_, open(_, _))
      .WillOnce([&](const SessionRequest&, Completion<OpenSession> done) { done(gone); })
      .RetiresOnSaturation();
  EXPECT_CALL(environments_, lost("env_a", gone.message)).WillOnce(testing::Return("put it back"));
  ASSERT_TRUE(send("go on").ok());
  EXPECT_THAT(closed_, ElementsAre(first)) << "it works in a folder that is none";
  runner_->tick();
  EXPECT_EQ(status(), "error");
  // Both were asked for in one millisecond: their order is that of their ids.
  EXPECT_THAT(
      store_.turns(thread_).value(),
      testing::Contains(testing::Field(&storage::TurnRow::error,
                                       "the folder /work is not there any more; put it back")));
  EXPECT_THAT(prompts_, ElementsAre("hello"));
  ASSERT_TRUE(send("again").ok());
  EXPECT_THAT(prompts_, ElementsAre("hello", "again"));
}

TEST_F(TurnDeliveryTest, AnAgentThatWorksInAnotherFolderThanItsThreadGoesOnInThatOne) {
  spawn();
  begin();
  finish();
  const auto first = session_;
  ASSERT_TRUE(send("here").ok());
  EXPECT_THAT(opened_, SizeIs(1)) << "its folder is the same";
  begin();
  finish();
  EXPECT_CALL(environments_, resolve(_, _, _))
      .WillRepeatedly(
          [](const EnvironmentNeed&, const PlaceListener&, Completion<ReadyEnvironment> done) {
            done(ReadyEnvironment{"env_b", "host_a", "/anew", {}});
          });
  ASSERT_TRUE(send("there").ok());
  EXPECT_THAT(closed_, ElementsAre(first));
  ASSERT_THAT(opened_, SizeIs(2));
  EXPECT_EQ(opened_.back().cwd, "/anew");
  EXPECT_EQ(opened_.back().resume, "acp-1");
  EXPECT_THAT(prompts_, ElementsAre("hello", "here", "there"));
}

TEST_F(TurnDeliveryTest, AThreadWhoseMachineWasRemovedSaysSoAndTakesNoMessages) {
  const auto id = spawn();
  EXPECT_TRUE(hear("turn/started", turn_, "{}"));
  EXPECT_TRUE(hear("session/ended", "",
                   R"({"reason":"host-removed","message":"the machine was removed"})"));
  EXPECT_EQ(status(), "idle");
  const auto end = store_.turns(id).value().front();
  EXPECT_EQ(end.state, "interrupted");
  EXPECT_EQ(end.error, "the machine was removed");

  EXPECT_CALL(environments_, check(_)).WillRepeatedly([](const EnvironmentNeed& need) {
    EXPECT_EQ(need.environment_id, "env_a");
    return Status(Error{errc::kUnknownHost, "the machine of this thread was removed"});
  });
  EXPECT_EQ(send("go on").error().code, errc::kUnknownHost);
  EXPECT_EQ(answerOf([&](Completion<Json> done) { runner_->retry(id, {}, 0, std::move(done)); })
                .error()
                .code,
            errc::kUnknownHost);
  EXPECT_THAT(book_->queue(id), IsEmpty());
  EXPECT_CALL(environments_, check(_)).WillRepeatedly([](const EnvironmentNeed&) {
    return Status(kAway);
  });
  EXPECT_TRUE(send("go on").ok()) << "one that is away is waited for";
}

TEST_F(TurnDeliveryTest, WhatWaitsForAMachineThatIsRemovedIsRefusedAsWhatIsSentToIt) {
  const auto id = spawn();
  begin();
  ASSERT_TRUE(send("first").ok());
  ASSERT_TRUE(send("second").ok());
  EXPECT_CALL(environments_, resolve(_, _, _)).Times(0);
  EXPECT_CALL(environments_, check(_)).WillRepeatedly([](const EnvironmentNeed&) {
    return Status(Error{errc::kUnknownHost, "the machine of this thread was removed; fork it"});
  });
  EXPECT_TRUE(hear("session/ended", "", R"({"reason":"host-removed","message":"gone"})"));
  EXPECT_THAT(turnStates(), testing::UnorderedElementsAre("interrupted", "failed"));
  const auto told = store_.events({.thread_id = id, .types = {"client/turn/rejected"}, .limit = 9});
  ASSERT_THAT(told.value(), SizeIs(1));
  const auto why = parsed(told.value().front().data);
  EXPECT_EQ(why["reason"].asString(), "unknown_host");
  EXPECT_EQ(why["message"].asString(), "the machine of this thread was removed; fork it");

  EXPECT_THAT(waiting(), ElementsAre("second"));
  const auto row = book_->queue(id).front().id;
  const auto sent =
      answerOf([&](Completion<Json> done) { runner_->sendQueued(id, row, std::move(done)); });
  EXPECT_EQ(sent.error().code, errc::kUnknownHost);
  EXPECT_THAT(waiting(), ElementsAre("second")) << "who asks hears why, and nothing is lost";
  EXPECT_EQ(send("later", "auto", clock_.nowMs() + 1000).error().code, errc::kUnknownHost);
  const auto queued = answerOf([&](Completion<Json> done) {
    runner_->queue({.message = {.thread_id = id, .input = said("more")}}, std::move(done));
  });
  EXPECT_EQ(queued.error().code, errc::kUnknownHost);
  runner_->tick();
  EXPECT_THAT(waiting(), IsEmpty());
  EXPECT_THAT(turnStates(), testing::UnorderedElementsAre("interrupted", "failed", "failed"))
      << "the log has it";
  EXPECT_THAT(prompts_, ElementsAre("hello"));
}

TEST_F(TurnDeliveryTest, APromptThatAnAgentInAnotherFolderIsRefusedGoesToANewOne) {
  spawn();
  begin();
  finish();
  EXPECT_CALL(agents_, prompt(_, _, _, _, _)).Times(testing::AnyNumber());
  EXPECT_CALL(agents_, prompt(session_, _, _, _, _))
      .WillOnce([](const std::string&, const std::string&, const std::string&, const Json&,
                   Completion<void> done) {
        done(Error{errc::kUnknownPath, "/work is not the folder any more"});
      });
  EXPECT_CALL(environments_, lost(_, _)).Times(0);
  ASSERT_TRUE(send("go on").ok());
  runner_->tick();
  EXPECT_EQ(opened_.size(), 2U);
  EXPECT_THAT(prompts_, ElementsAre("hello", "go on"));
  begin();
  finish();
  EXPECT_EQ(status(), "idle");
}

TEST_F(TurnDeliveryTest, ATurnThatWaitsForItsMachineCanBeStopped) {
  EXPECT_CALL(environments_, resolve(_, _, _))
      .WillOnce([](const EnvironmentNeed&, const PlaceListener&,
                   Completion<ReadyEnvironment> done) { done(kAway); });
  spawn();
  EXPECT_EQ(stop().value()["status"].asString(), "idle");
  runner_->tick();
  EXPECT_THAT(turnStates(), ElementsAre("interrupted"));
  EXPECT_THAT(opened_, IsEmpty());
}

TEST_F(TurnDeliveryTest, APromptThatADeadDaemonNeverHadGoesIntoTheNextSession) {
  spawn();
  begin();
  finish();
  const auto dead = session_;
  Completion<void> answered;
  EXPECT_CALL(agents_, prompt(dead, _, _, _, _))
      .WillOnce([&answered, this](const std::string&, const std::string& turn_id,
                                  const std::string&, const Json&, Completion<void> done) {
        turn_ = turn_id;
        answered = std::move(done);
      });
  ASSERT_TRUE(send("again").ok());
  EXPECT_TRUE(hear("session/ended", "", R"({"reason":"host-daemon-restarted","message":"gone"})"));
  EXPECT_EQ(status(), "starting");
  answered(Error{errc::kConflict, "there is no such session"});
  EXPECT_CALL(agents_, prompt(testing::Ne(dead), turn_, _, _, _))
      .WillOnce([](const std::string&, const std::string&, const std::string&, const Json&,
                   Completion<void> done) { done({}); });
  runner_->tick();
  EXPECT_EQ(opened_.back().resume, "acp-1");
  begin();
  finish();
  EXPECT_THAT(turnStates(), ElementsAre("completed", "completed"));
  EXPECT_THAT(logTypes(), Not(Contains("system/thread/interrupted")));
}

/// A session that ends while a message is on its way into it.
class TurnHandOverTest : public RunnerFixture {
 protected:
  void SetUp() override {
    spawn();
    begin();
    finish();
    first_ = session_;
    EXPECT_CALL(agents_, prompt(_, _, _, _, _)).Times(testing::AnyNumber());
    holdPrompt();
    ASSERT_TRUE(send("again").ok());
  }
  /// The next prompt is answered when the test says so.
  void holdPrompt() {
    EXPECT_CALL(agents_, prompt(session_, _, _, _, _))
        .WillOnce([this](const std::string&, const std::string& turn_id, const std::string&,
                         const Json&, Completion<void> done) {
          turn_ = turn_id;
          answered_ = std::move(done);
        })
        .RetiresOnSaturation();
  }
  void expectBroughtOnce() {
    const auto turn = turn_;
    clock_.advance(std::chrono::seconds(1));
    runner_->tick();
    EXPECT_EQ(turn_, turn);
    EXPECT_THAT(prompts_, ElementsAre("hello", "again"));
    EXPECT_EQ(opened_.back().resume, "acp-1") << "what was said is known";
    begin();
    finish();
    EXPECT_THAT(turnStates(), ElementsAre("completed", "completed"));
    EXPECT_THAT(logTypes(), Not(Contains("client/turn/rejected")));
    EXPECT_THAT(logTypes(), Not(Contains("provider/warning")));
  }
  const Error gone_{errc::kNotFound, "this session of an agent has ended; open another one"};
  std::string first_;
  Completion<void> answered_;
};

TEST_F(TurnHandOverTest, WhatAStoppedDaemonNeverHadGoesIntoTheNextSession) {
  EXPECT_TRUE(
      hear("session/ended", "", R"({"reason":"closed","message":"the session was closed"})"));
  EXPECT_EQ(status(), "starting");
  answered_(gone_);
  expectBroughtOnce();
}

TEST_F(TurnHandOverTest, NorIsItLostWhenTheAnswerComesBeforeTheEnd) {
  answered_(gone_);
  EXPECT_EQ(status(), "starting");
  EXPECT_THAT(closed_, ElementsAre(first_));
  EXPECT_TRUE(
      hear("session/ended", "", R"({"reason":"closed","message":"the session was closed"})"));
  expectBroughtOnce();
}

TEST_F(TurnHandOverTest, AnAgentThatEndsByItselfBeforeItHasTheMessageIsReplacedOnce) {
  EXPECT_TRUE(hear("session/ended", "", R"({"reason":"exited","message":"exit code 1"})"));
  answered_(gone_);
  clock_.advance(std::chrono::seconds(1));
  ON_CALL(agents_, open(_, _))
      .WillByDefault([this](const SessionRequest& request, Completion<OpenSession> done) {
        session_ = request.session;
        holdPrompt();
        done(OpenSession{"acp-1"});
      });
  runner_->tick();
  EXPECT_NE(session_, first_);
  EXPECT_EQ(status(), "starting");
  EXPECT_TRUE(hear("session/ended", "", R"({"reason":"exited","message":"exit code 1"})"));
  EXPECT_EQ(status(), "error");
  EXPECT_THAT(store_.turns(thread_).value(),
              Contains(testing::Field(&storage::TurnRow::error, "exit code 1")));
}

TEST_F(TurnHandOverTest, WhatAnAgentMayHaveIsGivenToNoOther) {
  answered_(Error{errc::kTimeout, "the machine did not answer"});
  EXPECT_EQ(status(), "error");
  runner_->tick();
  EXPECT_THAT(prompts_, ElementsAre("hello"));
}

TEST_F(TurnHandOverTest, WhatAnAgentHasIsNotBroughtAgainWhenItEnds) {
  begin();
  EXPECT_TRUE(
      hear("session/ended", "", R"({"reason":"closed","message":"the session was closed"})"));
  answered_({});
  clock_.advance(std::chrono::seconds(1));
  runner_->tick();
  EXPECT_THAT(turnStates(), ElementsAre("completed", "failed"));
  EXPECT_THAT(prompts_, ElementsAre("hello"));
}

TEST_F(TurnDeliveryTest, WhatWasJustAcceptedWhenItsSessionEndsGoesIntoTheNext) {
  spawn();
  begin();
  ASSERT_TRUE(send("again").ok());
  const auto event = [this](const char* type, const char* data) {
    return AgentEvent{.thread_id = thread_,
                      .session = session_,
                      .seq = ++seq_,
                      .type = type,
                      .turn_id = turn_,
                      .data = Json::parse(data).value()};
  };
  // Both come at once: the end of the session is taken when the next turn is accepted, and before it is on its way.
  listener_(event("turn/completed", R"({"status":"interrupted"})"),
            Completion<void>([&](const Status&) {
              listener_(event("session/ended", R"({"reason":"closed","message":"stopping"})"),
                        Completion<void>([](const Status&) {}));
            }));
  EXPECT_EQ(opened_.size(), 2U);
  EXPECT_THAT(prompts_, ElementsAre("hello", "again"));
  begin();
  finish();
  EXPECT_THAT(turnStates(), ElementsAre("interrupted", "completed"));
}

TEST_F(TurnDeliveryTest, AFurtherTurnWhoseSessionHasEndedSaysNothingOfItsSettings) {
  spawn();
  begin();
  finish();
  const Error gone{errc::kNotFound, "this session of an agent has ended; open another one"};
  cannot_set_ = gone;
  EXPECT_CALL(agents_, prompt(_, _, _, _, _)).Times(testing::AnyNumber());
  EXPECT_CALL(agents_, prompt(session_, _, _, _, _))
      .WillOnce([&](const std::string&, const std::string&, const std::string&, const Json&,
                    Completion<void> done) { done(gone); });
  ASSERT_TRUE(send("again").ok());
  runner_->tick();
  EXPECT_THAT(prompts_, ElementsAre("hello", "again"));
  EXPECT_THAT(logTypes(), Not(Contains("provider/warning")));
}

TEST_F(TurnDeliveryTest, ASessionThatADaemonGivesUpWhileItBeginsIsBegunByTheNext) {
  spawn();
  begin();
  finish();
  ASSERT_TRUE(stop().ok());
  const auto fails = [](const Errc& code) {
    return [code](const SessionRequest&, Completion<OpenSession> done) {
      done(Error{code, "the daemon is stopping", R"({"resumes":true})"});
    };
  };
  EXPECT_CALL(agents_, open(_, _))
      .WillOnce(fails(errc::kHostUnavailable))
      .WillOnce(fails(errc::kAborted))
      .WillRepeatedly([this](const SessionRequest& request, Completion<OpenSession> done) {
        opened_.push_back(request);
        session_ = request.session;
        done(OpenSession{"acp-1"});
      });
  ASSERT_TRUE(send("again").ok());
  runner_->tick();
  EXPECT_EQ(status(), "starting");
  runner_->tick();
  EXPECT_THAT(prompts_, ElementsAre("hello", "again"));
  EXPECT_EQ(opened_.back().resume, "acp-1") << "its session says nothing against itself";
}

/// An agent that ends whenever it is to go on with its session.
class TurnResumeTest : public RunnerFixture {
 protected:
  void SetUp() override {
    spawn();
    begin();
    finish();
    ASSERT_TRUE(stop().ok());
    ON_CALL(agents_, open(_, _))
        .WillByDefault([this](const SessionRequest& request, Completion<OpenSession> done) {
          opened_.push_back(request);
          if (!request.resume.empty() || !starts_) {
            return done(Error{errc::kUnavailable, "the agent ended",
                              request.resume.empty() ? "" : R"({"resumes":true})"});
          }
          session_ = request.session;
          done(OpenSession{.agent_session = "acp-1"});
        });
    opened_.clear();
  }
  std::vector<std::string> resumed() const {
    std::vector<std::string> out;
    for (const auto& request : opened_) {
      out.push_back(request.resume);
    }
    return out;
  }
  bool starts_ = true;
};

TEST_F(TurnResumeTest, ASessionThatDoesNotGoOnIsReplacedAndTheLogSaysSo) {
  ASSERT_TRUE(send("again").ok());
  EXPECT_THAT(resumed(), ElementsAre("acp-1", ""));
  begin();
  finish();
  EXPECT_EQ(status(), "idle");
  EXPECT_THAT(turnStates(), ElementsAre("completed", "completed"));
  EXPECT_THAT(logTypes(), Contains("provider/warning").Times(1));
}

TEST_F(TurnResumeTest, OneThatCannotBeReplacedStaysTheThreads) {
  starts_ = false;
  (void)send("again");
  EXPECT_EQ(status(), "error");
  EXPECT_THAT(logTypes(), Not(Contains("provider/warning")));
  (void)send("and again");
  EXPECT_THAT(resumed(), ElementsAre("acp-1", "", "acp-1", "")) << "the reason may be another";
}

TEST_F(TurnDeliveryTest, WhatIsDoneForAnEnvironmentStandsInTheLogAndItsIdInTheThreadAtOnce) {
  PlaceListener told;
  Completion<ReadyEnvironment> ready;
  std::string known;
  ON_CALL(environments_, resolve(_, _, _))
      .WillByDefault([&](const EnvironmentNeed& need, PlaceListener listener,
                         Completion<ReadyEnvironment> done) {
        known = need.environment_id;
        told = std::move(listener);
        ready = std::move(done);
      });
  const auto id = spawn();
  told({.environment = {"env_w", "host_a", "", Json::object().set("name", nullptr)}});
  EXPECT_EQ(records_->get(id).value()["environmentId"].asString(), "env_w");
  const auto step = [&](const char* key, const char* text, const char* state) {
    told({.step = Json::object()
                      .set("key", key)
                      .set("type", "step")
                      .set("text", text)
                      .set("status", state)});
  };
  step("create", "Creating", "active");
  step("create", "Creating", "completed");
  step("output", "npm is missing", "completed");
  ready(Error{errc::kConflict, "no"});
  const auto events =
      store_.events({.thread_id = id, .types = {"system/thread-provisioning"}, .limit = 9}).value();
  ASSERT_EQ(events.size(), 4U);
  const auto last = parsed(events.back().data);
  EXPECT_EQ(last["status"].asString(), "failed");
  EXPECT_EQ(last["environmentId"].asString(), "env_w");
  ASSERT_EQ(last["entries"].items().size(), 2U);
  EXPECT_EQ(last["entries"].items()[0]["status"].asString(), "completed");
  EXPECT_EQ(last["entries"].items()[1]["text"].asString(), "npm is missing");
  EXPECT_EQ(parsed(events.front().data)["status"].asString(), "active");
  const auto rows =
      readTimeline(*book_, {.thread_id = id, .segment_limit = 5, .include_nested = true})
          .value()["rows"];
  const auto& row = rows.items()[1]["children"].items()[0];
  EXPECT_EQ(row["operationKind"].asString(), "thread-provisioning");
  EXPECT_EQ(row["status"].asString(), "error");
  EXPECT_THAT(row["detail"].asString(), HasSubstr("npm is missing"));
  // The next attempt is for the same one.
  ASSERT_EQ(status(), "error");
  EXPECT_EQ(send("again").value()["outcome"].asString(), "started");
  EXPECT_EQ(known, "env_w");
}

}  // namespace
}  // namespace svc::threads
