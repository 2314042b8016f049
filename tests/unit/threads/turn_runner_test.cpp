#include "turn_runner.h"

#include <algorithm>

#include "svc/common/codes.h"

#include "message_queue.h"
#include "runner_fixture.h"
#include "thread_limits.h"

namespace svc::threads {
namespace {

using ::testing::_;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::Return;

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

TEST_F(TurnRunnerTest, ANewThreadWaitsForItsMachineWhileTheServerStarts) {
  bool connected = false;
  ON_CALL(agents_, choose(_)).WillByDefault([&](const std::string&) -> Result<std::string> {
    return connected ? Result<std::string>("agent")
                     : Error{errc::kHostUnavailable, "the machine is not connected"};
  });
  std::optional<Result<Json>> made;
  const auto spawning = [&] {
    made.reset();
    runner_->spawn(request("hello"),
                   Completion<Json>([&made](Result<Json> answer) { made = std::move(answer); }));
  };
  spawning();
  runner_->tick();
  EXPECT_FALSE(made);
  connected = true;
  runner_->tick();
  ASSERT_TRUE(made && made->ok());
  EXPECT_THAT(prompts_, ElementsAre("hello"));
  connected = false;
  spawning();
  clock_.advance(kMachinesStart);
  runner_->tick();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->error().code, errc::kHostUnavailable);
  spawning();
  ASSERT_TRUE(made) << "later nobody waits";
  EXPECT_EQ(made->error().code, errc::kHostUnavailable);
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
  EXPECT_EQ(contexts_.back().thread.id, thread_) << "plugins are asked for it again";
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
  EXPECT_THAT(waiting(), ElementsAre("now", "at once", "later")) << "in the order they were said";
  EXPECT_THAT(turnStates(), ElementsAre("started"));
  finish();
  EXPECT_THAT(prompts_, ElementsAre("hello", "now"));
}

TEST_F(TurnRunnerTest, AMessageWithATimeDoesNotKeepBackWhatIsBehindIt) {
  spawn();
  begin();
  ASSERT_TRUE(send("tomorrow", "auto", clock_.nowMs() + 1000).ok());
  ASSERT_TRUE(send("now").ok());
  ASSERT_TRUE(send("then").ok());
  finish();
  EXPECT_THAT(prompts_, ElementsAre("hello", "now"));
  begin();
  finish();
  EXPECT_THAT(prompts_, ElementsAre("hello", "now", "then"));
  begin();
  finish();
  EXPECT_THAT(waiting(), ElementsAre("tomorrow"));
  clock_.advance(std::chrono::milliseconds(1000));
  runner_->tick();
  EXPECT_THAT(waiting(), IsEmpty());
}

TEST_F(TurnRunnerTest, WhatIsSentTogetherWaitsForItsFirst) {
  spawn();
  begin();
  ASSERT_TRUE(send("first", "auto", clock_.nowMs() + 1000).ok());
  ASSERT_TRUE(send("second").ok());
  ASSERT_TRUE(send("alone").ok());
  {
    Edit edit(*book_);
    edit.change.queued.push_back(book_->queue(thread_).front());
    edit.change.queued.back().group_with_next = true;
    ASSERT_TRUE(edit.commit().ok());
  }
  finish();
  EXPECT_THAT(prompts_, ElementsAre("hello", "alone"));
  EXPECT_THAT(waiting(), ElementsAre("first", "second"));
}

TEST_F(TurnRunnerTest, PluginsHearWhatAMessageWaitsForUntilItLeaves) {
  spawn();
  begin();
  ASSERT_TRUE(send("more").ok());
  EXPECT_EQ(emitted_.back().first, "message.queued");
  EXPECT_EQ(payloads_.back()["entry"]["waitingOn"]["kind"].asString(), "thread-busy");
  MessageQueue queue(*book_);
  const auto row = book_->queue(thread_).front();
  EXPECT_EQ(queue.update(thread_, row.id, said("other"), row.updated_at)
                .value()["waitingOn"]["kind"]
                .asString(),
            "thread-busy");
  finish();
  const auto left = std::find_if(emitted_.begin(), emitted_.end(), [](const auto& each) {
    return each.first == "message.dispatched";
  });
  ASSERT_NE(left, emitted_.end());
  EXPECT_TRUE(
      payloads_[static_cast<std::size_t>(left - emitted_.begin())]["entry"]["waitingOn"].isNull());
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
  EXPECT_TRUE(hear("thread/name/updated", "", R"({"threadName":"A\n\u001b[1m name"})"));
  EXPECT_EQ(records_->get(id).value()["title"].asString(), "A \uFFFD[1m name");
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

TEST_F(TurnRunnerTest, AThreadIsInTheEnvironmentThatItReusesFromItsBeginning) {
  ON_CALL(environments_, find("env_b"))
      .WillByDefault(Return(ReadyEnvironment{
          "env_b", "host_b", "/work", Json::object().set("name", "b").set("branchName", "svc/b")}));
  for (const bool idle : {true, false}) {
    auto wanted = request("hello");
    wanted.idle = idle;
    wanted.send_at = idle ? 0 : clock_.nowMs() + 1000;
    wanted.intent = Json::object().set("type", "reuse").set("environmentId", "env_b");
    forget();
    const auto made =
        answerOf([&](Completion<Json> done) { runner_->spawn(wanted, std::move(done)); }).value();
    EXPECT_EQ(made["environmentId"].asString(), "env_b");
    EXPECT_EQ(made["environmentHostId"].asString(), "host_b");
    EXPECT_EQ(made["environmentBranchName"].asString(), "svc/b");
    const auto id = made["id"].asString();
    EXPECT_THAT(records_->inEnvironment("env_b"), Contains(id));
    EXPECT_THAT(told_, Contains(Pair(id, "environment-changed"))) << "so that it is kept for it";
  }
}

}  // namespace
}  // namespace svc::threads
