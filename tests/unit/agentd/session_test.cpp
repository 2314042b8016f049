#include "session.h"

#include <optional>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "svc/common/codes.h"
#include "svc/hostprotocol/agent_limits.h"

#include "scripted.h"

namespace svc::agentd {
namespace {

using common::Json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SessionTest : public ScriptedTest {
 protected:
  void TearDown() override {
    if (session_ && !exit_) {
      session_->close();
      until([this] { return exit_.has_value(); });
    }
  }

  SessionRequest request() const {
    return {.session_id = "s",
            .thread_id = "thr",
            .provider_id = "scripted",
            .cwd = directory_.path().string(),
            .mcp_servers = Json::array()};
  }
  Result<Json> open(const std::string& script) { return open(script, request()); }
  Result<Json> open(const std::string& script, SessionRequest wanted) {
    begin(script, std::move(wanted));
    until([this] { return opened_.has_value(); });
    return *opened_;
  }
  void begin(const std::string& script, SessionRequest wanted) {
    session_ = std::make_shared<Session>(
        std::move(wanted), ModeNames{.ask = "default", .edits = "auto-edit", .all = "yolo"},
        SessionServices{
            .after = [this](auto delay,
                            Task task) { return timers_.after(delay, std::move(task)); },
            .now_ms = [this] { return ++now_; },
            .version = "1.2.3",
            .tell = [this](AgentEvent event) { events_.push_back(std::move(event)); }});
    auto spawned = spawnAgent({.argv = scripted(script),
                               .environment = base::currentEnvironment(),
                               .cwd = directory_.path(),
                               .mark = base::randomHex(8)});
    ASSERT_TRUE(spawned.ok()) << spawned.error().message;
    auto process =
        AgentProcess::follow(*io_, std::move(spawned).value(),
                             {.lines = [this](const auto& lines) { session_->onLines(lines); },
                              .broken = [this](const auto& why) { session_->onBroken(why); },
                              .ended =
                                  [this](const AgentExit& exit) {
                                    exit_ = exit;
                                    session_->onExit(exit);
                                  }});
    pid_ = process->pid();
    session_->open(std::move(process),
                   [this](Result<Json> result) { opened_ = std::move(result); });
  }
  void prompt(const std::string& turn, const std::string& text = "hello") {
    const auto status =
        session_->prompt(Json::object().set("turnId", turn).set("prompt", blocks(text)));
    ASSERT_TRUE(status.ok()) << status.error().message;
  }
  static Json blocks(const std::string& text) {
    return Json::Array{Json::object().set("type", "text").set("text", text)};
  }
  std::vector<const AgentEvent*> all(const std::string& type) const {
    std::vector<const AgentEvent*> found;
    for (const auto& event : events_) {
      if (event.type == type) {
        found.push_back(&event);
      }
    }
    return found;
  }
  const Json& untilTold(const std::string& type, std::size_t times = 1) {
    until([&] { return all(type).size() >= times; });
    static const Json kNone;
    return all(type).size() < times ? kNone : all(type)[times - 1]->data;
  }
  /// Texts of the agent so far.
  std::string said() const {
    std::string text;
    for (const auto* delta : all("item/delta")) {
      text += delta->data["text"].asString();
    }
    return text;
  }

  std::int64_t now_ = 0;
  std::vector<AgentEvent> events_;
  std::optional<Result<Json>> opened_;
  std::optional<AgentExit> exit_;
  pid_t pid_ = 0;
  std::shared_ptr<Session> session_;
};

TEST_F(SessionTest, ATurnGoesFromPromptToEnd) {
  auto wanted = request();
  wanted.mcp_servers =
      Json::parse(R"([{"type":"http","name":"svc","url":"http://x","headers":[]}])").value();
  const auto opened = open(
      R"({"capabilities":{"mcpCapabilities":{"http":true}},"turns":[[{"text":"Hello you","split":2}]]})",
      wanted);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(opened.value()["state"].asString(), "idle");
  EXPECT_EQ(opened.value()["started"].asString(), "new");
  EXPECT_EQ(opened.value()["providerThreadId"].asString(), "scripted-session");
  prompt("t1");
  const auto& end = untilTold("turn/completed");
  EXPECT_EQ(end["status"].asString(), "completed");
  EXPECT_EQ(end["stopReason"].asString(), "end_turn");
  EXPECT_EQ(end["providerThreadId"].asString(), "scripted-session");
  EXPECT_EQ(said(), "Hello you");
  EXPECT_THAT(heardMethods(), ElementsAre("initialize", "session/new", "session/prompt"));
  const auto first = heard().front();
  const auto& capabilities = first["params"]["clientCapabilities"];
  EXPECT_FALSE(capabilities["fs"]["readTextFile"].asBool(true));
  EXPECT_FALSE(capabilities["terminal"].asBool(true));
  EXPECT_EQ(heard()[1]["params"]["mcpServers"], wanted.mcp_servers);
  EXPECT_EQ(heard()[2]["params"]["prompt"].dump(), R"([{"type":"text","text":"hello"}])");
  EXPECT_EQ(session_->state(), SessionState::kIdle);
  prompt("t2");
  untilTold("turn/completed", 2);
}

TEST_F(SessionTest, APromptThatIsSaidAgainIsOneTurn) {
  ASSERT_TRUE(open(R"({"turns":[[{"text":"Hello"}]]})").ok());
  prompt("t1");
  prompt("t1");
  untilTold("turn/completed");
  prompt("t1");
  EXPECT_EQ(all("turn/started").size(), 1U);
  EXPECT_THAT(heardMethods(), ElementsAre("initialize", "session/new", "session/prompt"));
}

TEST_F(SessionTest, AServerThatTheAgentCannotReachIsLeftOutAndTold) {
  auto wanted = request();
  wanted.mcp_servers =
      Json::parse(
          R"([{"type":"http","name":"svc","url":"http://x","headers":[]},{"name":"own","command":"x","args":[],"env":[]}])")
          .value();
  wanted.additional_directories = Json::Array{Json("/skills")};
  ASSERT_TRUE(open("{}", wanted).ok());
  EXPECT_EQ(heard()[1]["params"]["mcpServers"].items().size(), 1U);
  EXPECT_EQ(heard()[1]["params"].find("additionalDirectories"), nullptr);
  EXPECT_THAT(untilTold("provider/warning")["summary"].asString(), HasSubstr("svc"));
}

TEST_F(SessionTest, AnEarlierSessionIsResumedElseLoadedElseReplaced) {
  auto wanted = request();
  wanted.resume = "old";
  ASSERT_TRUE(open(R"({"capabilities":{"sessionCapabilities":{"resume":{}}}})", wanted).ok());
  EXPECT_THAT(heardMethods(), ElementsAre("initialize", "session/resume"));
  EXPECT_EQ(untilTold("thread/identity")["started"].asString(), "resumed");
  EXPECT_EQ(session_->describe()["providerThreadId"].asString(), "old");
  TearDown();
}

TEST_F(SessionTest, WhatIsReplayedWhenASessionIsLoadedIsNotToldAgain) {
  auto wanted = request();
  wanted.resume = "old";
  ASSERT_TRUE(open(R"({"capabilities":{"loadSession":true,"sessionCapabilities":{"resume":{}}},
    "on":{"session/resume":[{"error":{"code":-32603,"message":"gone"}}],
          "session/load":[{"text":"old words"},{"update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"plan","description":""}]}},{"answer":{}}]},
    "turns":[[{"text":"new"}]]})",
                   wanted)
                  .ok());
  EXPECT_EQ(untilTold("thread/identity")["started"].asString(), "loaded");
  EXPECT_EQ(session_->describe()["commands"].items().size(), 1U);
  prompt("t1");
  untilTold("turn/completed");
  EXPECT_EQ(said(), "new");
}

TEST_F(SessionTest, ASessionThatCannotGoOnBeginsAnewAndSaysSo) {
  auto wanted = request();
  wanted.resume = "old";
  ASSERT_TRUE(open(R"({"capabilities":{"loadSession":true},
    "on":{"session/load":[{"error":{"code":-32603,"message":"No previous sessions found"}}]}})",
                   wanted)
                  .ok());
  const auto& identity = untilTold("thread/identity");
  EXPECT_EQ(identity["started"].asString(), "replaced");
  EXPECT_THAT(identity["message"].asString(), HasSubstr("No previous sessions found"));
  EXPECT_EQ(session_->describe()["providerThreadId"].asString(), "scripted-session");
}

TEST_F(SessionTest, ASessionWhoseNameIsTooLongDoesNotBegin) {
  const auto begun =
      open(fmt::format(R"({{"on":{{"session/new":[{{"answer":{{"sessionId":"{}"}}}}]}}}})",
                       std::string(limits::kAgentSessionName + 1, 'x')));
  ASSERT_FALSE(begun.ok());
  EXPECT_THAT(begun.error().message, HasSubstr("1025 bytes (limit agentSessionName: 1024)"));
}

TEST_F(SessionTest, PermissionsWaitForAnAnswer) {
  const std::string script =
      R"({"turns":[[{"request":{"method":"session/request_permission","params":{
      "toolCall":{"toolCallId":"c","title":"rm x","kind":"execute","rawInput":{"command":"rm x"}},
      "options":[{"optionId":"ever","name":"Always","kind":"allow_always"},{"optionId":"once","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}},"say":true}]]})";
  ASSERT_TRUE(open(script).ok());
  const auto ask = [&](const std::string& turn, std::size_t times) {
    prompt(turn);
    return untilTold("question/asked", times);
  };
  const auto asked = ask("t1", 1);
  EXPECT_EQ(asked["payload"]["kind"].asString(), "approval");
  EXPECT_EQ(asked["payload"]["subject"]["command"].asString(), "rm x");
  EXPECT_EQ(asked["payload"]["availableDecisions"].dump(),
            R"(["allow_once","allow_for_session","deny"])");
  const auto answer = [&](const Json& to, const std::string& decision) {
    return session_->answer(
        Json::object().set("questionId", to["questionId"]).set("decision", decision));
  };
  EXPECT_EQ(answer(asked, "perhaps").error().code, errc::kInvalidInput);
  ASSERT_TRUE(answer(asked, "allow_for_session").ok());
  EXPECT_EQ(answer(asked, "deny").error().code, errc::kConflict) << "the first answer counts";
  untilTold("turn/completed");
  EXPECT_EQ(said(), R"({"outcome":{"outcome":"selected","optionId":"once"}})") << "never for ever";
  const auto denied = ask("t2", 2);
  ASSERT_TRUE(answer(denied, "deny").ok());
  untilTold("turn/completed", 2);
  EXPECT_THAT(said(), HasSubstr(R"("optionId":"no")"));
  EXPECT_THAT(all("question/withdrawn"), IsEmpty());
}

TEST_F(SessionTest, ACancelEndsTheTurnAndAnswersWhatIsOpen) {
  ASSERT_TRUE(
      open(
          R"({"turns":[[{"text":"a"},{"request":{"method":"session/request_permission","params":{"toolCall":{"toolCallId":"c","title":"x"},"options":[]}}},
    {"update":{"sessionUpdate":"tool_call","toolCallId":"d","title":"late"}},{"untilCancelled":true}]]})")
          .ok());
  EXPECT_FALSE(session_->cancel()) << "nothing runs";
  prompt("t1");
  untilTold("question/asked");
  EXPECT_TRUE(session_->cancel());
  EXPECT_EQ(untilTold("question/withdrawn")["reason"].asString(), "cancelled");
  const auto& end = untilTold("turn/completed");
  EXPECT_EQ(end["status"].asString(), "interrupted");
  EXPECT_THAT(heardMethods(), Contains("session/cancel"));
  bool answered = false;
  for (const auto& message : heard()) {
    answered = answered || message["result"]["outcome"]["outcome"].asString() == "cancelled";
  }
  EXPECT_TRUE(answered);
  for (const auto* item : all("item/completed")) {
    EXPECT_NE(item->data["item"]["status"].asString(), "pending");
  }
  EXPECT_EQ(session_->state(), SessionState::kIdle);
}

TEST_F(SessionTest, AnAgentThatDoesNotStopIsEnded) {
  ASSERT_TRUE(open(R"({"ignoresCancel":true,"turns":[[{"text":"a"},{"silence":true}]]})").ok());
  prompt("t1");
  untilTold("item/delta");
  EXPECT_TRUE(session_->cancel());
  EXPECT_EQ(timers_.fire(limits::kAgentCancel), 1);
  EXPECT_EQ(untilTold("turn/completed")["status"].asString(), "interrupted");
  const auto& end = untilTold("session/ended");
  EXPECT_EQ(end["reason"].asString(), "failed");
  EXPECT_THAT(end["message"].asString(), HasSubstr("agentCancel"));
  EXPECT_FALSE(alive(pid_));
}

TEST_F(SessionTest, StopReasonsAndErrorsEndTurns) {
  ASSERT_TRUE(
      open(
          R"({"turns":[[{"answer":{"stopReason":"refusal"}}],[{"answer":{"stopReason":"max_tokens"}}],
    [{"error":{"code":-32603,"message":"Internal error","data":{"details":"model is down"}}}],[{"error":{"code":-32000,"message":"sign in"}}],[{"answer":{"stopReason":"new_in_v3"}}],[{"answer":{}}]]})")
          .ok());
  const auto end = [this](std::size_t turn) {
    prompt(fmt::format("t{}", turn));
    return untilTold("turn/completed", turn);
  };
  EXPECT_EQ(end(1)["error"]["code"].asString(), "refusal");
  EXPECT_EQ(end(2)["status"].asString(), "failed");
  EXPECT_EQ(end(3)["error"]["message"].asString(), "Internal error: model is down");
  EXPECT_EQ(end(4)["error"]["code"].asString(), "unauthorized");
  EXPECT_EQ(untilTold("provider/error", 2)["errorInfo"]["category"].asString(), "unauthorized");
  EXPECT_EQ(end(5)["status"].asString(), "completed");
  EXPECT_EQ(end(6)["status"].asString(), "completed");
}

TEST_F(SessionTest, UnknownRequestsAreRefusedAndTheRestIsIgnored) {
  ASSERT_TRUE(open(R"({"first":[{"send":{"method":"_auth/status_update","params":{}}}],
    "turns":[[{"request":{"method":"craft/drainMidTurnQueue","params":{}},"say":true},{"request":{"method":"fs/read_text_file","params":{"path":"/etc/passwd"}},"say":true},
    {"send":{"id":999,"result":{}}},{"send":{"method":"session/update"}},{"raw":"garbage\n{}\n[1]\n"},{"update":{"sessionUpdate":"of_tomorrow"}}]]})")
                  .ok());
  prompt("t1");
  EXPECT_EQ(untilTold("turn/completed")["status"].asString(), "completed");
  EXPECT_THAT(said(), HasSubstr("-32601"));
  EXPECT_THAT(said(), Not(HasSubstr("content")));
}

TEST_F(SessionTest, GarbageWithoutEndIsTheEnd) {
  ASSERT_TRUE(
      open(R"({"turns":[[{"repeat":{"times":200,"steps":[{"raw":"Debugger listening on…\n"}]}}]]})")
          .ok());
  prompt("t1");
  const auto& end = untilTold("session/ended");
  EXPECT_THAT(end["message"].asString(), HasSubstr("Debugger listening"));
  EXPECT_EQ(untilTold("turn/completed")["status"].asString(), "failed");
}

TEST_F(SessionTest, ALineThatIsTooLongIsTheEnd) {
  ASSERT_TRUE(open(fmt::format(R"({{"turns":[[{{"filler":{}}},{{"silence":true}}]]}})",
                               limits::kAgentLine + 1))
                  .ok());
  prompt("t1");
  EXPECT_THAT(untilTold("session/ended")["message"].asString(), HasSubstr("agentLine"));
}

TEST_F(SessionTest, DeathAtStartSaysItsLastWords) {
  const auto opened = open(R"({"first":[{"stderr":"Error: no key\n"},{"exit":7}]})");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, errc::kUnavailable);
  EXPECT_THAT(opened.error().message, HasSubstr("exit status 7"));
  EXPECT_THAT(opened.error().message, HasSubstr("no key"));
  const auto& end = untilTold("session/ended");
  EXPECT_EQ(end["reason"].asString(), "exited");
  EXPECT_EQ(end["exitCode"].asInteger(), 7);
  EXPECT_EQ(
      session_->prompt(Json::object().set("turnId", "t").set("prompt", blocks("x"))).error().code,
      errc::kConflict);
}

TEST_F(SessionTest, DeathInATurnFailsIt) {
  ASSERT_TRUE(open(R"({"turns":[[{"text":"half a"},{"signal":"SIGKILL"}]]})").ok());
  prompt("t1");
  const auto& end = untilTold("turn/completed");
  EXPECT_EQ(end["status"].asString(), "failed");
  EXPECT_EQ(end["error"]["code"].asString(), "agent_ended");
  EXPECT_EQ(untilTold("session/ended")["signal"].asInteger(), 9);
  EXPECT_EQ(events_.back().type, "session/ended") << "the last";
  EXPECT_EQ(said(), "half a");
}

TEST_F(SessionTest, SilenceAtStartHasALimit) {
  begin(R"({"on":{"initialize":[{"stderr":"waiting\n"},{"silence":true}]}})", request());
  until([this] { return heard().size() == 1; });
  EXPECT_EQ(timers_.fire(limits::kAgentOpen), 1);
  ASSERT_TRUE(opened_.has_value());
  EXPECT_EQ(opened_->error().code, errc::kTimeout);
  EXPECT_THAT(opened_->error().message, HasSubstr("agentOpen"));
  untilTold("session/ended");
}

TEST_F(SessionTest, SomebodyHasToSignInFirst) {
  const auto opened = open(
      R"({"on":{"initialize":[{"answer":{"protocolVersion":1,"authMethods":[{"id":"login","name":"Log in"}]}}],
    "session/new":[{"error":{"code":-32000,"message":"Authentication required"}}]}})");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, errc::kUnauthorized);
  EXPECT_THAT(opened.error().details, HasSubstr("login"));
  EXPECT_EQ(untilTold("session/ended")["reason"].asString(), "auth-required");
  EXPECT_EQ(session_->state(), SessionState::kAuthRequired);
}

TEST_F(SessionTest, SigningInComesBeforeTheSession) {
  auto wanted = request();
  wanted.auth_method = "login";
  ASSERT_TRUE(open("{}", wanted).ok());
  EXPECT_THAT(heardMethods(), ElementsAre("initialize", "authenticate", "session/new"));
}

TEST_F(SessionTest, AnotherVersionOfTheProtocolIsRefused) {
  const auto opened = open(R"({"on":{"initialize":[{"answer":{"protocolVersion":2}}]}})");
  EXPECT_EQ(opened.error().code, errc::kIncompatible);
}

constexpr auto kWithModes =
    R"({"on":{"session/new":[{"answer":{"sessionId":"x","modes":{"currentModeId":"auto","availableModes":[{"id":"auto","name":"A"},{"id":"default","name":"D"},{"id":"yolo","name":"Y"}]}}}]}})";

TEST_F(SessionTest, ModesAreSetInTheAgentsOwnWords) {
  auto wanted = request();
  wanted.choices.approval = "ask";
  const auto opened = open(kWithModes, wanted);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(heard().back()["params"]["modeId"].asString(), "default");
  EXPECT_EQ(opened.value()["modes"]["currentModeId"].asString(), "default");
  std::optional<Result<Json>> set;
  session_->set({.approval = "edits"}, [&](Result<Json> result) { set = std::move(result); });
  until([&] { return set.has_value(); });
  EXPECT_EQ(set->error().code, errc::kNotSupported);
  EXPECT_THAT(set->error().message, HasSubstr(R"("auto", "default", "yolo")"));
  set.reset();
  session_->set({.approval = "all"}, [&](Result<Json> result) { set = std::move(result); });
  until([&] { return set.has_value(); });
  EXPECT_EQ(set->value()["modes"]["currentModeId"].asString(), "yolo");
}

TEST_F(SessionTest, OptionsReplaceModesAndMayBeGrouped) {
  const auto options = [](const std::string& model) {
    return fmt::format(
        R"([{{"id":"m","name":"Mode","category":"mode","type":"select","currentValue":"a","options":[{{"value":"a","name":"A"}},{{"value":"default","name":"D"}}]}},
      {{"id":"model","name":"Model","category":"model","type":"select","currentValue":"{}","options":[{{"group":"g","name":"G","options":[{{"value":"small","name":"S"}},{{"value":"large","name":"L"}}]}}]}}])",
        model);
  };
  auto wanted = request();
  wanted.choices = {.approval = "ask", .model = "large", .reasoning = "high"};
  const auto opened = open(
      fmt::format(
          R"({{"on":{{"session/new":[{{"answer":{{"sessionId":"x","configOptions":{}}}}}],"session/set_config_option":[{{"answer":{{"configOptions":{}}}}}]}}}})",
          options("small"), options("large")),
      wanted);
  ASSERT_TRUE(opened.ok());
  EXPECT_THAT(heardMethods(), ElementsAre("initialize", "session/new", "session/set_config_option",
                                          "session/set_config_option"));
  EXPECT_EQ(heard()[3]["params"]["configId"].asString(), "model");
  EXPECT_THAT(untilTold("provider/warning")["details"].asString(), HasSubstr("reasoning level"));
  EXPECT_EQ(opened.value()["configOptions"].items()[1]["currentValue"].asString(), "large");
}

TEST_F(SessionTest, NothingOfAnAgentIsLeft) {
  ASSERT_TRUE(
      open(
          R"({"ignoresTerm":true,"survivesEnd":true,"turns":[[{"start":{"argv":["sleep","1000"],"own":false}},{"start":{"argv":["sleep","1000"],"own":true}},{"silence":true}]]})")
          .ok());
  prompt("t1");
  until([&] { return all("item/delta").size() == 2; });
  std::vector<pid_t> pids;
  for (const auto* delta : all("item/delta")) {
    pids.push_back(std::stoi(delta->data["text"].asString().substr(4)));
    EXPECT_TRUE(alive(pids.back()));
  }
  session_->close();
  EXPECT_EQ(untilTold("session/ended")["reason"].asString(), "closed");
  EXPECT_EQ(untilTold("turn/completed")["status"].asString(), "interrupted");
  for (const auto pid : {pid_, pids[0], pids[1]}) {
    EXPECT_FALSE(alive(pid));
  }
}

TEST_F(SessionTest, AnAgentThatIsNotReadWaits) {
  ASSERT_TRUE(
      open(
          R"({"turns":[[{"repeat":{"times":100000,"steps":[{"text":"0123456789012345678901234567890123456789"}]}}]]})")
          .ok());
  prompt("t1");
  untilTold("item/delta");
  session_->setReading(false);
  settle();
  const auto before = events_.size();
  io_->restart();
  io_->run_for(std::chrono::milliseconds(50));
  EXPECT_EQ(events_.size(), before);
  session_->setReading(true);
  until([&] { return events_.size() > before; });
}

TEST_F(SessionTest, AnAgentThatDoesNotListenIsRefusedMore) {
  ASSERT_TRUE(open(R"({"turns":[[{"deaf":true}]]})").ok());
  prompt("t1");
  untilTold("turn/completed");
  prompt("t2", std::string(limits::kAgentInput + 1, 'x'));
  EXPECT_THAT(untilTold("turn/completed", 2)["error"]["message"].asString(),
              HasSubstr("agentInput"));
  EXPECT_EQ(untilTold("session/ended")["reason"].asString(), "failed");
}

TEST_F(SessionTest, QuestionsInTheFormOfPermissionsAreQuestions) {
  ASSERT_TRUE(
      open(
          R"({"turns":[[{"request":{"method":"session/request_permission","params":{"_meta":{"qwenInteractionKind":"user_question"},
    "toolCall":{"toolCallId":"q","title":"Which colour?"},"options":[{"optionId":"r","name":"Red","kind":"allow_once"},{"optionId":"g","name":"Green","kind":"allow_once"}]}},"say":true}]]})")
          .ok());
  prompt("t1");
  const auto asked = untilTold("question/asked");
  EXPECT_EQ(asked["payload"]["kind"].asString(), "user_question");
  EXPECT_EQ(asked["payload"]["questions"].items()[0]["options"].items()[1]["label"].asString(),
            "Green");
  const auto answer = Json::parse(R"({"choice":{"selected":["g"]}})").value();
  ASSERT_TRUE(
      session_->answer(Json::object().set("questionId", asked["questionId"]).set("answers", answer))
          .ok());
  untilTold("turn/completed");
  EXPECT_THAT(said(), HasSubstr(R"("optionId":"g")"));
}

TEST_F(SessionTest, FormsOfAgentsAreQuestions) {
  ASSERT_TRUE(
      open(
          R"({"turns":[[{"request":{"method":"elicitation/create","params":{"mode":"form","sessionId":"s","message":"Which colour?","requestedSchema":{"type":"object","properties":{
    "question_0":{"type":"string","title":"Colour","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green","description":"as grass"}]},
    "question_0_custom":{"type":"string","title":"Other"},
    "sizes":{"type":"array","items":{"enum":["s","m"]}},"count":{"type":"integer"},"sure":{"type":"boolean"}},"required":["sizes"]}}},"say":true}],
    [{"request":{"method":"elicitation/create","params":{"mode":"url","url":"http://x","message":"go"}},"say":true}],
    [{"request":{"method":"elicitation/create","params":{"mode":"form","message":"?","requestedSchema":{"properties":{"a":{"type":"string"}}}}},"say":true}]]})")
          .ok());
  EXPECT_EQ(heard().front()["params"]["clientCapabilities"]["elicitation"].dump(),
            R"({"form":{}})");
  prompt("t1");
  const auto asked = untilTold("question/asked");
  const auto& questions = asked["payload"]["questions"].items();
  ASSERT_EQ(questions.size(), 4U);
  EXPECT_EQ(questions[0]["prompt"].asString(), "Which colour?\nColour");
  EXPECT_TRUE(questions[0]["optional"].asBool());
  EXPECT_FALSE(questions[1]["optional"].asBool());
  EXPECT_TRUE(questions[0]["allowFreeText"].asBool());
  EXPECT_EQ(questions[0]["options"].items()[1]["description"].asString(), "as grass");
  EXPECT_TRUE(questions[1]["multiSelect"].asBool());
  EXPECT_TRUE(questions[2]["allowFreeText"].asBool());
  const auto answer = [this](const Json& question, const char* answers) {
    return session_->answer(Json::object()
                                .set("questionId", question["questionId"])
                                .set("answers", Json::parse(answers).value()));
  };
  EXPECT_EQ(answer(asked, R"({"count":{"selected":[],"freeText":"many"}})").error().code,
            errc::kInvalidInput);
  EXPECT_THAT(answer(asked, "{}").error().message, HasSubstr("answers.sizes: expected an answer"));
  ASSERT_TRUE(answer(asked, R"({"question_0":{"selected":["g"],"freeText":"dark"},
    "sizes":{"selected":["s","m"]},"count":{"selected":[],"freeText":"3"},"sure":{"selected":["false"]}})")
                  .ok());
  untilTold("turn/completed");
  EXPECT_THAT(
      said(),
      HasSubstr(
          R"({"question_0":"g","question_0_custom":"dark","sizes":["s","m"],"count":3,"sure":false})"));
  prompt("t2");
  untilTold("turn/completed", 2);
  EXPECT_EQ(all("question/asked").size(), 1U) << "what is no form is refused";
  prompt("t3");
  untilTold("question/asked", 2);
  EXPECT_TRUE(session_->cancel());
  untilTold("turn/completed", 3);
  bool cancelled = false;
  for (const auto& message : heard()) {
    cancelled = cancelled || message["result"]["action"].asString() == "cancel";
  }
  EXPECT_TRUE(cancelled);
}

TEST_F(SessionTest, AFormThatIsTooLargeSaysItsLimit) {
  const auto form = [](const std::string& properties) {
    return R"([{"request":{"method":"elicitation/create","params":{"mode":"form","message":"?","requestedSchema":{"properties":)" +
           properties + R"(}}},"say":true}])";
  };
  ASSERT_TRUE(
      open(
          R"({"turns":[)" +
          form(
              R"({"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"},"d":{"type":"string"},"e":{"type":"string"}})") +
          "," + form(R"({"a":{"type":"string","enum":["1","2","3","4","5"]}})") + "]}")
          .ok());
  prompt("t1");
  untilTold("turn/completed");
  EXPECT_THAT(heard().back().dump(), HasSubstr("a form of 5 fields (limit questions: 4)"));
  prompt("t2");
  untilTold("turn/completed", 2);
  EXPECT_THAT(heard().back().dump(), HasSubstr("a has 5 choices (limit questionOptions: 4)"));
}

TEST_F(SessionTest, EveryPieceGivesTheSameEvents) {
  std::string whole;
  for (const int pieces : {100'000, 1, 7}) {
    events_.clear();
    opened_.reset();
    exit_.reset();
    now_ = 0;
    ASSERT_TRUE(
        open(
            fmt::format(
                R"({{"pieces":{},"turns":[[{{"thought":"hm…","split":1}},{{"text":"añ😀b","split":1}},
      {{"update":{{"sessionUpdate":"tool_call","toolCallId":"c","title":"ls","kind":"execute"}}}},{{"update":{{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}}}},{{"text":"end"}}]]}})",
                pieces))
            .ok());
    prompt("t1");
    untilTold("turn/completed");
    std::string now;
    for (const auto& event : events_) {
      now += event.type + " " + event.data.dump() + "\n";
    }
    TearDown();
    if (whole.empty()) {
      whole = now;
    }
    EXPECT_EQ(now, whole) << pieces;
  }
}

}  // namespace
}  // namespace svc::agentd
