// Items that nobody has told the end of.

#include "svc/common/codes.h"

#include "runner_fixture.h"
#include "turn_runner.h"

namespace svc::threads {
namespace {

using ::testing::_;
using ::testing::ElementsAre;

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
    done(Error{errc::kHostUnavailable, "host \"laptop\" is not connected"});
  });
  ASSERT_TRUE(stop().ok());
  expectEndedWith("Half a sentence");
}

}  // namespace
}  // namespace svc::threads
