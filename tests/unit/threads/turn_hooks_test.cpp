// What plugins decide over messages.

#include "svc/common/codes.h"

#include "fakes/fake_generation.h"
#include "mocks/mock_agents.h"
#include "mocks/mock_loaded_plugins.h"
#include "runner_fixture.h"
#include "turn_runner.h"

namespace svc::threads {
namespace {

using ::testing::_;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

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
    begins();
  }

  /// Also again, as after a start of the server.
  void begins() {
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

TEST_F(TurnHooksTest, TheResultOfADetachedToolThatAPluginRefusesIsInTheLog) {
  spawn();
  begin();
  finish();
  decision_ = {.kind = agents::DispatchDecision::Kind::kReject, .plugin_id = "p", .text = "no"};
  int told = 0;
  runner_->tellLate({.thread_id = thread_, .tool = "render", .text = "in a.mp4"},
                    [&told] { ++told; });
  EXPECT_EQ(told, 1);
  EXPECT_THAT(waiting(), IsEmpty());
  const auto requested =
      store_.events({.thread_id = thread_, .descending = true, .types = {"client/turn/requested"}})
          .value();
  EXPECT_THAT(requested.front().data, HasSubstr("in a.mp4"));
  EXPECT_EQ(logTypes().back(), "client/turn/rejected");
}

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

/// The ways in which a message that waits until a time of the plugin may be looked at before.
class TimedHookTest : public TurnHooksTest {
 protected:
  TimedHookTest() {
    ON_CALL(plugins_, acquire(_, _))
        .WillByDefault([this](const std::string& id, Completion<plugins::GenerationPtr> done) {
          if (load_ == 0) {
            return done(Error{errc::kUnknownPlugin, "it was removed"});
          }
          done(plugins::GenerationPtr(std::make_shared<plugins::FakeGeneration>(id, load_)));
        });
    decision_ = hour();
  }
  agents::DispatchDecision hour(const char* why = "quota") {
    return {.kind = agents::DispatchDecision::Kind::kWait,
            .plugin_id = "gate",
            .text = why,
            .send_at = clock_.nowMs() + 3'600'000};
  }
  Json row() { return toRecord(book_->queue(thread_).front()); }

  std::uint64_t load_ = 1;
};

TEST_F(TimedHookTest, ARecheckAsksTheHookAgain) {
  spawn();
  EXPECT_EQ(row()["sendAt"].asInteger(), decision_.send_at);
  EXPECT_EQ(row()["waitingOn"].dump(), R"({"kind":"plugin","pluginId":"gate","reason":"quota"})");
  recheck_("gate");
  EXPECT_EQ(contexts_.size(), 2U);
  EXPECT_EQ(status(), "pending") << "it says the same";
  decision_ = {};
  recheck_("gate");
  EXPECT_THAT(prompts_, ElementsAre("hello"));
}

TEST_F(TimedHookTest, ANewLoadIsAskedAgain) {
  spawn();
  runner_->tick();
  EXPECT_EQ(contexts_.size(), 1U);
  load_ = 2;
  decision_ = {};
  runner_->tick();
  EXPECT_THAT(prompts_, ElementsAre("hello"));
}

TEST_F(TimedHookTest, TheWaitEndsWithItsPlugin) {
  spawn();
  load_ = 0;
  decision_ = {};
  runner_->tick();
  EXPECT_THAT(prompts_, ElementsAre("hello"));
}

TEST_F(TimedHookTest, ARecheckTellsThatTheRowIsAnotherOne) {
  spawn();
  const auto before = row();
  forget();
  decision_ = hour("frozen");
  recheck_("gate");
  EXPECT_THAT(told_, Contains(Pair(thread_, "queue-changed")));
  EXPECT_EQ(row()["waitingOn"]["reason"].asString(), "frozen");
  EXPECT_GT(row()["updatedAt"].asInteger(), before["updatedAt"].asInteger());
}

TEST_F(TimedHookTest, ATimeThatItsSenderGaveIsNotThePlugins) {
  spawn();
  decision_ = {};
  recheck_("gate");
  begin();
  finish();
  const auto at = clock_.nowMs() + 1000;
  ASSERT_TRUE(send("timed", "auto", at).ok());
  recheck_("gate");
  load_ = 0;
  runner_->tick();
  EXPECT_EQ(row()["sendAt"].asInteger(), at);
  // At its time a plugin may name another one, and take that back.
  load_ = 1;
  decision_ = hour();
  clock_.advance(std::chrono::milliseconds(1000));
  runner_->tick();
  EXPECT_EQ(row()["sendAt"].asInteger(), decision_.send_at);
  EXPECT_EQ(book_->queue(thread_).front().send_at, at);
}

TEST_F(TurnHooksTest, AHookHearsOfTheExecutionOnlyWhatItsSenderAskedFor) {
  spawn();
  begin();
  const Message message{.thread_id = thread_,
                        .input = said("more"),
                        .execution = Json::object().set("permissionMode", "full"),
                        .sources = Json::object().set("permissionMode", "explicit")};
  ASSERT_TRUE(answerOf([&](Completion<Json> done) {
                runner_->send({.message = message}, std::move(done));
              }).ok());
  finish();
  const auto heard = [this] {
    return Json::parse(contexts_.back()).value()["requestedExecution"].dump();
  };
  EXPECT_EQ(heard(), R"({"permissionMode":"full"})");
  begin();
  finish("failed");
  ASSERT_TRUE(answerOf([&](Completion<Json> done) {
                runner_->retry(thread_, {}, 0, std::move(done));
              }).ok());
  EXPECT_EQ(heard(), R"({"permissionMode":"full","serviceTier":"default"})");
}

TEST_F(TurnHooksTest, WhatWaitsForAPluginDoesNotKeepBackWhatIsBehindIt) {
  spawn();
  begin();
  ASSERT_TRUE(send("held").ok());
  ASSERT_TRUE(send("free").ok());
  ON_CALL(hooks_, decide(_, _))
      .WillByDefault([](const common::RawJson& context, Completion<agents::DispatchDecision> done) {
        const auto asked = Json::parse(context.text()).value();
        const bool held = asked["input"]["text"].asString() == "held";
        done(held ? agents::DispatchDecision{.kind = agents::DispatchDecision::Kind::kWait,
                                             .plugin_id = "gate",
                                             .text = "held"}
                  : agents::DispatchDecision{});
      });
  finish();
  EXPECT_THAT(prompts_, ElementsAre("hello", "free"));
  EXPECT_THAT(waiting(), ElementsAre("held"));
}

TEST_F(TurnHooksTest, WhatAnEarlierLoadOfAPluginHasParkedIsDecidedAnew) {
  std::uint64_t load = 1;
  ON_CALL(plugins_, acquire(_, _))
      .WillByDefault([&load](const std::string& id, Completion<plugins::GenerationPtr> done) {
        done(plugins::GenerationPtr(std::make_shared<plugins::FakeGeneration>(id, load)));
      });
  decision_ = {.kind = agents::DispatchDecision::Kind::kWait, .plugin_id = "gate", .text = "quota"};
  spawn();
  runner_->tick();
  EXPECT_EQ(contexts_.size(), 1U) << "the same load has said it already";
  load = 2;
  runner_->tick();
  EXPECT_EQ(contexts_.size(), 2U);
  EXPECT_EQ(status(), "pending") << "it says the same";
  runner_->tick();
  EXPECT_EQ(contexts_.size(), 2U);
  load = 3;
  decision_ = {};
  runner_->tick();
  EXPECT_THAT(prompts_, ElementsAre("hello"));
}

TEST_F(TurnHooksTest, AfterAStartOfTheServerParkedMessagesAreDecidedAnew) {
  ON_CALL(plugins_, acquire(_, _))
      .WillByDefault([](const std::string& id, Completion<plugins::GenerationPtr> done) {
        done(plugins::GenerationPtr(std::make_shared<plugins::FakeGeneration>(id, 1)));
      });
  decision_ = {.kind = agents::DispatchDecision::Kind::kWait, .plugin_id = "gate", .text = "quota"};
  spawn();
  decision_ = {};
  begins();
  runner_->tick();
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

TEST_F(TurnHooksTest, ARetryThatIsRefusedIsAnsweredSoAndLeavesNothing) {
  spawn();
  begin();
  finish("failed");
  const auto retry = [this] {
    return answerOf(
        [&](Completion<Json> done) { runner_->retry(thread_, {}, 0, std::move(done)); });
  };
  const auto before = logTypes();
  decision_ = {
      .kind = agents::DispatchDecision::Kind::kReject, .plugin_id = "gate", .text = "no way"};
  const auto refused = retry();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, errc::kDispatchRejected);
  EXPECT_THAT(refused.error().message, HasSubstr("\"gate\" refused the message: no way"));
  EXPECT_THAT(waiting(), IsEmpty());
  EXPECT_EQ(logTypes(), before);
  EXPECT_EQ(status(), "error");
  // A plugin that wants it to wait keeps the row that was named.
  decision_ = {.kind = agents::DispatchDecision::Kind::kWait, .plugin_id = "gate", .text = "quota"};
  const auto parked = retry();
  ASSERT_TRUE(parked.ok());
  EXPECT_EQ(parked.value()["attempt"].asInteger(), 2);
  EXPECT_EQ(book_->queue(thread_).front().id, parked.value()["queuedMessageId"].asString());
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

TEST_F(TurnHooksTest, WhatAStopHasEndedIsToldWhenThePluginsAreLoaded) {
  Completion<void> loaded;
  EXPECT_CALL(plugins_, settled(_, _, _))
      .WillRepeatedly([&loaded](IMainExecutor&, std::chrono::milliseconds, Completion<void> done) {
        loaded = std::move(done);
      });
  spawn();
  begin();
  restartBook();
  begins();
  runner_->ready();
  runner_->tick();
  EXPECT_THAT(emitted_, IsEmpty());
  loaded({});
  EXPECT_THAT(emitted_, ElementsAre(Pair("thread.idle", thread_)));
  // Who has gone meanwhile tells nothing.
  runner_->ready();
  runner_.reset();
  loaded({});
}

TEST_F(TurnHooksTest, AMessageThatWasAllowedBeforeARestartIsNotAskedAboutAgain) {
  Completion<ReadyEnvironment> held;
  EXPECT_CALL(environments_, resolve(_, _, _)).Times(testing::AnyNumber());
  EXPECT_CALL(environments_, resolve(_, _, _))
      .WillOnce([&held](const EnvironmentNeed&, const PlaceListener&,
                        Completion<ReadyEnvironment> done) { held = std::move(done); })
      .RetiresOnSaturation();
  spawn();
  decision_ = {
      .kind = agents::DispatchDecision::Kind::kReject, .plugin_id = "strict", .text = "no"};
  runner_->rest();
  held = {};
  runner_.reset();
  restartBook();
  begins();
  EXPECT_THAT(prompts_, ElementsAre("hello"));
  EXPECT_EQ(contexts_.size(), 1U);
}

}  // namespace
}  // namespace svc::threads
