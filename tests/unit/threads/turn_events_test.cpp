#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "svc/common/codes.h"

#include "runner_fixture.h"

namespace svc::threads {
namespace {

using common::Json;
using ::testing::_;
using ::testing::ElementsAre;

/// What agents say, and what comes of it in the log.
class TurnEventsTest : public RunnerFixture {
 protected:
  std::vector<std::string> items() {
    std::vector<std::string> out;
    const auto events =
        store_
            .events(
                {.thread_id = thread_, .types = {"item/started", "item/completed"}, .limit = 100})
            .value();
    for (const auto& event : events) {
      out.push_back(event.type + " " + parsed(event.data)["item"]["text"].asString());
    }
    return out;
  }
};

TEST_F(TurnEventsTest, AnItemThatCouldNotBeStoredIsStoredWhenItComesAgain) {
  spawn();
  begin();
  store_.broken = Error{errc::kUnavailable, "the disk is full"};
  const auto* const item = R"({"item":{"id":"i","type":"agentMessage","text":"a"}})";
  EXPECT_FALSE(hear("item/started", turn_, item));
  store_.broken.reset();
  EXPECT_TRUE(hear("item/started", turn_, item, seq_));
  EXPECT_THAT(items(), ElementsAre("item/started a"));
}

TEST_F(TurnEventsTest, AnOpenItemThatIsToldAgainIsNoNewLineAndItsTextIsWhole) {
  spawn();
  begin();
  ASSERT_TRUE(
      hear("item/started", turn_, R"({"item":{"id":"i","type":"agentMessage","text":""}})"));
  ASSERT_TRUE(
      hear("item/delta", turn_, R"({"itemId":"i","field":"text","offset":0,"text":"one "})"));
  ASSERT_TRUE(hear(
      "item/started", turn_,
      R"({"item":{"id":"i","type":"agentMessage","text":"one two ","truncation":{}},"length":8})"));
  EXPECT_THAT(items(), ElementsAre("item/started "));
  EXPECT_EQ(live_.of(thread_).at("i").text, "one two ");
  ASSERT_TRUE(hear("item/started", turn_,
                   R"({"item":{"id":"i","type":"plan","text":"one two "},"length":8})"));
  EXPECT_THAT(items(), ElementsAre("item/started ", "item/started one two "))
      << "it is something else now";
}

TEST_F(TurnEventsTest, TheAgentsIdOfItsSessionIsKnownFromItsFirstWordOn) {
  spawn();
  ASSERT_TRUE(hear("thread/identity", {}, R"({"started":"new","providerThreadId":"acp-7"})"));
  const auto said =
      store_.events({.thread_id = thread_, .types = {"thread/identity"}, .limit = 1}).value();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(parsed(said.front().data)["providerThreadId"].asString(), "acp-7");
  EXPECT_EQ(book_->thread(thread_).value().session, "acp-7");
}

TEST_F(TurnEventsTest, ARetryIsSaidByWhoSaidItFirst) {
  auto first = request("hello");
  first.first.initiator = "agent";
  first.first.sender_thread_id = "thr_parent";
  first.origin = "plugin";
  first.row.origin_plugin_id = "reviewer";
  thread_ = answerOf([&](Completion<Json> done) { runner_->spawn(first, std::move(done)); })
                .value()["id"]
                .asString();
  begin();
  finish("failed");
  ASSERT_TRUE(answerOf([&](Completion<Json> done) {
                runner_->retry(thread_, {}, 0, std::move(done));
              }).ok());
  const auto requests =
      store_.events({.thread_id = thread_, .types = {"client/turn/requested"}, .limit = 9}).value();
  ASSERT_EQ(requests.size(), 2U);
  for (const auto& each : requests) {
    const auto data = parsed(each.data);
    EXPECT_EQ(data["initiator"].asString(), "agent");
    EXPECT_EQ(data["senderThreadId"].asString(), "thr_parent");
    EXPECT_EQ(data["source"].asString(), "spawn");
    EXPECT_EQ(data["origin"].asString(), "plugin");
    EXPECT_EQ(data["originPluginId"].asString(), "reviewer");
  }
}

TEST_F(TurnEventsTest, AStopGivesUpThePlaceThatIsBeingMadeForIt) {
  PlaceListener told;
  Completion<ReadyEnvironment> ready;
  ON_CALL(environments_, resolve(_, _, _))
      .WillByDefault(
          [&](const EnvironmentNeed&, PlaceListener listener, Completion<ReadyEnvironment> done) {
            told = std::move(listener);
            ready = std::move(done);
          });
  const auto id = spawn();
  const auto step = [&told](const char* state) {
    told({.step = Json::object().set("key", "setup").set("type", "step").set("status", state)});
  };
  const auto statuses = [&] {
    std::vector<std::string> out;
    const auto events =
        store_.events({.thread_id = id, .types = {"system/thread-provisioning"}, .limit = 9})
            .value();
    for (const auto& event : events) {
      out.push_back(parsed(event.data)["status"].asString());
    }
    return out;
  };
  step("active");
  EXPECT_CALL(environments_, abandon(id));
  ASSERT_TRUE(stop().ok());
  EXPECT_THAT(statuses(), ElementsAre("active", "cancelled"));
  step("failed");
  ready(Error{errc::kConflict, ".svc/setup was cancelled"});
  EXPECT_THAT(statuses(), ElementsAre("active", "cancelled")) << "nobody waits to hear of it";
  EXPECT_EQ(status(), "idle");
}

TEST_F(TurnEventsTest, AStopIsNotOverWhenATurnInsideTheTurnEnds) {
  spawn();
  begin();
  ASSERT_TRUE(stop().ok());
  ASSERT_TRUE(hear("turn/completed", turn_, R"({"status":"completed","parentToolCallId":"c"})"));
  EXPECT_TRUE(closed_.empty());
  EXPECT_EQ(status(), "stopping");
  finish("interrupted");
  EXPECT_EQ(closed_.size(), 1U);
  EXPECT_EQ(status(), "idle");
}

TEST_F(TurnEventsTest, AnAgentThatCannotBeToldToStopIsLetGo) {
  ON_CALL(agents_, cancel(_, _)).WillByDefault([](const std::string&, Completion<void> done) {
    done(Error{errc::kHostUnavailable, "away"});
  });
  spawn();
  begin();
  ASSERT_TRUE(stop().ok());
  EXPECT_THAT(closed_, ElementsAre(session_));
  finish();  // nobody's any more
  const auto ends =
      store_.events({.thread_id = thread_, .types = {"turn/completed"}, .limit = 9}).value();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(parsed(ends[0].data)["status"].asString(), "interrupted");
}

TEST_F(TurnEventsTest, ALateAnswerAboutASessionThatWasGivenUpLeavesTheNextOneAlone) {
  std::vector<Completion<OpenSession>> opens;
  ON_CALL(agents_, open(_, _))
      .WillByDefault([&](const SessionRequest& wanted, Completion<OpenSession> done) {
        session_ = wanted.session;
        opens.push_back(std::move(done));
      });
  spawn();
  ASSERT_TRUE(stop().ok());
  ASSERT_TRUE(send("again").ok());
  ASSERT_EQ(opens.size(), 2U);
  opens[0](Error{errc::kAborted, "the session was closed before it began"});
  opens[1](OpenSession{"acp"});
  EXPECT_THAT(prompts_, ElementsAre("again"));
  begin();
  EXPECT_EQ(status(), "active");
}

}  // namespace
}  // namespace svc::threads
