#include "agents.h"

#include <sys/stat.h>

#include <map>
#include <optional>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "svc/base/marked_processes.h"
#include "svc/common/codes.h"
#include "svc/hostprotocol/agent_limits.h"
#include "svc/skillfiles/tree_transfer.h"

#include "fakes/bulk_threads.h"
#include "fakes/fake_clock.h"
#include "scripted.h"

namespace svc::agentd {
namespace {

using common::Json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AgentsTest : public ScriptedTest {
 protected:
  using Command = void (Agents::*)(const std::string&, Completion<std::string>);

  void TearDown() override {
    bool stopped = false;
    agents_->shutDown([&](const Status&) { stopped = true; });
    until([&] { return stopped; });
  }
  Result<std::string> ask(Command command, const Json& text) {
    std::optional<Result<std::string>> answer;
    (agents_.get()->*command)(text.dump(),
                              [&](Result<std::string> result) { answer = std::move(result); });
    until([&] { return answer.has_value(); });
    return *answer;
  }
  static Json of(const std::string& id) { return Json::object().set("sessionId", id); }
  Json wanted(const std::string& id, const std::string& script) {
    auto words = scripted(script);
    auto args = Json::array();
    for (std::size_t at = 1; at < words.size(); ++at) {
      args.push(words[at]);
    }
    return of(id)
        .set("threadId", "thr_" + id)
        .set("providerId", "mine")
        .set("cwd", directory_.path().string())
        .set("mcpServers", Json::array())
        .set("agent", Json::object()
                          .set("command", words[0])
                          .set("args", args)
                          .set("env", Json::object().set("KEY", "value")))
        .set("env", Json::object().set("SVC_THREAD_ID", "thr_" + id));
  }
  Result<std::string> open(const std::string& id, const std::string& script) {
    return ask(&Agents::open, wanted(id, script));
  }
  Result<std::string> prompt(const std::string& id, const std::string& turn) {
    return ask(
        &Agents::prompt,
        of(id)
            .set("turnId", turn)
            .set("prompt", Json::Array{Json::object().set("type", "text").set("text", "x")}));
  }
  Result<std::string> resume(const std::vector<std::pair<std::string, std::int64_t>>& known) {
    auto sessions = Json::array();
    for (const auto& [id, seq] : known) {
      sessions.push(of(id).set("seq", seq));
    }
    return ask(&Agents::resume, Json::object().set("sessions", std::move(sessions)));
  }
  void acknowledge(const std::string& id, std::int64_t seq) {
    agents_->acknowledge(of(id).set("seq", seq).dump());
  }
  void heardOf(const std::string& text) {
    const auto message = Json::parse(text).value();
    for (const auto& event : message["events"].items()) {
      events_[message["sessionId"].asString()].push_back(event);
    }
  }
  std::vector<Json> told(const std::string& id, const std::string& type) {
    std::vector<Json> found;
    for (const auto& event : events_[id]) {
      if (event["type"].asString() == type) {
        found.push_back(event);
      }
    }
    return found;
  }
  Json untilTold(const std::string& id, const std::string& type, std::size_t times = 1) {
    until([&] { return told(id, type).size() >= times; });
    const auto found = told(id, type);
    return found.size() < times ? Json() : found[times - 1]["data"];
  }
  std::string said(const std::string& id) {
    std::string text;
    for (const auto& delta : told(id, "item/delta")) {
      text += delta["data"]["text"].asString();
    }
    return text;
  }
  std::int64_t last(const std::string& id) {
    return events_[id].empty() ? 0 : events_[id].back()["seq"].asInteger();
  }
  std::size_t marks() const {
    std::size_t count = 0;
    std::error_code ignored;
    for ([[maybe_unused]] const auto& each :
         std::filesystem::directory_iterator(directory_.path() / "runs", ignored)) {
      ++count;
    }
    return count;
  }
  std::shared_ptr<AgentStarter> makeStarter() {
    auto own = base::currentEnvironment();
    own["SHELL"] = "/bin/sh";
    own["SECRET_OF_DAEMON"] = "x";
    return std::make_shared<AgentStarter>(std::move(own), "/nonexistent",
                                          directory_.path() / "runs");
  }

  /// The one skill that the server has.
  Json oneSkill() {
    directory_.write("server/review/SKILL.md", "how to review");
    const auto from = directory_.path() / "server/review";
    const auto tree = skillfiles::readTree(from).value().tree;
    packed_ = skillfiles::packTree(from, tree).value();
    return Json::Array{
        Json::object().set("name", "review").set("description", "About").set("tree", tree.digest)};
  }
  void fetch(const std::filesystem::path& file, Completion<void> done) {
    if (silent_server_) {
      unanswered_.push_back(std::move(done));
      return;
    }
    std::ofstream(file) << packed_;
    done(packed_.empty() ? Status(Error{errc::kNotFound, "there is no such tree"}) : Status());
  }

  std::string packed_;
  bool silent_server_ = false;
  std::vector<Completion<void>> unanswered_;
  std::map<std::string, std::vector<Json>> events_;
  svc::test::FakeClock clock_;
  std::shared_ptr<AgentStarter> starter_ = makeStarter();
  std::shared_ptr<Providers> providers_ = std::make_shared<Providers>(starter_, clock_);
  svc::test::BulkThreads workers_;
  std::shared_ptr<Agents> agents_ = std::make_shared<Agents>(Agents::Surroundings{
      .io = io_,
      .workers = workers_,
      .starter = starter_,
      .providers = providers_,
      .skills = std::make_shared<SkillFolders>(
          directory_.path() / "skills",
          SkillFolders::With{.io = io_,
                             .workers = workers_,
                             .fetch = [this](const auto& /*tree*/, const auto& file, auto /*limit*/,
                                             auto done) { fetch(file, std::move(done)); }}),
      .send = [this](const std::string& text) { heardOf(text); },
      .server_url = [] { return std::string("http://server"); },
      .now_ms = [] { return 1234; },
      .after = [this](auto delay, Task task) { return timers_.after(delay, std::move(task)); },
      .version = "1.0.0"});
};

TEST_F(AgentsTest, AnAgentRunsAsItsUserWouldStartIt) {
  const auto opened = open(
      "a",
      R"({"turns":[[{"env":["KEY","SVC_THREAD_ID","SVC_SERVER_URL","SECRET_OF_DAEMON"]},{"cwd":true}]]})");
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(Json::parse(opened.value()).value()["providerThreadId"].asString(), "scripted-session");
  EXPECT_EQ(marks(), 1U);
  ASSERT_TRUE(prompt("a", "t1").ok());
  EXPECT_EQ(untilTold("a", "turn/completed")["status"].asString(), "completed");
  EXPECT_EQ(said("a"),
            "KEY=value\nSVC_THREAD_ID=thr_a\nSVC_SERVER_URL=http://server\nSECRET_OF_DAEMON=" +
                std::filesystem::canonical(directory_.path()).string());
}

TEST_F(AgentsTest, CommandsForNobodyAndNonsenseAreRefused) {
  for (const auto command : {&Agents::prompt, &Agents::answer, &Agents::set}) {
    EXPECT_EQ(ask(command, of("none")).error().code, errc::kNotFound);
  }
  EXPECT_EQ(ask(&Agents::cancel, of("none")).value(), R"({"cancelled":false})");
  EXPECT_EQ(ask(&Agents::close, of("none")).value(), R"({"closed":false})");
  EXPECT_EQ(ask(&Agents::open, of("a")).error().code, errc::kInvalidInput);
  EXPECT_EQ(ask(&Agents::resume, Json::object()).error().code, errc::kInvalidInput);
  EXPECT_EQ(ask(&Agents::open, wanted("a", "{}").set("cwd", "/nonexistent/x")).error().code,
            errc::kUnknownPath);
  EXPECT_EQ(ask(&Agents::open,
                wanted("b", "{}").set("agent", Json::object().set("command", "no-such-agent")))
                .error()
                .code,
            errc::kConflict);
  const auto unknown = ask(&Agents::open, wanted("c", "{}").set("agent", nullptr));
  EXPECT_THAT(unknown.error().message, HasSubstr("agents.mine.command"));
  for (const auto* text : {"", "[]", "{", R"({"sessionId":1})", R"({"sessionId":"a","seq":-1})"}) {
    agents_->acknowledge(text);
  }
  EXPECT_EQ(marks(), 0U);
}

constexpr const char* kTakesFolders =
    R"({"capabilities":{"sessionCapabilities":{"additionalDirectories":{}}}})";

TEST_F(AgentsTest, SkillsOfTheServerAreAFolderAsLongAsTheirSessionLives) {
  const auto opened = ask(&Agents::open, wanted("a", kTakesFolders).set("skills", oneSkill()));
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  const auto folder = Json::parse(opened.value()).value()["skillsDirectory"].asString();
  EXPECT_TRUE(std::filesystem::exists(folder + "/review/SKILL.md"));
  const auto begun = heard()[1];
  ASSERT_EQ(begun["method"].asString(), "session/new");
  EXPECT_EQ(begun["params"]["additionalDirectories"].items()[0].asString(), folder);
  ASSERT_TRUE(ask(&Agents::close, of("a")).ok());
  untilTold("a", "session/ended");
  until([&] { return marks() == 0; });
  workers_.wait();
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(AgentsTest, WithoutItsSkillsASessionBeginsAndSaysSo) {
  auto skills = oneSkill();
  packed_.clear();
  const auto opened = ask(&Agents::open, wanted("a", "{}").set("skills", skills));
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_TRUE(Json::parse(opened.value()).value()["skillsDirectory"].isNull());
  EXPECT_THAT(untilTold("a", "provider/warning")["details"].asString(),
              HasSubstr("there is no such tree"));
  silent_server_ = true;
  std::optional<Result<std::string>> late;
  agents_->open(wanted("b", "{}").set("skills", skills).dump(),
                [&](Result<std::string> result) { late = std::move(result); });
  until([&] { return !unanswered_.empty(); });
  EXPECT_EQ(timers_.fire(limits::kAgentSkillsWait), 1);
  until([&] { return late.has_value(); });
  ASSERT_TRUE(late->ok());
  EXPECT_THAT(untilTold("b", "provider/warning")["details"].asString(),
              HasSubstr("agentSkillsWait"));
}

TEST_F(AgentsTest, ASessionThatIsClosedWhileItsSkillsComeEnds) {
  silent_server_ = true;
  std::optional<Result<std::string>> answer;
  agents_->open(wanted("a", "{}").set("skills", oneSkill()).dump(),
                [&](Result<std::string> result) { answer = std::move(result); });
  until([&] { return !unanswered_.empty(); });
  EXPECT_EQ(ask(&Agents::close, of("a")).value(), R"({"closed":true})");
  until([&] { return answer.has_value(); });
  EXPECT_FALSE(answer->ok());
}

TEST_F(AgentsTest, ASessionIdIsUsedOnce) {
  ASSERT_TRUE(open("a", "{}").ok());
  EXPECT_EQ(open("a", "{}").error().code, errc::kConflict);
}

TEST_F(AgentsTest, AfterALostConnectionNothingIsLostAndOpenItemsComeWhole) {
  ASSERT_TRUE(
      open(
          "a",
          R"({"turns":[[{"text":"one "},{"request":{"method":"session/request_permission","params":{"toolCall":{"toolCallId":"c","title":"x"},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}}},
    {"text":"two "},{"request":{"method":"session/request_permission","params":{"toolCall":{"toolCallId":"d","title":"z"},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}}},{"text":"end"}]]})")
          .ok());
  ASSERT_TRUE(prompt("a", "t1").ok());
  const auto first = untilTold("a", "question/asked");
  const auto seq = last("a");
  acknowledge("a", seq);
  agents_->sessionLost();
  const auto answer = [this](const Json& question) {
    return ask(&Agents::answer,
               of("a").set("questionId", question["questionId"]).set("decision", "allow_once"))
        .ok();
  };
  // As if the answer had been on its way when the connection was lost.
  ASSERT_TRUE(answer(first));
  events_.clear();
  until([&] { return heard().back()["method"].isNull(); });
  settle();
  EXPECT_THAT(events_, IsEmpty());
  const auto resumed = Json::parse(resume({{"a", seq}, {"gone", 5}}).value()).value();
  ASSERT_EQ(resumed["sessions"].items().size(), 1U);
  EXPECT_EQ(resumed["sessions"].items()[0]["state"].asString(), "running");
  EXPECT_EQ(resumed["sessions"].items()[0]["turnId"].asString(), "t1");
  const auto second = untilTold("a", "question/asked");
  EXPECT_NE(second["questionId"], first["questionId"]);
  for (const auto& event : events_["a"]) {
    EXPECT_GT(event["seq"].asInteger(), seq);
  }
  ASSERT_TRUE(answer(second));
  untilTold("a", "turn/completed");
  std::vector<std::string> texts;
  for (const auto& event : told("a", "item/completed")) {
    if (event["data"]["item"]["type"].asString() == "agentMessage") {
      texts.push_back(event["data"]["item"]["text"].asString());
    }
  }
  EXPECT_THAT(texts, ElementsAre("two ", "end"));
}

// Twice is worse than not at all: what an agent does has effects.
TEST_F(AgentsTest, AMessageThatOneSessionHasHadIsGivenToNoOther) {
  ASSERT_TRUE(open("a", R"({"turns":[[{"text":"one"}]]})").ok());
  ASSERT_TRUE(prompt("a", "t1").ok());
  untilTold("a", "turn/completed");
  ASSERT_TRUE(open("b", R"({"turns":[[{"text":"two"}]]})").ok());
  EXPECT_TRUE(prompt("a", "t1").ok()) << "the answer is said again";
  const auto refused = prompt("b", "t1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr("has had this message"));
  EXPECT_TRUE(prompt("b", "t2").ok());
  EXPECT_EQ(untilTold("b", "turn/completed")["turnId"].asString(), "t2");
}

TEST_F(AgentsTest, AServerThatHasRestartedGetsWhatIsOpenWhole) {
  ASSERT_TRUE(
      open(
          "a",
          R"({"turns":[[{"text":"Hello"},{"request":{"method":"wait","params":{}}},{"text":" you"},{"untilCancelled":true}]]})")
          .ok());
  ASSERT_TRUE(prompt("a", "t1").ok());
  until([&] { return said("a") == "Hello you"; });
  acknowledge("a", last("a"));
  const auto seq = last("a");
  agents_->sessionLost();
  events_.clear();
  ASSERT_TRUE(resume({{"a", seq}}).ok());
  const auto again = untilTold("a", "item/started");
  EXPECT_EQ(again["item"]["text"].asString(), "Hello you");
  EXPECT_EQ(again["length"].asInteger(), 9);
  EXPECT_EQ(ask(&Agents::cancel, of("a")).value(), R"({"cancelled":true})");
  EXPECT_EQ(untilTold("a", "turn/completed")["status"].asString(), "interrupted");
}

TEST_F(AgentsTest, AQuestionThatWaitsIsAskedAgainInTheNextConnection) {
  ASSERT_TRUE(
      open(
          "a",
          R"({"turns":[[{"request":{"method":"session/request_permission","params":{"toolCall":{"toolCallId":"c","title":"x"},"options":[]}}}]]})")
          .ok());
  ASSERT_TRUE(prompt("a", "t1").ok());
  const auto asked = untilTold("a", "question/asked");
  acknowledge("a", last("a"));
  agents_->sessionLost();
  events_.clear();
  ASSERT_TRUE(resume({{"a", 3}}).ok());
  EXPECT_EQ(untilTold("a", "question/asked")["questionId"], asked["questionId"]);
}

TEST_F(AgentsTest, AnEndIsToldUntilItIsStored) {
  ASSERT_TRUE(open("a", R"({"turns":[[{"exit":3}]]})").ok());
  ASSERT_TRUE(prompt("a", "t1").ok());
  EXPECT_EQ(untilTold("a", "session/ended")["exitCode"].asInteger(), 3);
  EXPECT_EQ(marks(), 0U);
  agents_->sessionLost();
  events_.clear();
  EXPECT_THAT(resume({{"a", 0}}).value(), HasSubstr(R"("state":"ended")"));
  untilTold("a", "session/ended");
  acknowledge("a", last("a"));
  agents_->sessionLost();
  EXPECT_EQ(resume({{"a", 0}}).value(), R"({"sessions":[]})");
  EXPECT_EQ(prompt("a", "t2").error().code, errc::kNotFound);
  EXPECT_TRUE(open("a", "{}").ok()) << "it is forgotten";
}

TEST_F(AgentsTest, WhatTheServerDoesNotNameIsEnded) {
  ASSERT_TRUE(open("a", "{}").ok());
  agents_->sessionLost();
  EXPECT_EQ(resume({}).value(), R"({"sessions":[]})");
  until([&] { return marks() == 0; });
}

TEST_F(AgentsTest, AServerThatStoresNothingMakesTheAgentWait) {
  const std::string text(1000, 'x');
  ASSERT_TRUE(
      open("a",
           fmt::format(
               R"({{"turns":[[{{"repeat":{{"times":20000,"steps":[{{"text":"{}"}}]}}}}]]}})", text))
          .ok());
  ASSERT_TRUE(prompt("a", "t1").ok());
  until([&] { return said("a").size() > limits::kAgentUnacknowledged / 2; });
  for (int turn = 0; turn < 20; ++turn) {
    io_->restart();
    io_->run_for(std::chrono::milliseconds(10));
  }
  const auto stuck = said("a").size();
  EXPECT_LT(stuck, 2 * limits::kAgentUnacknowledged);
  acknowledge("a", last("a"));
  until([&] { return said("a").size() > stuck; });
}

TEST_F(AgentsTest, ClosingWhileItStartsLeavesNothing) {
  std::optional<Result<std::string>> opened;
  agents_->open(wanted("a", "{}").dump(),
                [&](Result<std::string> result) { opened = std::move(result); });
  EXPECT_EQ(ask(&Agents::close, of("a")).value(), R"({"closed":true})");
  until([&] { return opened.has_value(); });
  EXPECT_EQ(opened->error().code, errc::kAborted);
  EXPECT_EQ(untilTold("a", "session/ended")["reason"].asString(), "closed");
  until([&] { return marks() == 0; });
}

TEST_F(AgentsTest, WhatIsSaidToADaemonThatStopsIsHadByNoAgent) {
  ASSERT_TRUE(open("a", R"({"turns":[[{"text":"one"}]]})").ok());
  std::optional<Result<std::string>> opening;
  agents_->open(
      wanted(
          "b",
          R"({"capabilities":{"loadSession":true},"on":{"session/load":[{"stderr":"loading\n"},{"silence":true}]}})")
          .set("resume", "old")
          .dump(),
      [&](Result<std::string> result) { opening = std::move(result); });
  until([&] {
    const auto all = heard();
    return !all.empty() && all.back()["method"].asString() == "session/load";
  });
  bool stopped = false;
  agents_->shutDown([&](const Status&) { stopped = true; });
  ASSERT_TRUE(opening.has_value());
  EXPECT_EQ(opening->error().code, errc::kHostUnavailable) << "the next daemon opens it";
  EXPECT_EQ(opening->error().details, "") << "its session may well go on";
  EXPECT_EQ(prompt("a", "t1").error().code, errc::kNotFound) << "also before its agent has gone";
  EXPECT_EQ(open("c", "{}").error().code, errc::kHostUnavailable);
  until([&] { return stopped; });
  EXPECT_EQ(prompt("a", "t2").error().code, errc::kNotFound);
  EXPECT_EQ(untilTold("a", "session/ended")["reason"].asString(), "closed");
  EXPECT_THAT(told("a", "turn/started"), IsEmpty());
}

TEST_F(AgentsTest, ABusyMachineStartsNone) {
  workers_.full = true;
  EXPECT_EQ(open("a", "{}").error().code, errc::kOverloaded);
  EXPECT_EQ(ask(&Agents::listProviders, Json::object()).error().code, errc::kOverloaded);
  workers_.full = false;
}

TEST_F(AgentsTest, WhatAKilledDaemonHasLeftIsEnded) {
  const auto mark = base::randomHex(16);
  const auto runs = directory_.write("runs/" + mark, "");
  directory_.write("runs/notes.txt", "");
  auto environment = base::currentEnvironment();
  environment[base::kProcessMark] = mark;
  auto left = base::spawn({.argv = {"sleep", "1000"}, .environment = environment});
  ASSERT_TRUE(left.ok());
  makeStarter()->endLeftovers();
  EXPECT_TRUE(left.value().awaitEnd(std::chrono::seconds(20)));
  EXPECT_FALSE(std::filesystem::exists(runs));
  EXPECT_TRUE(std::filesystem::exists(directory_.path() / "runs/notes.txt"));
}

class ProvidersTest : public AgentsTest {
 protected:
  std::string program(const std::string& name, const std::string& text) {
    const auto file = directory_.write("bin/" + name, "#!/bin/sh\n" + text + "\n");
    ::chmod(file.c_str(), 0700);
    return file.string();
  }
  std::map<std::string, Json> list(const Json& agents = Json::object()) {
    const auto answer = ask(&Agents::listProviders, Json::object().set("agents", agents));
    EXPECT_TRUE(answer.ok());
    const auto listed = Json::parse(answer.value()).value();
    std::map<std::string, Json> by_id;
    for (const auto& provider : listed["providers"].items()) {
      by_id[provider["id"].asString()] = provider;
    }
    return by_id;
  }
};

TEST_F(ProvidersTest, PresetsThatAreNotThereSayHowToHaveThem) {
  const auto listed = list();
  EXPECT_EQ(listed.size(), presets().size());
  const auto& vibe = listed.at("vibe");
  EXPECT_FALSE(vibe["available"].asBool());
  EXPECT_THAT(vibe["unavailableReason"].asString(), HasSubstr("vibe-acp"));
  EXPECT_TRUE(vibe["version"].isNull());
  EXPECT_EQ(listed.at("gemini")["modes"].dump(), R"({"ask":"default","all":"yolo"})");
  EXPECT_EQ(listed.at("goose")["modes"]["ask"], Json());
  EXPECT_THAT(listed.at("claude")["installHint"].asString(), HasSubstr("npm install"));
}

TEST_F(ProvidersTest, ConfiguredAgentsAreMergedAndAskedForTheirVersionOnce) {
  const auto mine = program("mine", "echo x >> \"$TRACE\"; echo 'mine version v1.2.3-rc.1 (abc)'");
  const auto silent = program("silent", "echo; exit 1");
  const auto trace = (directory_.path() / "trace").string();
  const auto configured = Json::object()
                              .set("mine", Json::object()
                                               .set("command", mine)
                                               .set("displayName", "Mine")
                                               .set("env", Json::object().set("TRACE", trace)))
                              .set("claude", Json::object().set("command", silent))
                              .set("nowhere", Json::object().set("command", "/nonexistent/agent"));
  auto listed = list(configured);
  EXPECT_EQ(listed["mine"]["displayName"].asString(), "Mine");
  EXPECT_TRUE(listed["mine"]["available"].asBool());
  EXPECT_EQ(listed["mine"]["version"].asString(), "1.2.3-rc.1");
  EXPECT_EQ(listed["mine"]["program"].asString(), mine);
  EXPECT_EQ(listed["claude"]["displayName"].asString(), "Claude Code");
  EXPECT_TRUE(listed["claude"]["available"].asBool());
  EXPECT_TRUE(listed["claude"]["version"].isNull());
  EXPECT_EQ(listed["claude"]["modes"]["all"].asString(), "bypassPermissions");
  EXPECT_FALSE(listed["nowhere"]["available"].asBool());
  listed = list(configured);
  EXPECT_EQ(listed["mine"]["version"].asString(), "1.2.3-rc.1");
  EXPECT_EQ(std::filesystem::file_size(trace), 2U) << "the second time it is known";
  EXPECT_EQ(ask(&Agents::listProviders, Json::parse(R"({"agents":{"x":{}}})").value()).error().code,
            errc::kInvalidInput);
}

TEST_F(ProvidersTest, SessionsTellWhetherSomebodyIsSignedIn) {
  const auto configured = Json::object().set("mine", Json::object().set("command", "/bin/true"));
  EXPECT_EQ(list(configured)["mine"]["signIn"].asString(), "unknown");
  EXPECT_EQ(open("a", R"({"on":{"session/new":[{"error":{"code":-32000,"message":"sign in"}}]}})")
                .error()
                .code,
            errc::kUnauthorized);
  EXPECT_EQ(untilTold("a", "session/ended")["reason"].asString(), "auth-required");
  EXPECT_EQ(list(configured)["mine"]["signIn"].asString(), "required");
  ASSERT_TRUE(open("b", "{}").ok());
  EXPECT_EQ(list(configured)["mine"]["signIn"].asString(), "signed-in");
}

TEST(VersionInTest, FindsTheFirstThatLooksLikeOne) {
  EXPECT_EQ(versionIn("codex-cli 0.166.0\n"), "0.166.0");
  EXPECT_EQ(versionIn("2.1.318 (Claude Code)"), "2.1.318");
  EXPECT_EQ(versionIn("v22 of 3 things: 1.0"), "1.0");
  EXPECT_EQ(versionIn("no 5. version"), "");
  EXPECT_EQ(versionIn(""), "");
}

}  // namespace
}  // namespace svc::agentd
