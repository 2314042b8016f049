#include "turn_runner.h"

#include "svc/common/codes.h"

#include "mocks/mock_agents.h"
#include "mocks/mock_loaded_plugins.h"
#include "runner_fixture.h"
#include "thread_limits.h"
#include "timeline.h"

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

using TurnRunnerTest = RunnerFixture;

TEST_F(TurnRunnerTest, AThreadIsSpawnedAndItsFirstTurnRuns) {
  const auto id = spawn("Hello\nworld");
  EXPECT_EQ(status(), "starting");
  EXPECT_THAT(prompts_, ElementsAre("Hello\nworld"));
  EXPECT_EQ(opened_.front().cwd, "/work");
  EXPECT_EQ(opened_.front().provider_id, "agent");
  begin();
  EXPECT_EQ(status(), "active");
  EXPECT_TRUE(hear("item/completed", turn_, R"({"item":{"type":"agentMessage","text":"Hi"}})"));
  finish();
  EXPECT_EQ(status(), "idle");
  EXPECT_THAT(turnStates(), ElementsAre("completed"));
  EXPECT_THAT(logTypes(), ElementsAre("client/turn/requested", "thread/started", "turn/started",
                                      "turn/input/accepted", "item/completed", "turn/completed"));
  EXPECT_THAT(emitted_, ElementsAre(Pair("thread.created", id), Pair("thread.active", id),
                                    Pair("thread.idle", id)));
  EXPECT_EQ(payloads_.back()["lastAssistantText"].asString(), "Hi");
  const auto record = records_->get(id).value();
  EXPECT_EQ(record["titleFallback"].asString(), "Hello");
  EXPECT_EQ(record["environmentId"].asString(), "env_a");
  EXPECT_EQ(record["environmentName"].asString(), "main");
  EXPECT_EQ(record["environmentHostId"].asString(), "host_a");
}

TEST_F(TurnRunnerTest, WithoutAgentsItRefusesAndSaysHowToGetOne) {
  TurnRunner lonely(*book_, workers_, Crew{});
  ASSERT_TRUE(lonely.recover().ok());
  const auto refused =
      answerOf([&](Completion<Json> done) { lonely.spawn(request("hello"), std::move(done)); });
  EXPECT_EQ(refused.error().code, errc::kNotSupported);
  EXPECT_THAT(refused.error().message, HasSubstr("config.json"));
  EXPECT_THAT(ids(), IsEmpty());
  EXPECT_CALL(agents_, choose("codex")).WillOnce([](const std::string&) -> Result<std::string> {
    return Error{errc::kNotFound, "codex is not installed"};
  });
  auto wanted = request("hello");
  wanted.row.provider_id = "codex";
  EXPECT_EQ(answerOf([&](Completion<Json> done) { runner_->spawn(wanted, std::move(done)); })
                .error()
                .message,
            "codex is not installed");
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(TurnRunnerTest, TheSecondTurnGoesIntoTheSameSession) {
  spawn();
  begin();
  finish();
  EXPECT_EQ(send("again").value()["outcome"].asString(), "started");
  EXPECT_EQ(opened_.size(), 1U);
  EXPECT_THAT(prompts_, ElementsAre("hello", "again"));
  begin();
  finish();
  EXPECT_THAT(turnStates(), ElementsAre("completed", "completed"));
}

TEST_F(TurnRunnerTest, TheLogConnectsEveryRequestWithItsTurn) {
  spawn();
  begin();
  finish();
  clock_.advance(std::chrono::milliseconds(1));
  ASSERT_TRUE(send("again").ok());
  begin();
  const auto turns = store_.turns(thread_).value();
  const auto accepted =
      store_.events({.thread_id = thread_, .types = {"turn/input/accepted"}, .limit = 10}).value();
  ASSERT_EQ(accepted.size(), 2U);
  for (std::size_t at = 0; at < turns.size(); ++at) {
    const auto data = parsed(accepted[at].data);
    EXPECT_EQ(accepted[at].turn_id, turns[at].turn_id);
    EXPECT_EQ(data["requestId"].asString(), turns[at].request_id);
    EXPECT_EQ(data["clientRequestId"].asString(), turns[at].request_id);
    EXPECT_EQ(data["providerThreadId"].asString(), "acp-1");
  }
  // A thread starts once.
  EXPECT_EQ(store_.events({.thread_id = thread_, .types = {"thread/started"}, .limit = 10})
                .value()
                .size(),
            1U);
}

TEST_F(TurnRunnerTest, WhatIsChosenForALaterTurnIsSetBeforeItsPrompt) {
  spawn();
  begin();
  finish();
  const auto choose = [this](const char* model) {
    return answerOf([&](Completion<Json> done) {
      runner_->send(
          {.message = {.thread_id = thread_,
                       .input = said(model),
                       .execution =
                           Json::object().set("model", model).set("permissionMode", "full")}},
          std::move(done));
    });
  };
  ASSERT_TRUE(choose("large").ok());
  ASSERT_EQ(set_.size(), 1U);
  EXPECT_EQ(set_.back()["model"].asString(), "large");
  EXPECT_EQ(set_.back()["permissionMode"].asString(), "full");
  begin();
  finish();
  cannot_set_ = Error{errc::kNotSupported, "the agent has no model \"huge\""};
  ASSERT_TRUE(choose("huge").ok());
  EXPECT_THAT(prompts_, ElementsAre("hello", "large", "huge"));
  EXPECT_EQ(logTypes().back(), "provider/warning");
}

TEST_F(TurnRunnerTest, ModesSayWhatABusyAndAnIdleThreadDo) {
  spawn();
  begin();
  EXPECT_EQ(send("a", "start").error().code, errc::kConflict);
  EXPECT_EQ(send("b", "auto").value()["outcome"].asString(), "queued");
  EXPECT_EQ(send("c", "queue-if-active").value()["outcome"].asString(), "queued");
  EXPECT_THAT(waiting(), ElementsAre("b", "c"));
  finish();
  // The head went as soon as the turn had ended.
  EXPECT_THAT(waiting(), ElementsAre("c"));
  EXPECT_THAT(prompts_, ElementsAre("hello", "b"));
  begin();
  finish();
  begin();
  finish();
  EXPECT_THAT(prompts_, ElementsAre("hello", "b", "c"));
  EXPECT_EQ(status(), "idle");
  EXPECT_EQ(send("d", "steer").error().code, errc::kConflict);
  EXPECT_EQ(send("e", "steer-if-active").value()["outcome"].asString(), "started");
  EXPECT_THAT(emitted_, Contains(Pair("message.queued", "")));
  EXPECT_THAT(emitted_, Contains(Pair("message.dispatched", "")));
}

TEST_F(TurnRunnerTest, WhatSteersGoesBeforeAllThatWaitsAndStopsNothing) {
  spawn();
  begin();
  ASSERT_TRUE(send("later").ok());
  EXPECT_CALL(agents_, cancel(_, _)).Times(0);
  const auto sent = send("now", "steer").value();
  EXPECT_EQ(sent["outcome"].asString(), "queued");
  EXPECT_EQ(sent["queuedMessageId"].asString(), book_->queue(thread_).front().id);
  EXPECT_EQ(send("at once", "steer-if-active").value()["outcome"].asString(), "queued");
  EXPECT_THAT(waiting(), ElementsAre("at once", "now", "later"));
  EXPECT_THAT(turnStates(), ElementsAre("started"));
  finish();
  EXPECT_THAT(prompts_, ElementsAre("hello", "at once"));
}

TEST_F(TurnRunnerTest, AMessageWithATimeWaitsForIt) {
  spawn();
  begin();
  finish();
  ASSERT_TRUE(send("later", "auto", clock_.nowMs() + 1000).ok());
  runner_->tick();
  EXPECT_THAT(waiting(), ElementsAre("later"));
  clock_.advance(std::chrono::milliseconds(1000));
  runner_->tick();
  EXPECT_THAT(waiting(), IsEmpty());
  EXPECT_THAT(prompts_, ElementsAre("hello", "later"));
}

TEST_F(TurnRunnerTest, ANewThreadWithATimeIsPendingUntilThen) {
  auto wanted = request("later");
  wanted.send_at = clock_.nowMs() + 1000;
  thread_ = answerOf([&](Completion<Json> done) { runner_->spawn(wanted, std::move(done)); })
                .value()["id"]
                .asString();
  EXPECT_EQ(status(), "pending");
  restart();
  EXPECT_EQ(status(), "pending");
  clock_.advance(std::chrono::milliseconds(1000));
  runner_->tick();
  EXPECT_EQ(status(), "starting");
  EXPECT_THAT(prompts_, ElementsAre("later"));
}

TEST_F(TurnRunnerTest, AStopCancelsAndReleasesTheAgent) {
  spawn();
  begin();
  EXPECT_EQ(stop().value()["status"].asString(), "stopping");
  EXPECT_THAT(closed_, IsEmpty());
  finish("interrupted");
  EXPECT_EQ(status(), "idle");
  EXPECT_THAT(turnStates(), ElementsAre("interrupted"));
  EXPECT_THAT(closed_, ElementsAre(session_));
  EXPECT_THAT(logTypes(), Contains("system/thread/interrupted"));
  EXPECT_EQ(stop().value()["status"].asString(), "idle");
  // History stays: the next message resumes the agent's session.
  ASSERT_TRUE(send("again").ok());
  EXPECT_EQ(opened_.back().resume, "acp-1");
}

TEST_F(TurnRunnerTest, AStopBeforeThePromptEndsTheTurnAtOnce) {
  Completion<ReadyEnvironment> ready;
  EXPECT_CALL(environments_, resolve(_, _, _))
      .WillOnce([&ready](const EnvironmentNeed&, const PlaceListener&,
                         Completion<ReadyEnvironment> done) { ready = std::move(done); });
  spawn();
  EXPECT_EQ(stop().value()["status"].asString(), "idle");
  ready(ReadyEnvironment{"env_a", "host_a", "/work", {}});
  EXPECT_THAT(opened_, IsEmpty());
  EXPECT_THAT(prompts_, IsEmpty());
  EXPECT_THAT(turnStates(), ElementsAre("interrupted"));
  EXPECT_THAT(logTypes(), Contains("client/turn/rejected"));
}

TEST_F(TurnRunnerTest, WhatCannotBeReadiedFailsTheTurnWithItsReason) {
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

TEST_F(TurnRunnerTest, ATurnWaitsForItsMachineAtEveryStep) {
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

TEST_F(TurnRunnerTest, AMachineThatStaysAwayFailsTheTurnAfterItsGrace) {
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

TEST_F(TurnRunnerTest, ATurnThatWaitsForItsMachineCanBeStopped) {
  EXPECT_CALL(environments_, resolve(_, _, _))
      .WillOnce([](const EnvironmentNeed&, const PlaceListener&,
                   Completion<ReadyEnvironment> done) { done(kAway); });
  spawn();
  EXPECT_EQ(stop().value()["status"].asString(), "idle");
  runner_->tick();
  EXPECT_THAT(turnStates(), ElementsAre("interrupted"));
  EXPECT_THAT(opened_, IsEmpty());
}

TEST_F(TurnRunnerTest, APromptThatADeadDaemonNeverHadGoesIntoTheNextSession) {
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

TEST_F(TurnRunnerTest, WhatIsDoneForAnEnvironmentStandsInTheLogAndItsIdInTheThreadAtOnce) {
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

TEST_F(TurnRunnerTest, AFailedTurnTellsPluginsWhatTheAgentSaidOfIt) {
  spawn();
  begin();
  EXPECT_TRUE(hear("provider/error", turn_,
                   R"({"message":"slow down","errorInfo":{"category":"rate-limit"}})"));
  EXPECT_TRUE(hear("provider/rateLimits/updated", turn_, R"({"rateLimits":{"status":"blocked"}})"));
  const auto failed = [this] {
    for (std::size_t at = emitted_.size(); at-- > 0;) {
      if (emitted_[at].first == "turn.failed") {
        return payloads_[at];
      }
    }
    return Json();
  };
  finish("failed");
  EXPECT_EQ(failed()["errorInfo"].dump(), R"({"category":"rate-limit"})");
  EXPECT_EQ(failed()["rateLimits"].dump(), R"({"status":"blocked"})");
  EXPECT_TRUE(failed()["inputAccepted"].asBool());
  // Those of an earlier turn are not of this one.
  forget();
  EXPECT_TRUE(send("again").ok());
  begin();
  finish("failed");
  EXPECT_TRUE(failed()["errorInfo"].isNull());
  EXPECT_FALSE(failed()["requestId"].isNull());
}

TEST_F(TurnRunnerTest, ARetrySaysTheSameAgainOnce) {
  spawn();
  begin();
  finish("failed");
  EXPECT_EQ(status(), "error");
  const auto retry = [this] {
    return answerOf(
        [&](Completion<Json> done) { runner_->retry(thread_, {}, 0, std::move(done)); });
  };
  clock_.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(retry().value()["attempt"].asInteger(), 2);
  EXPECT_THAT(prompts_, ElementsAre("hello", "hello"));
  EXPECT_EQ(retry().error().code, errc::kConflict);
  begin();
  finish();
  const auto turns = store_.turns(thread_).value();
  EXPECT_EQ(turns.back().retry_of, turns.front().request_id);
  EXPECT_EQ(retry().error().code, errc::kConflict);
}

TEST_F(TurnRunnerTest, AnAgentThatIsLostFailsItsTurn) {
  spawn();
  begin();
  EXPECT_TRUE(hear("session/ended", "", R"({"reason":"exited","message":"exit code 1"})"));
  EXPECT_EQ(status(), "error");
  EXPECT_EQ(store_.turns(thread_).value().front().error, "exit code 1");
  EXPECT_THAT(logTypes().back(), "turn/completed");
  ASSERT_TRUE(send("again").ok());
  EXPECT_EQ(opened_.size(), 2U);
}

class OpenItemsTest : public RunnerFixture {
 protected:
  OpenItemsTest() {
    spawn();
    begin();
    EXPECT_TRUE(
        hear("item/started", turn_, R"({"item":{"id":"i1","type":"agentMessage","text":""}})"));
    EXPECT_TRUE(
        hear("item/delta", turn_, R"({"itemId":"i1","field":"text","offset":0,"text":"Half a "})"));
    EXPECT_TRUE(hear("item/delta", turn_,
                     R"({"itemId":"i1","field":"text","offset":7,"text":"sentence"})"));
    EXPECT_TRUE(hear("item/started", turn_, R"({"item":{"id":"i2","type":"commandExecution",
        "command":"make","status":"pending","approvalStatus":"waiting_for_approval"}})"));
    EXPECT_TRUE(
        hear("item/started", turn_, R"({"item":{"id":"i3","type":"agentMessage","text":""}})"));
    EXPECT_TRUE(
        hear("item/completed", turn_, R"({"item":{"id":"i3","type":"agentMessage","text":"x"}})"));
  }
  /// Those that were ended last, in their order.
  Json ended(std::size_t count) {
    std::vector<Json> items;
    const auto events = store_.events({.thread_id = thread_, .limit = 100}).value();
    for (const auto& event : events) {
      if (event.type == "item/completed") {
        items.push_back(parsed(event.data)["item"]);
      }
    }
    EXPECT_EQ(items.size(), count + 1);  // and i3, which has ended by itself
    Json out = Json::array();
    for (std::size_t at = 1; at < items.size(); ++at) {
      out.push(items[at]);
    }
    return out;
  }
  void expectEndedWith(const std::string& text) {
    const auto items = ended(2);
    ASSERT_EQ(items.items().size(), 2U);
    EXPECT_EQ(items.items()[0]["text"].asString(), text);
    EXPECT_EQ(items.items()[1]["status"].asString(), "interrupted");
    EXPECT_TRUE(items.items()[1]["approvalStatus"].isNull());
    EXPECT_EQ(logTypes().back(), "turn/completed");
    EXPECT_TRUE(live_.of(thread_).empty());
  }
};

TEST_F(OpenItemsTest, EndWithALostMachineAndKeepTheirText) {
  EXPECT_TRUE(hear("session/ended", "", R"({"reason":"host-daemon-restarted","message":"gone"})"));
  EXPECT_THAT(turnStates(), ElementsAre("interrupted"));
  expectEndedWith("Half a sentence");
}

TEST_F(OpenItemsTest, EndWithTheServerAndKeepTheirText) {
  runner_->close();
  const auto before = logTypes();
  EXPECT_FALSE(
      hear("item/completed", turn_,
           R"({"item":{"id":"i1","type":"agentMessage","text":"Half a sentence, and more"}})"));
  EXPECT_EQ(logTypes(), before);
  const auto items = ended(2);
  EXPECT_EQ(items.items()[0]["text"].asString(), "Half a sentence");
  EXPECT_EQ(status(), "idle");
  restart();
  EXPECT_EQ(logTypes(), before) << "there is nothing left to end";
}

TEST_F(OpenItemsTest, EndAfterAKilledServerAsTheyWereLogged) {
  live_.forget(thread_);
  restart();
  expectEndedWith("");
}

TEST_F(OpenItemsTest, EndWithAnAgentThatCannotBeCancelled) {
  EXPECT_CALL(agents_, cancel(_, _)).WillOnce([](const std::string&, Completion<void> done) {
    done(kAway);
  });
  ASSERT_TRUE(stop().ok());
  expectEndedWith("Half a sentence");
}

TEST_F(TurnRunnerTest, ARestartInterruptsWhatRanAndSaysWhy) {
  const auto id = spawn();
  begin();
  ASSERT_TRUE(send("waits").ok());
  EXPECT_TRUE(hear("question/asked", turn_,
                   R"({"questionId":"q","payload":{"kind":"approval","subject":{}}})"));
  const auto asked = book_->interactions(id).front().id;
  restart();
  EXPECT_EQ(status(), "idle");
  EXPECT_THAT(turnStates(), ElementsAre("interrupted"));
  EXPECT_THAT(book_->interactions(id), IsEmpty());
  const auto ended = store_.interaction(asked).value();
  EXPECT_EQ(ended->status, "interrupted");
  EXPECT_EQ(ended->status_reason, "server-restarted");
  EXPECT_THAT(logTypes(), Contains("system/thread/interrupted"));
  // Rows survive, and go when somebody looks.
  EXPECT_THAT(waiting(), ElementsAre("waits"));
  runner_->tick();
  EXPECT_THAT(prompts_, ElementsAre("hello", "waits"));
  EXPECT_EQ(opened_.back().resume, "acp-1");
}

TEST_F(TurnRunnerTest, EventsThatComeAgainAreTakenOnce) {
  spawn();
  begin();
  const auto* said = R"({"item":{"type":"agentMessage","text":"Hi"}})";
  EXPECT_TRUE(hear("item/completed", turn_, said, 2));
  EXPECT_TRUE(hear("item/completed", turn_, said, 2));
  EXPECT_TRUE(hear("turn/started", turn_, "{}", 1));
  EXPECT_EQ(logTypes().size(), 5U);
}

TEST_F(TurnRunnerTest, AnEventThatIsNotStoredIsNotAcknowledged) {
  spawn();
  begin();
  store_.broken = Error{errc::kUnavailable, "disk full"};
  EXPECT_FALSE(hear("turn/completed", turn_, R"({"status":"completed"})", 2));
  EXPECT_EQ(status(), "active");
  store_.broken.reset();
  EXPECT_TRUE(hear("turn/completed", turn_, R"({"status":"completed"})", 2));
  EXPECT_EQ(status(), "idle");
}

TEST_F(TurnRunnerTest, QueuedRowsWaitForAnAnswer) {
  const auto id = spawn();
  begin();
  ASSERT_TRUE(send("waits").ok());
  EXPECT_TRUE(hear("question/asked", turn_,
                   R"({"questionId":"q","payload":{"kind":"approval","subject":{}}})"));
  EXPECT_TRUE(records_->get(id).value()["hasPendingInteraction"].asBool());
  EXPECT_THAT(emitted_, Contains(Pair("interaction.pending", id)));
  EXPECT_TRUE(hear("question/withdrawn", turn_, R"({"questionId":"q","reason":"cancelled"})"));
  EXPECT_FALSE(records_->get(id).value()["hasPendingInteraction"].asBool(true));
}

TEST_F(TurnRunnerTest, TheAgentNamesAThreadThatNobodyHasNamed) {
  const auto id = spawn();
  EXPECT_TRUE(hear("thread/name/updated", "", R"({"threadName":"A name"})"));
  EXPECT_EQ(records_->get(id).value()["title"].asString(), "A name");
  ASSERT_TRUE(records_->update(id, {.title = "Mine"}).ok());
  EXPECT_TRUE(hear("thread/name/updated", "", R"({"threadName":"Other"})"));
  EXPECT_EQ(records_->get(id).value()["title"].asString(), "Mine");
}

TEST_F(TurnRunnerTest, AnArchivedThreadTakesNoMessages) {
  const auto id = spawn();
  begin();
  finish();
  ASSERT_TRUE(send("waits", "auto", clock_.nowMs() + 1000).ok());
  ASSERT_TRUE(records_->archive({id}).ok());
  EXPECT_EQ(send("a").error().code, errc::kConflict);
  const auto refused = [this](auto call) {
    const auto answer = answerOf(call);
    return !answer && answer.error().code == errc::kConflict &&
           answer.error().message.find("unarchive it first") != std::string::npos;
  };
  EXPECT_TRUE(refused([&](Completion<Json> done) {
    runner_->queue({.message = {.thread_id = id, .input = said("b")}}, std::move(done));
  }));
  EXPECT_TRUE(refused([&](Completion<Json> done) { runner_->retry(id, {}, 0, std::move(done)); }));
  EXPECT_TRUE(refused([&](Completion<Json> done) {
    runner_->sendQueued(id, book_->queue(id).front().id, std::move(done));
  }));
  clock_.advance(std::chrono::milliseconds(1000));
  runner_->tick();
  EXPECT_THAT(prompts_, ElementsAre("hello"));
  // What waited goes on when the thread comes back.
  ASSERT_TRUE(records_->unarchive(id).ok());
  runner_->tick();
  EXPECT_THAT(prompts_, ElementsAre("hello", "waits"));
}

/// Runs what is posted when the test says so, as the main thread.
class PostedMain final : public IMainExecutor {
 public:
  void post(Task task) override { task(); }
  Handle after(std::chrono::milliseconds, Task) override { return {}; }
  bool isCurrent() const override { return true; }
};

class TurnHooksTest : public RunnerFixture {
 protected:
  TurnHooksTest() {
    ON_CALL(plugins_, acquire(_, _))
        .WillByDefault([](const std::string&, Completion<plugins::GenerationPtr> done) {
          done(plugins::GenerationPtr());
        });
    ON_CALL(hooks_, onRecheck(_)).WillByDefault([this](auto listener) {
      recheck_ = std::move(listener);
      return Handle();
    });
    ON_CALL(hooks_, decide(_, _))
        .WillByDefault(
            [this](const common::RawJson& context, Completion<agents::DispatchDecision> done) {
              contexts_.push_back(context.text());
              done(decision_);
            });
    runner_ = std::make_unique<TurnRunner>(*book_, workers_,
                                           Crew{.agents = &agents_,
                                                .environments = &environments_,
                                                .hooks = &hooks_,
                                                .main = &main_,
                                                .plugins = &plugins_,
                                                .lookup = lookup()});
    EXPECT_TRUE(runner_->recover().ok());
  }

  /// Every record says where it was asked for.
  static RouteLookup lookup() {
    return [](const std::string& target, Completion<Json> done) {
      const auto record = Json::object().set("from", target);
      done(Json::object().set("project", record).set("environment", record).set("host", record));
    };
  }

  PostedMain main_;
  ::testing::NiceMock<agents::MockDispatchHooks> hooks_;
  ::testing::NiceMock<plugins::MockLoadedPlugins> plugins_;
  agents::DispatchDecision decision_{};
  std::vector<std::string> contexts_;
  std::function<void(const std::string&)> recheck_;
};

TEST_F(TurnHooksTest, AHookHearsWhoSaysSomethingWhereAndWithWhat) {
  auto wanted = request("hello");
  wanted.origin = "plugin";
  wanted.row.origin_plugin_id = "nightly";
  wanted.intent = Json::object().set("type", "host").set("hostId", "host_b");
  thread_ = answerOf([&](Completion<Json> done) { runner_->spawn(wanted, std::move(done)); })
                .value()["id"]
                .asString();
  const auto first = Json::parse(contexts_.front()).value();
  EXPECT_EQ(first["attempt"].asString(), "start-turn");
  EXPECT_EQ(first["thread"]["id"].asString(), thread_);
  EXPECT_EQ(first["project"]["from"].asString(), "/api/v1/projects/proj_a");
  EXPECT_EQ(first["environmentIntent"]["type"].asString(), "host");
  EXPECT_TRUE(first["environment"].isNull());
  EXPECT_EQ(first["host"]["from"].asString(), "/api/v1/hosts/host_b");
  EXPECT_EQ(first["origin"].asString(), "plugin");
  EXPECT_EQ(first["originPluginId"].asString(), "nightly");
  begin();
  // What waits keeps who has said it; what is joined was said by several.
  const auto tell = [this](const char* plugin, const char* initiator) {
    Message message{.thread_id = thread_, .input = said(plugin), .execution = Json::object()};
    message.origin = "plugin";
    message.origin_plugin_id = plugin;
    message.initiator = initiator;
    EXPECT_TRUE(answerOf([&](Completion<Json> done) {
                  runner_->send({.message = message}, std::move(done));
                }).ok());
  };
  tell("notes", "agent");
  tell("other", "user");
  {
    Edit edit(*book_);
    edit.change.queued.push_back(book_->queue(thread_).front());
    edit.change.queued.back().group_with_next = true;
    ASSERT_TRUE(edit.commit().ok());
  }
  finish();
  const auto next = Json::parse(contexts_.back()).value();
  EXPECT_EQ(next["originPluginId"].asString(), "notes");
  EXPECT_EQ(next["initiator"].asString(), "mixed");
  EXPECT_EQ(next["environment"]["from"].asString(), "/api/v1/environments/env_a");
  EXPECT_EQ(next["host"]["from"].asString(), "/api/v1/hosts/host_a");
  EXPECT_TRUE(next["environmentIntent"].isNull());
}

TEST_F(TurnHooksTest, WhatSteersIsDecidedOverWhenItGoes) {
  spawn();
  begin();
  ASSERT_TRUE(send("more", "steer").ok());
  EXPECT_EQ(contexts_.size(), 1U);
  decision_ = {
      .kind = agents::DispatchDecision::Kind::kWait, .plugin_id = "guard", .text = "later"};
  finish();
  EXPECT_EQ(contexts_.size(), 2U);
  EXPECT_EQ(parsed(book_->queue(thread_).front().waiting_on)["pluginId"].asString(), "guard");
}

TEST_F(TurnHooksTest, AHookThatRejectsLeavesNothing) {
  decision_ = {.kind = agents::DispatchDecision::Kind::kReject, .plugin_id = "gate", .text = "no"};
  const auto refused =
      answerOf([&](Completion<Json> done) { runner_->spawn(request("hello"), std::move(done)); });
  EXPECT_EQ(refused.error().code, errc::kDispatchRejected);
  EXPECT_EQ(common::httpStatus(refused.error().code), 409U);
  EXPECT_THAT(refused.error().message, HasSubstr("gate"));
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(TurnHooksTest, AHookThatWaitsParksTheMessageUntilItIsAskedAgain) {
  decision_ = {.kind = agents::DispatchDecision::Kind::kWait, .plugin_id = "gate", .text = "quota"};
  spawn();
  EXPECT_EQ(status(), "pending");
  EXPECT_THAT(book_->queue(thread_).front().waiting_on, HasSubstr("quota"));
  EXPECT_THAT(emitted_, ElementsAre(Pair("thread.created", thread_), Pair("message.queued", "")));
  runner_->tick();
  EXPECT_EQ(status(), "pending");
  decision_ = {};
  recheck_("other");
  EXPECT_EQ(status(), "pending");
  recheck_("gate");
  EXPECT_EQ(status(), "starting");
  EXPECT_THAT(prompts_, ElementsAre("hello"));
}

TEST_F(TurnHooksTest, AHookThatNamesATimeIsAskedAgainThen) {
  decision_ = {.kind = agents::DispatchDecision::Kind::kWait,
               .plugin_id = "gate",
               .text = "quota",
               .send_at = clock_.nowMs() + 1000};
  spawn();
  clock_.advance(std::chrono::milliseconds(999));
  runner_->tick();
  EXPECT_EQ(contexts_.size(), 1U);
  EXPECT_EQ(status(), "pending");
  decision_ = {};
  clock_.advance(std::chrono::milliseconds(1));
  runner_->tick();
  EXPECT_EQ(contexts_.size(), 2U);
  EXPECT_THAT(prompts_, ElementsAre("hello"));
}

TEST_F(TurnHooksTest, AWaitForAPluginThatIsGoneEnds) {
  const auto answer = [this](const Error& error) {
    EXPECT_CALL(plugins_, acquire("gate", _))
        .WillRepeatedly(
            [error](const std::string&, Completion<plugins::GenerationPtr> done) { done(error); });
    runner_->tick();
  };
  decision_ = {.kind = agents::DispatchDecision::Kind::kWait, .plugin_id = "gate", .text = "quota"};
  spawn();
  decision_ = {};
  answer({errc::kPluginNotRunning, "it loads", R"({"status":"starting"})"});
  EXPECT_EQ(status(), "pending");
  answer({errc::kPluginNotRunning, "it is disabled", R"({"status":"disabled"})"});
  EXPECT_THAT(prompts_, ElementsAre("hello"));
  begin();
  finish();
  decision_ = {.kind = agents::DispatchDecision::Kind::kWait, .plugin_id = "gate", .text = "quota"};
  ASSERT_EQ(send("more").value()["outcome"].asString(), "queued");
  decision_ = {};
  answer({errc::kUnknownPlugin, "it was removed"});
  EXPECT_THAT(prompts_, ElementsAre("hello", "more"));
}

TEST_F(TurnHooksTest, AWaitingMessageThatIsRefusedGoesWithItsReason) {
  spawn();
  begin();
  ASSERT_TRUE(send("waits").ok());
  decision_ = {.kind = agents::DispatchDecision::Kind::kReject, .plugin_id = "gate", .text = "no"};
  finish();
  EXPECT_THAT(waiting(), IsEmpty());
  EXPECT_EQ(status(), "idle");
  const auto events = store_.events({.thread_id = thread_, .descending = true, .limit = 2}).value();
  ASSERT_EQ(events[0].type, "client/turn/rejected");
  ASSERT_EQ(events[1].type, "client/turn/requested");
  const auto asked = parsed(events[1].data);
  EXPECT_EQ(textOf(asked["input"]), "waits");
  EXPECT_EQ(parsed(events[0].data)["requestId"].asString(), asked["requestId"].asString());
  EXPECT_EQ(parsed(events[0].data)["reason"].asString(), "dispatch_rejected");
  // It can be said again by reference.
  decision_ = {};
  ASSERT_TRUE(answerOf([&](Completion<Json> done) {
                runner_->retry(thread_, asked["requestId"].asString(), 0, std::move(done));
              }).ok());
  EXPECT_THAT(prompts_, ElementsAre("hello", "waits"));
}

TEST_F(TurnHooksTest, AFirstMessageThatIsRefusedLaterFailsItsThread) {
  decision_ = {.kind = agents::DispatchDecision::Kind::kWait, .plugin_id = "gate", .text = "quota"};
  spawn();
  EXPECT_EQ(status(), "pending");
  decision_ = {.kind = agents::DispatchDecision::Kind::kReject, .plugin_id = "gate", .text = "no"};
  recheck_("gate");
  EXPECT_EQ(status(), "error");
  EXPECT_THAT(logTypes(), ElementsAre("client/turn/requested", "client/turn/rejected"));
  EXPECT_THAT(emitted_, Contains(Pair("thread.failed", thread_)));
}

}  // namespace
}  // namespace svc::threads
