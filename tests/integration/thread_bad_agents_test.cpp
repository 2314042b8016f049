// Agents that do not do what they should, through a real svcd and a real svc-hostd: their threads say so, and go on.
#include <string>

#include "thread_fixture.h"

namespace svc::test {
namespace {

using common::Json;
using ::testing::HasSubstr;

class ThreadBadAgentsTest : public ThreadFixture {
 protected:
  [[nodiscard]] std::string lastRejection() const {
    const auto all = events("client/turn/rejected");
    return all.empty() ? std::string() : all.back()["data"]["message"].asString();
  }
};

TEST_F(ThreadBadAgentsTest, OneThatDiesInsteadOfGoingOnBeginsAnew) {
  begin(R"([[{ "text": "Hello" }]], "on": { "session/resume": [{ "exit": 5 }] })");
  spawn("say hello");
  ASSERT_TRUE(awaitStatus("idle"));
  ASSERT_EQ(post("/threads/" + thread_ + "/stop", Json::object()).status, 200);
  ASSERT_EQ(send("and again").json["outcome"].asString(), "started");
  ASSERT_TRUE(eventually([&] { return events("turn/completed").size() == 2; }));
  EXPECT_EQ(lastTurn(), "completed");
  const auto warnings = events("provider/warning");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0]["data"]["summary"].asString(), HasSubstr("does not know what was said"));
  EXPECT_THAT(warnings[0]["data"]["details"].asString(), HasSubstr("exit status 5"));
  EXPECT_EQ(heard("session/new").size(), 2U);
}

TEST_F(ThreadBadAgentsTest, OneThatSaysTooMuchAtOnceEndsAlone) {
  begin(kTalk);
  spawn("say hello");
  ASSERT_TRUE(awaitStatus("idle"));
  const auto other = thread_;
  std::string values;
  for (int at = 0; at < 200'001; ++at) {
    values += "{},";
  }
  script(R"([[{ "text": "here it is" }, { "raw": "[)" + values +
         R"(0]\n" }, { "silence": true }]])");
  spawn("make a plan");
  ASSERT_TRUE(awaitStatus("error"));
  EXPECT_EQ(output(), "here it is");
  EXPECT_THAT(events("turn/completed").back()["data"]["error"]["message"].asString(),
              HasSubstr("limit agentLineValues"));
  thread_ = other;
  ASSERT_EQ(send("and again").json["outcome"].asString(), "started");
  ASSERT_TRUE(eventually([&] { return events("turn/completed").size() == 2; }));
  EXPECT_EQ(heard("initialize").size(), 2U) << "the other is the same as before";
}

TEST_F(ThreadBadAgentsTest, OneThatNobodyHasSignedInToSaysWhereTo) {
  begin(R"([[]], "on": { "session/new": [{ "error": { "code": -32000, "message": "no key" } }] })");
  spawn("say hello");
  ASSERT_TRUE(awaitStatus("error"));
  EXPECT_EQ(lastRejection(),
            "nobody has signed in to the agent: start its own program in a terminal of its "
            "machine, sign in there and try again; the agent says: no key");
}

}  // namespace
}  // namespace svc::test
