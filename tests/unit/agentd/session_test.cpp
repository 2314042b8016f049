#include "session.h"

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/hostprotocol/agent_limits.h"

#include "session_fixture.h"

namespace svc::agentd {
namespace {

using common::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using SessionTest = SessionFixture;

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
  EXPECT_EQ(capabilities["_meta"]["terminal_output_delta"], common::Json(true));
  EXPECT_FALSE(capabilities["fs"]["readTextFile"].asBool(true));
  EXPECT_FALSE(capabilities["terminal"].asBool(true));
  EXPECT_EQ(heard()[1]["params"]["mcpServers"], wanted.mcp_servers);
  EXPECT_EQ(heard()[2]["params"]["prompt"].dump(), R"([{"type":"text","text":"hello"}])");
  EXPECT_EQ(session_->state(), SessionState::kIdle);
  prompt("t2");
  untilTold("turn/completed", 2);
}

TEST_F(SessionTest, ACharacterThatIsCutBetweenTwoMessagesArrivesWhole) {
  const auto piece = [](const std::string& half) {
    return R"({"raw":"{\"method\":\"session/update\",\"params\":{\"sessionId\":\"scripted-session\",\"update\":)"
           R"({\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\")" +
           half + R"(\"}}}}\n"})";
  };
  ASSERT_TRUE(
      open(R"({"turns":[[)" + piece(R"(so \\ud83d)") + "," + piece(R"(\\ude00)") + "]]}").ok());
  prompt("t1");
  untilTold("turn/completed");
  EXPECT_EQ(said(), "so 😀");
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

TEST_F(SessionTest, APromptIsRefusedWhenTheFolderIsGoneOrAnotherOne) {
  auto wanted = request();
  const auto folder = directory_.path() / "work";
  std::filesystem::create_directory(folder);
  wanted.cwd = folder.string();
  ASSERT_TRUE(open(R"({"turns":[[{"text":"Hello"}]]})", wanted).ok());
  prompt("t1");
  untilTold("turn/completed");
  std::filesystem::rename(folder, directory_.path() / "elsewhere");
  const auto ask = [this] {
    return session_->prompt(Json::object().set("turnId", "t2").set("prompt", blocks("go on")));
  };
  EXPECT_EQ(ask().error().code, errc::kUnknownPath);
  EXPECT_THAT(ask().error().message, HasSubstr(folder.string() + " is not there"));
  std::filesystem::create_directory(folder);
  EXPECT_THAT(ask().error().message, HasSubstr("not the folder any more"));
  EXPECT_EQ(session_->state(), SessionState::kIdle);
  EXPECT_EQ(all("turn/started").size(), 1U);
  std::filesystem::remove(folder);
  std::filesystem::rename(directory_.path() / "elsewhere", folder);
  EXPECT_TRUE(ask().ok()) << "it has come back";
  untilTold("turn/completed", 2);
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

TEST_F(SessionTest, WhatIsToldOfAnotherSessionIsNotOfThisThread) {
  ASSERT_TRUE(
      open(
          R"({"turns":[[{"text":"mine"},{"raw":"{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"another\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\" not mine\"}}}}\n"}]]})")
          .ok());
  prompt("t1");
  untilTold("turn/completed");
  EXPECT_EQ(said(), "mine");
}

TEST_F(SessionTest, WhatIsReplayedWhenASessionIsLoadedIsNotToldAgain) {
  auto wanted = request();
  wanted.resume = "old";
  // The answer comes in the middle of it: Gemini CLI does not wait for what it replays.
  begin(R"({"capabilities":{"loadSession":true,"sessionCapabilities":{"resume":{}}},
    "on":{"session/resume":[{"error":{"code":-32603,"message":"gone"}}],
          "session/load":[{"text":"old words"},{"answer":{}},{"text":"more old words"},
                          {"update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"plan","description":""}]}}]},
    "turns":[[{"text":"new"}]]})",
        wanted);
  until([this] { return session_->describe()["commands"].items().size() == 1; });
  EXPECT_FALSE(opened_);
  EXPECT_EQ(timers_.fire(limits::kAgentReplayPause), 1) << "each piece begins the pause anew";
  until([this] { return opened_.has_value(); });
  EXPECT_EQ(untilTold("thread/identity")["started"].asString(), "loaded");
  prompt("t1");
  untilTold("turn/completed");
  EXPECT_EQ(said(), "new");
}

TEST_F(SessionTest, AReplayThatDoesNotEndIsNotWaitedFor) {
  auto wanted = request();
  wanted.resume = "old";
  begin(R"({"capabilities":{"loadSession":true},"on":{"session/load":[{"answer":{}}]}})", wanted);
  until([this] { return opened_ || timers_.fire(limits::kAgentReplay) == 1; });
  until([this] { return opened_.has_value(); });
  EXPECT_TRUE(opened_->ok());
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
  EXPECT_FALSE(identity["providerThreadId"].asString().empty());
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

TEST_F(SessionTest, AnAnswerWithoutAVersionIsToldAsItIs) {
  for (const auto& [answer, shown] :
       {std::pair(R"("hello")", R"(it is "hello";)"), std::pair("null", "it is null;"),
        std::pair("[1]", "it is [1];"),
        std::pair(R"({"protocolVersion":"1"})", R"(it is {"protocolVersion":"1"};)")}) {
    const auto opened = open(fmt::format(R"({{"on":{{"initialize":[{{"answer":{}}}]}}}})", answer));
    EXPECT_EQ(opened.error().code, errc::kIncompatible) << answer;
    EXPECT_THAT(opened.error().message, HasSubstr(shown));
    until([this] { return exit_.has_value(); });
    exit_.reset();
    opened_.reset();
  }
  exit_.emplace();
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
  session_->set({.mode = "plan"}, [&](Result<Json> result) { set = std::move(result); });
  until([&] { return set.has_value(); });
  EXPECT_EQ(set->error().code, errc::kNotSupported);
  EXPECT_THAT(set->error().message, HasSubstr(R"("auto", "default", "yolo")"));
  set.reset();
  session_->set({.approval = "all"}, [&](Result<Json> result) { set = std::move(result); });
  until([&] { return set.has_value(); });
  EXPECT_EQ(set->value()["modes"]["currentModeId"].asString(), "yolo");
  set.reset();
  session_->set({.approval = "edits"}, [&](Result<Json> result) { set = std::move(result); });
  until([&] { return set.has_value(); });
  EXPECT_EQ(set->value()["modes"]["currentModeId"].asString(), "default")
      << "the service answers, within the folder";
}

TEST_F(SessionTest, EverySettingThatIsRefusedIsNamedWithWhatRunsInstead) {
  auto wanted = request();
  wanted.choices = {.approval = "ask", .model = "large"};
  ASSERT_TRUE(
      open(
          R"({"on":{"session/new":[{"answer":{"sessionId":"x","modes":{"currentModeId":"auto","availableModes":[{"id":"auto","name":"A"},{"id":"default","name":"D"}]},"configOptions":[{"id":"m","name":"M","category":"model","type":"select","currentValue":"small","options":[{"value":"small","name":"S"},{"value":"large","name":"L"}]}]}}],
             "session/set_mode":[{"error":{"code":-32603,"message":"not now"}}],
             "session/set_config_option":[{"error":{"code":-32602,"message":"too dear"}}]}})",
          wanted)
          .ok());
  EXPECT_EQ(untilTold("provider/warning")["details"].asString(),
            "the agent refused the mode \"default\": not now; it goes on with \"auto\". the agent "
            "refused the model \"large\": too dear; it goes on with \"small\"");
}

TEST_F(SessionTest, ASettingThatTheAgentReplacesIsToldToo) {
  auto wanted = request();
  wanted.choices.model = "large";
  ASSERT_TRUE(
      open(
          R"({"on":{"session/new":[{"answer":{"sessionId":"x","configOptions":[{"id":"m","name":"M","category":"model","type":"select","currentValue":"small","options":[{"value":"small","name":"S"},{"value":"large","name":"L"}]}]}}],
             "session/set_config_option":[{"answer":{"configOptions":[{"id":"m","name":"M","category":"model","type":"select","currentValue":"middle","options":[]}]}}]}})",
          wanted)
          .ok());
  EXPECT_EQ(untilTold("provider/warning")["details"].asString(),
            "the agent did not take the model \"large\"; it goes on with \"middle\"");
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
  EXPECT_EQ(opened.value()["offeredOptions"].items()[1]["currentValue"].asString(), "small");
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
