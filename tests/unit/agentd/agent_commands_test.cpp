// The module as its daemon has it, on its own thread, with the way to the server played by the test.
#include "agent_commands.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include <gmock/gmock.h>

#include "svc/base/marked_processes.h"
#include "svc/common/codes.h"
#include "svc/hostprotocol/agents.h"

#include "fakes/bulk_threads.h"
#include "fakes/fake_clock.h"
#include "fakes/fake_executor.h"
#include "scripted.h"

namespace svc::agentd {
namespace {

using common::Json;
using ::testing::HasSubstr;

/// Who is registered, and what was sent.
class PlayedLink final : public serverlink::IServerLink {
 public:
  Handle onCommand(std::string type, serverlink::CommandHandler handler) override {
    commands_[type] = std::move(handler);
    return Handle([this, type] { commands_.erase(type); });
  }
  Handle onMessage(std::string type, serverlink::MessageHandler handler) override {
    messages_[type] = std::move(handler);
    return Handle([this, type] { messages_.erase(type); });
  }
  Handle onSession(std::function<void(const std::vector<serverlink::PluginGeneration>&)>) override {
    return {};
  }
  Handle onSessionLost(std::function<void()> listener) override {
    lost = std::move(listener);
    return Handle([this] { lost = nullptr; });
  }
  Handle onRefused(std::function<void()> listener) override {
    refused = std::move(listener);
    return Handle([this] { refused = nullptr; });
  }
  void send(std::string message) override {
    const std::scoped_lock lock(mutex_);
    sent_.push_back(Json::parse(message).value());
    came_.notify_all();
  }
  void post(std::string, std::string, Completion<serverlink::HttpAnswer>) override {}
  void download(std::string, std::filesystem::path, std::uint64_t,
                Completion<serverlink::Download>) override {}
  std::string hostId() const override { return "host"; }

  void command(std::string_view type, const Json& command, Completion<std::string> done) {
    commands_.at(std::string(type))(command.dump(), std::move(done));
  }
  /// Waits for the answer, which comes on another thread.
  Result<std::string> ask(std::string_view type, const Json& asked) {
    std::optional<Result<std::string>> answer;
    command(type, asked, [&](Result<std::string> result) {
      const std::scoped_lock lock(mutex_);
      answer = std::move(result);
      came_.notify_all();
    });
    std::unique_lock lock(mutex_);
    const bool came =
        came_.wait_for(lock, std::chrono::seconds(20), [&] { return answer.has_value(); });
    return came ? *answer : Result<std::string>(Error{errc::kTimeout, "no answer"});
  }
  void tell(std::string_view type, const Json& message) {
    messages_.at(std::string(type))(message.dump());
  }
  /// The first event of this type that has not been taken yet.
  Json await(const std::string& type) {
    Json found;
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, std::chrono::seconds(20), [&] {
      for (; !sent_.empty() && found.isNull(); sent_.pop_front()) {
        for (const auto& event : sent_.front()["events"].items()) {
          last_seq = event["seq"].asInteger();
          if (event["type"].asString() == type) {
            found = event["data"];
          }
        }
      }
      return !found.isNull();
    });
    return found;
  }
  [[nodiscard]] bool empty() const { return commands_.empty() && messages_.empty() && !lost; }

  std::function<void()> lost;
  std::function<void()> refused;
  std::int64_t last_seq = 0;

 private:
  std::map<std::string, serverlink::CommandHandler> commands_;
  std::map<std::string, serverlink::MessageHandler> messages_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<Json> sent_;
};

/// Keeps bulk jobs until the test takes them.
class HeldWorkers final : public IBulkWorkers {
 public:
  bool submit(Job job) override {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(std::move(job));
    came_.notify_all();
    return true;
  }
  /// Nothing when none comes.
  Job next() {
    std::unique_lock lock(mutex_);
    if (!came_.wait_for(lock, std::chrono::seconds(20), [this] { return !jobs_.empty(); })) {
      return nullptr;
    }
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<Job> jobs_;
};

class AgentCommandsTest : public ScriptedTest {
 protected:
  Json wanted(const std::string& script) {
    const auto words = scripted(script);
    return Json::object()
        .set("sessionId", "s")
        .set("threadId", "thr")
        .set("providerId", "mine")
        .set("cwd", directory_.path().string())
        .set("agent", Json::object()
                          .set("command", words[0])
                          .set("args", Json::Array(words.begin() + 1, words.end())));
  }
  static Json session() { return Json::object().set("sessionId", "s"); }

  PlayedLink link_;
  svc::test::FakeMainExecutor main_;
  svc::test::FakeClock clock_;
  svc::test::BulkThreads workers_;
  std::optional<AgentCommands> commands_;

  void SetUp() override { begin(workers_); }
  void begin(IBulkWorkers& workers, const char* runs = "runs") {
    commands_.emplace(link_, main_, workers, clock_,
                      AgentCommands::Options{.own = base::currentEnvironment(),
                                             .bin = "/nonexistent",
                                             .runs = directory_.path() / runs,
                                             .pictures = directory_.path() / "pictures",
                                             .skills = directory_.path() / "skills",
                                             .version = "1"});
  }
};

namespace wire = hostprotocol::command;

TEST_F(AgentCommandsTest, AThreadTalksToItsAgentAcrossALostConnection) {
  const auto opened = link_.ask(
      wire::kAgentOpen,
      wanted(
          R"({"turns":[[{"text":"one"},{"request":{"method":"session/request_permission","params":{"toolCall":{"toolCallId":"c","title":"x"},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}},"say":true}]]})"));
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  ASSERT_TRUE(link_
                  .ask(wire::kAgentPrompt,
                       session()
                           .set("turnId", "t1")
                           .set("prompt",
                                Json::Array{Json::object().set("type", "text").set("text", "hi")}))
                  .ok());
  const auto question = link_.await("question/asked");
  ASSERT_FALSE(question.isNull());
  link_.tell(hostprotocol::to_daemon::kAgentAck, session().set("seq", link_.last_seq));
  link_.lost();
  const auto resumed =
      link_.ask(wire::kAgentResume,
                Json::object().set("sessions", Json::Array{session().set("seq", link_.last_seq)}));
  EXPECT_THAT(resumed.value(), HasSubstr(R"("state":"running")"));
  EXPECT_EQ(link_.await("question/asked")["questionId"], question["questionId"]);
  ASSERT_TRUE(
      link_
          .ask(wire::kAgentAnswer,
               session().set("questionId", question["questionId"]).set("decision", "allow_once"))
          .ok());
  EXPECT_EQ(link_.await("turn/completed")["status"].asString(), "completed");
  EXPECT_EQ(link_.ask(wire::kAgentClose, session()).value(), R"({"closed":true})");
  EXPECT_EQ(link_.await("session/ended")["reason"].asString(), "closed");
}

TEST_F(AgentCommandsTest, ARefusedMachineEndsEveryAgent) {
  ASSERT_TRUE(link_.ask(wire::kAgentOpen, wanted("{}")).ok());
  link_.refused();
  EXPECT_EQ(link_.await("session/ended")["message"].asString(),
            "the server has refused this machine");
}

TEST_F(AgentCommandsTest, DrainEndsEveryAgent) {
  ASSERT_TRUE(link_.ask(wire::kAgentOpen, wanted(R"({"turns":[[{"silence":true}]]})")).ok());
  ASSERT_FALSE(std::filesystem::is_empty(directory_.path() / "runs"));
  bool drained = false;
  commands_->drain([&](const Status& status) { drained = status.ok(); });
  EXPECT_EQ(link_.await("session/ended")["reason"].asString(), "closed");
  while (!drained) {
    (void)main_.runAll();
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path() / "runs"));
  commands_.reset();
  EXPECT_TRUE(link_.empty());
}

TEST_F(AgentCommandsTest, AnAgentThatIsBeingStartedDoesNotOutliveTheAgents) {
  HeldWorkers workers;
  begin(workers, "held");
  // What is done at every start: programs and skills that were left behind.
  for (int job = 0; job < 2; ++job) {
    auto tidying = workers.next();
    ASSERT_TRUE(tidying);
    tidying({});
  }
  std::optional<Result<std::string>> answer;
  link_.command(wire::kAgentOpen, wanted(R"({"turns":[[{"silence":true}]]})"),
                [&](Result<std::string> result) { answer = std::move(result); });
  auto start = workers.next();
  ASSERT_TRUE(start);
  commands_.reset();
  start({});
  const std::filesystem::directory_iterator run(directory_.path() / "held");
  ASSERT_NE(run, std::filesystem::directory_iterator());
  const auto mark = run->path().filename().string();
  start = nullptr;
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->error().code, errc::kAborted);
  EXPECT_TRUE(base::processesMarked(mark).empty());
}

}  // namespace
}  // namespace svc::agentd
