// Processes of agents: when they end, who waits for room, and what goes with their machine.
#include "thread_fixture.h"

namespace svc::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ThreadProcessesTest : public ThreadFixture {
 protected:
  [[nodiscard]] std::string shown() const {
    return thread()["runtime"]["displayStatus"].asString();
  }
  Outcome svc(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), SVC_TEST_SVC);
    return runCommand({.argv = std::move(arguments),
                       .directory = shop(),
                       .environment = {{"SVC_SERVER_URL", server_->url()}}});
  }
};

TEST_F(ThreadProcessesTest, AnAgentThatRestsMakesRoomAndGoesOnWithItsNextMessage) {
  more_options_ = {"--agentProcesses.perMachine=1"};
  begin(kTalk);
  spawn("first");
  ASSERT_TRUE(awaitStatus("idle"));
  const auto first = thread_;
  const auto before = types();
  spawn("second");
  ASSERT_TRUE(awaitStatus("idle"));
  ASSERT_EQ(heard("session/new").size(), 2U);

  thread_ = first;
  EXPECT_EQ(types(), before) << "nobody sees that its process has ended";
  EXPECT_EQ(shown(), "idle");
  ASSERT_EQ(send("go on").json["outcome"].asString(), "started");
  ASSERT_TRUE(eventually([&] { return events("turn/completed").size() == 2; }))
      << events().back().dump();
  EXPECT_EQ(lastTurn(), "completed");
  ASSERT_EQ(heard("session/resume").size(), 1U);
  EXPECT_EQ(heard("session/resume")[0]["sessionId"].asString(), "scripted-session");
  EXPECT_THAT(types(),
              Not(testing::Contains(testing::AnyOf("provider/error", "provider/warning",
                                                   "system/error", "system/thread/interrupted"))));
  expectExactLog();
}

TEST_F(ThreadProcessesTest, AThreadBeyondTheLimitWaitsAndRunsWhenThereIsRoom) {
  more_options_ = {"--agentProcesses.perMachine=1"};
  begin(kWork);
  spawn("work");
  const auto working = thread_;
  ASSERT_TRUE(awaitLiveText("working"));
  script(kTalk);
  spawn("wait");
  const auto waiting = thread_;
  ASSERT_TRUE(eventually([&] { return shown() == "provisioning"; })) << thread().dump();
  EXPECT_EQ(thread()["status"].asString(), "starting");
  EXPECT_THAT(
      svc({"thread", "show", waiting}).out,
      AllOf(HasSubstr("waits for"), HasSubstr("1 are at work (agentProcesses.perMachine)")));
  EXPECT_EQ(heard("session/new").size(), 1U);

  thread_ = working;
  ASSERT_EQ(post("/threads/" + working + "/stop", Json::object()).status, 200);
  thread_ = waiting;
  ASSERT_TRUE(awaitStatus("idle")) << thread().dump();
  EXPECT_EQ(lastTurn(), "completed");
  EXPECT_EQ(output(), "Hello there");
  EXPECT_TRUE(events("client/turn/rejected").empty());
}

TEST_F(ThreadProcessesTest, AMachineThatIsRemovedEndsItsTurnAndTakesNoMoreMessages) {
  begin(kWork);
  spawn("work");
  ASSERT_TRUE(awaitLiveText("working"));
  ASSERT_EQ(send("then this").json["outcome"].asString(), "queued");
  ASSERT_EQ(server_->http()
                .send({.method = "DELETE", .target = "/api/v1/hosts/" + machine_->id()})
                .status,
            200);
  ASSERT_TRUE(eventually([&] { return !events("client/turn/rejected").empty(); }))
      << thread().dump();
  EXPECT_EQ(lastTurn(), "interrupted");
  const auto end = events("turn/completed").back()["data"]["error"];
  EXPECT_EQ(end["code"].asString(), "host-removed") << end.dump();
  EXPECT_EQ(output(), "working");
  const auto refused = events("client/turn/rejected").back()["data"];
  EXPECT_EQ(refused["reason"].asString(), "unknown_host");
  EXPECT_THAT(refused["message"].asString(),
              AllOf(HasSubstr("the machine of this thread was removed"), HasSubstr("fork")));
  EXPECT_TRUE(says("then this")) << "nothing is lost";
  EXPECT_EQ(get("/environments/" + thread()["environmentId"].asString())
                .json["environment"]["status"]
                .asString(),
            "destroyed");
  const auto sent = send("and this");
  EXPECT_EQ(sent.code(), "unknown_host") << sent.body;
  EXPECT_THAT(sent.message(), HasSubstr("fork"));
}

}  // namespace
}  // namespace svc::test
