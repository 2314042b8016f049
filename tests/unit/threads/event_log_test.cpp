#include "event_log.h"

#include "fakes/fake_executor.h"
#include "runner_fixture.h"

namespace svc::threads {
namespace {

class EventLogTest : public RunnerFixture {
 protected:
  EventLogTest() : log_(*book_, executor_) {}
  test::FakeExecutor executor_;
  EventLog log_;
};

TEST_F(EventLogTest, WaitsForAnEventAndForNoLongerThanAsked) {
  spawn();
  std::vector<Json> answers;
  const auto wait = [&](const std::string& type, std::int64_t ms) {
    log_.wait(thread_, type, 0, ms,
              [&answers](Result<Json> event) { answers.push_back(std::move(event).value()); });
  };
  wait("client/turn/requested", 1000);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]["seq"].asInteger(), 1);
  wait("turn/started", 0);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_TRUE(answers[1].isNull());
  wait("turn/started", 1000);
  begin();
  log_.added(logged_);
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[2]["type"].asString(), "turn/started");
  wait("turn/completed", 200);
  executor_.advance(std::chrono::milliseconds(199));
  EXPECT_EQ(answers.size(), 3U);
  executor_.advance(std::chrono::milliseconds(1));
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_TRUE(answers[3].isNull());
  EXPECT_EQ(executor_.pendingTimers(), 0U) << "what was answered waits for no time";
}

TEST_F(EventLogTest, WhoWaitsHearsThatTheThreadIsDeleted) {
  spawn();
  std::vector<std::string> errors;
  log_.wait(thread_, "turn/completed", 0, 1000, [&errors](const Result<Json>& event) {
    errors.emplace_back(event ? "" : event.error().code.name());
  });
  log_.removed("thr_other");
  EXPECT_TRUE(errors.empty());
  log_.removed(thread_);
  EXPECT_EQ(errors, std::vector<std::string>{"not_found"});
}

TEST_F(EventLogTest, KnowsWhatWasSaidAndWhatRunsNext) {
  spawn("first");
  begin();
  EXPECT_TRUE(
      hear("item/completed", turn_, R"({"item":{"id":"i","type":"agentMessage","text":"Hi"}})"));
  finish();
  ASSERT_TRUE(send("second").ok());
  const auto outline = log_.outline(thread_).value();
  ASSERT_EQ(outline["items"].items().size(), 3U);
  EXPECT_EQ(outline["items"].items()[1]["role"].asString(), "assistant");
  EXPECT_EQ(outline["maxSeq"].asInteger(), 7);
  begin();
  finish();
  Message message{.thread_id = thread_, .input = said("of a plugin"), .execution = Json::object()};
  message.origin = "plugin";
  message.origin_plugin_id = "nightly";
  message.typed = false;
  ASSERT_TRUE(answerOf([&](Completion<Json> done) {
                runner_->send({.message = message}, std::move(done));
              }).ok());
  const auto history = log_.promptHistory(thread_, 1).value();
  ASSERT_EQ(history.items().size(), 1U);
  EXPECT_EQ(textOf(history.items()[0]["input"]), "second");
  const auto options = log_.executionOptions(thread_).value();
  EXPECT_EQ(options["providerId"].asString(), "agent");
  EXPECT_EQ(options["permissionMode"].asString(), "auto");
  EXPECT_EQ(lastAssistantText(store_, thread_).asString(), "Hi");
}

TEST_F(EventLogTest, TheLastWordsOfTheAgentAreFoundBehindManyToolCalls) {
  spawn();
  begin();
  EXPECT_TRUE(
      hear("item/completed", turn_, R"({"item":{"id":"i","type":"agentMessage","text":"Hi"}})"));
  finish();
  ASSERT_EQ(lastAssistantText(store_, thread_).asString(), "Hi");
  storage::ThreadChange change;
  constexpr std::int64_t kFirst = 1'000;
  constexpr std::int64_t kCalls = 1'000;
  for (std::int64_t index = 0; index < kCalls; ++index) {
    change.events.push_back({.id = "call" + std::to_string(index),
                             .thread_id = thread_,
                             .seq = kFirst + index,
                             .type = "item/completed",
                             .data = R"({"item":{"type":"toolCall","title":"agentMessage"}})"});
  }
  ASSERT_TRUE(store_.apply(change).ok());
  EXPECT_EQ(lastAssistantText(store_, thread_).asString(), "Hi");
}

}  // namespace
}  // namespace svc::threads
