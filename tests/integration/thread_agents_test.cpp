// Threads whose turns a scripted agent runs, through a real svcd and a real svc-hostd on another machine.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "thread_fixture.h"

namespace svc::test {
namespace {

using common::Json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

using ThreadAgentsTest = ThreadFixture;

TEST_F(ThreadAgentsTest, ATurnRunsFromItsPromptToItsEnd) {
  begin(kTalk);
  spawn("say hello");
  ASSERT_TRUE(awaitStatus("idle"));
  EXPECT_EQ(lastTurn(), "completed");
  EXPECT_EQ(output(), "Hello there");
  EXPECT_EQ(thread()["providerId"].asString(), "scripted");
  EXPECT_EQ(thread()["environmentHostId"].asString(), machine_->id());
  EXPECT_THAT(types(),
              testing::ElementsAre("client/turn/requested", "thread/started", "thread/identity",
                                   "turn/started", "turn/input/accepted", "item/started",
                                   "item/completed", "turn/completed"));
  expectExactLog();
  ASSERT_EQ(send("and again").json["outcome"].asString(), "started");
  ASSERT_TRUE(eventually([&] { return events("turn/completed").size() == 2; }));
  EXPECT_EQ(heard("session/new").size(), 1U) << "the second turn goes into the same session";
}

TEST_F(ThreadAgentsTest, AnAgentKnowsItsThreadAndReachesTheServer) {
  begin(
      R"([[{ "env": ["SVC_THREAD_ID", "SVC_PROJECT_ID", "SVC_ENVIRONMENT_ID", "SVC_SERVER_URL", "SVC_THREAD_TOKEN"] }, { "text": "\n" }, { "cwd": true }]])");
  spawn("who are you?");
  ASSERT_TRUE(awaitStatus("idle"));
  EXPECT_THAT(output(),
              AllOf(HasSubstr("SVC_THREAD_ID=" + thread_), HasSubstr("SVC_PROJECT_ID=" + project_),
                    HasSubstr("SVC_ENVIRONMENT_ID=" + thread()["environmentId"].asString()),
                    HasSubstr("SVC_SERVER_URL=" + relay_->url()), HasSubstr(shop())));
  const auto opened = heard("session/new");
  ASSERT_EQ(opened.size(), 1U);
  ASSERT_EQ(opened[0]["mcpServers"].items().size(), 1U) << opened[0].dump();
  // This agent has no MCP over HTTP: it gets the bridge, with the token of its thread.
  const auto& bridge = opened[0]["mcpServers"].items()[0];
  EXPECT_EQ(bridge["args"].items()[0].asString(), "mcp");
  std::string token;
  for (const auto& variable : bridge["env"].items()) {
    if (variable["name"].asString() == "SVC_MCP_TOKEN") {
      token = variable["value"].asString();
    }
  }
  const auto initialize = [&] {
    return server_->http().send(
        {.method = "POST",
         .target = "/api/v1/mcp",
         .body =
             R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})",
         .headers = {{"Content-Type", "application/json"},
                     {"Accept", "application/json, text/event-stream"},
                     {"Authorization", "Bearer " + token}}});
  };
  EXPECT_EQ(initialize().status, 200);
  EXPECT_THAT(output(), HasSubstr("SVC_THREAD_TOKEN=" + token));
  // An agent that takes the bridge of its user's configuration acts for its thread all the same.
  const auto bridged = runCommand(
      {.argv = {SVC_TEST_SVC, "mcp", "--data-dir", "/nowhere"},
       .directory = shop(),
       .environment = {{"SVC_SERVER_URL", server_->url()}, {"SVC_THREAD_TOKEN", token}},
       .input =
           R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})"
           "\n"});
  EXPECT_THAT(bridged.out, HasSubstr(R"("protocolVersion":"2025-06-18")")) << bridged.err;
  ASSERT_EQ(post("/threads/" + thread_ + "/stop", Json::object()).status, 200);
  EXPECT_TRUE(eventually([&] { return initialize().status == 401; }))
      << "the token ends with the session";
  const auto prompts = heard("session/prompt");
  ASSERT_EQ(prompts.size(), 1U);
  EXPECT_THAT(prompts[0]["prompt"].items()[0]["text"].asString(), HasSubstr("<instructions>"));
}

constexpr const char* kAsks =
    R"([[{ "request": { "method": "session/request_permission", "params": {
    "toolCall": { "toolCallId": "t1", "title": "make", "kind": "execute", "rawInput": { "command": "make" } },
    "options": [{ "optionId": "yes", "name": "Yes", "kind": "allow_once" }, { "optionId": "no", "name": "No", "kind": "reject_once" }] } },
    "say": true }]])";

TEST_F(ThreadAgentsTest, WhatMayBeTypedAfterASlashIsListed) {
  begin(
      R"([[{"update":{"sessionUpdate":"available_commands_update","availableCommands":[
      {"name":"plan","description":"Makes a plan","input":{"hint":"what for"}}]}},{"text":"ok"}]])");
  std::ofstream(fs::path(shop()) / "a.txt") << "a";
  fs::create_directories(fs::path(shop()) / ".svc/skills/deploy");
  std::ofstream(fs::path(shop()) / ".svc/skills/deploy/SKILL.md")
      << "---\nname: deploy\ndescription: Ships it\n---\nRun make.\n";
  const auto names = [this] {
    std::vector<std::string> out;
    const auto answer = get("/projects/" + project_ + "/commands?provider=scripted");
    for (const auto& command : answer.json["commands"].items()) {
      out.push_back(command["name"].asString() + " " + command["source"].asString());
    }
    return out;
  };
  EXPECT_THAT(names(), testing::Contains("deploy skill"));
  spawn("begin");
  ASSERT_TRUE(awaitStatus("idle"));
  EXPECT_THAT(names(), testing::IsSupersetOf({"plan command", "deploy skill"}));
  EXPECT_EQ(get("/projects/proj_x/commands?provider=scripted").code(), "not_found");
}

TEST_F(ThreadAgentsTest, TheAgentReadsWhatAPluginSaysOfAMention) {
  begin(kTalk);
  ASSERT_EQ(server_->install(fixture("surface"))["status"].asString(), "running");
  const auto input = Json::parse(R"([{"type":"text","text":"@seven please","mentions":[{"start":0,
    "end":6,"resource":{"kind":"plugin","pluginId":"surface","itemId":"numbers:7","label":"seven"}}]}])");
  const auto made =
      post("/threads", Json::object().set("projectId", project_).set("input", input.value()));
  ASSERT_EQ(made.status, 201) << made.body;
  thread_ = made.json["thread"]["id"].asString();
  ASSERT_TRUE(awaitStatus("idle"));
  const auto prompts = heard("session/prompt");
  ASSERT_EQ(prompts.size(), 1U);
  EXPECT_THAT(prompts[0].dump(), HasSubstr("number 7"));
  const auto rows = get("/threads/" + thread_ + "/timeline").body;
  EXPECT_THAT(rows, AllOf(HasSubstr("@seven please"), testing::Not(HasSubstr("number 7"))));
}

TEST_F(ThreadAgentsTest, AttachmentsReachAnAgentOnAnotherMachine) {
  begin(kTalk);
  const auto attached = [&](const std::string& name, const std::string& bytes) {
    return server_->http()
        .send({.method = "POST",
               .target = "/api/v1/projects/" + project_ + "/attachments?filename=" + name,
               .body = bytes,
               .headers = {{"content-type", "application/octet-stream"}}})
        .json["attachment"];
  };
  auto input = Json::array();
  input.push(Json::object().set("type", "text").set("text", "what is this?"));
  input.push(attached("cat.png", "\x89PNG\r\n\x1A\n"));
  input.push(attached("notes.md", "# Notes"));
  const auto made =
      post("/threads", Json::object().set("projectId", project_).set("input", std::move(input)));
  ASSERT_EQ(made.status, 201) << made.body;
  thread_ = made.json["thread"]["id"].asString();
  ASSERT_TRUE(awaitStatus("idle"));
  const auto prompts = heard("session/prompt");
  ASSERT_EQ(prompts.size(), 1U);
  const auto& blocks = prompts[0]["prompt"].items();
  ASSERT_EQ(blocks.size(), 4U) << prompts[0].dump();
  EXPECT_EQ(blocks[2]["type"].asString(), "image");
  EXPECT_EQ(blocks[2]["mimeType"].asString(), "image/png");
  EXPECT_EQ(blocks[2]["data"].asString(), "iVBORw0KGgo=");
  EXPECT_THAT(blocks[3]["text"].asString(), HasSubstr("\"notes.md\" with 7 bytes"))
      << "this agent takes no texts, and its machine has no such file";
}

TEST_F(ThreadAgentsTest, SkillsReachAnAgentOnAnotherMachineAndGoWithItsSession) {
  begin(kTalk);
  const auto skill = server_->dataDir() / "skills/review";
  fs::create_directories(skill);
  std::ofstream(skill / "SKILL.md")
      << "---\nname: review\ndescription: how to review\n---\nKindly.\n";
  ASSERT_TRUE(eventually([&] {
    return get("/skills").body.find("how to review") != std::string::npos;
  })) << "the folder is watched";
  spawn("say hello");
  ASSERT_TRUE(awaitStatus("idle"));
  const auto prompts = heard("session/prompt");
  ASSERT_EQ(prompts.size(), 1U);
  const auto told = prompts[0]["prompt"].items()[0]["text"].asString();
  constexpr std::string_view kListed = "\n- review: how to review (";
  const auto at = told.find(kListed);
  ASSERT_NE(at, std::string::npos) << told;
  const auto file = told.substr(at + kListed.size(), told.find(')', at) - at - kListed.size());
  EXPECT_THAT(file, Not(HasSubstr(server_->dataDir().string())));
  ASSERT_TRUE(fs::exists(file)) << file;
  ASSERT_EQ(post("/threads/" + thread_ + "/archive", Json::object()).status, 200);
  EXPECT_TRUE(eventually([&] { return !fs::exists(file); }));
}

TEST_F(ThreadAgentsTest, AnApprovalIsGiven) {
  begin(kAsks);
  spawn("build it");
  const auto waiting = interaction();
  EXPECT_EQ(waiting["payload"]["subject"]["command"].asString(), "make");
  EXPECT_TRUE(thread()["hasPendingInteraction"].asBool());
  const auto resolved = resolve(waiting, R"({"decision":"allow_once","grantedPermissions":null})");
  ASSERT_EQ(resolved.status, 200) << resolved.body;
  EXPECT_EQ(resolve(waiting, R"({"decision":"deny"})").status, 409);
  ASSERT_TRUE(awaitStatus("idle"));
  EXPECT_THAT(output(), HasSubstr(R"("optionId":"yes")"));
}

TEST_F(ThreadAgentsTest, InFullModeNobodyIsAsked) {
  begin(kAsks);
  spawn("build it", Json::object().set("permissionMode", "full"));
  ASSERT_TRUE(awaitStatus("idle"));
  EXPECT_THAT(output(), HasSubstr(R"("optionId":"yes")"));
  EXPECT_TRUE(events("system/permissionGrant/lifecycle").empty());
}

TEST_F(ThreadAgentsTest, AQuestionIsAnswered) {
  begin(R"([[{ "request": { "method": "session/request_permission", "params": {
      "_meta": { "qwenInteractionKind": "user_question" }, "toolCall": { "toolCallId": "t1", "title": "Which one?" },
      "options": [{ "optionId": "red", "name": "Red", "kind": "allow_once" }, { "optionId": "blue", "name": "Blue", "kind": "allow_once" }] } },
      "say": true }]])");
  spawn("ask me", Json::object().set("permissionMode", "full"));
  const auto waiting = interaction();
  const auto& question = waiting["payload"]["questions"].items().at(0);
  EXPECT_EQ(question["prompt"].asString(), "Which one?");
  const auto answered = resolve(
      waiting, fmt::format(R"({{"kind":"user_answer","answers":{{"{}":{{"selected":["blue"]}}}}}})",
                           question["id"].asString()));
  ASSERT_EQ(answered.status, 200) << answered.body;
  ASSERT_TRUE(awaitStatus("idle"));
  EXPECT_THAT(output(), HasSubstr(R"("optionId":"blue")"));
}

TEST_F(ThreadAgentsTest, AMessageToABusyThreadWaitsAndAStopEndsTheTurn) {
  begin(kWork);
  spawn("work");
  ASSERT_TRUE(eventually([&] { return !events("item/started").empty(); }));
  EXPECT_EQ(send("start now", "start").status, 409);
  EXPECT_EQ(send("then this").json["outcome"].asString(), "queued");
  script(kTalk);
  ASSERT_EQ(post("/threads/" + thread_ + "/stop", Json::object()).status, 200);
  ASSERT_TRUE(eventually([&] { return events("turn/completed").size() == 2; }));
  EXPECT_EQ(events("turn/completed")[0]["data"]["status"].asString(), "interrupted");
  EXPECT_EQ(lastTurn(), "completed");
  EXPECT_EQ(heard("session/resume").size(), 1U) << "a stop releases the process";
  expectExactLog();
}

TEST_F(ThreadAgentsTest, ALostConnectionLosesNothing) {
  begin(kAsks);
  spawn("build it");
  const auto waiting = interaction();
  EXPECT_EQ(thread()["runtime"]["displayStatus"].asString(), "active");
  relay_->leadTo(1);  // where nobody listens
  relay_->cut();
  EXPECT_TRUE(eventually([&] {
    const auto runtime = thread()["runtime"];
    return runtime["displayStatus"].asString() == "host-reconnecting" &&
           runtime["hostReconnectGraceExpiresAt"].asInteger() > 0;
  }));
  relay_->leadTo(server_->port());
  ASSERT_TRUE(awaitConnected(*server_, machine_->id()));
  // As an impatient person does; the machine is not there yet.
  ASSERT_TRUE(eventually([&] {
    return resolve(waiting, R"({"decision":"allow_once"})").status == 200 ||
           thread()["status"].asString() == "idle";
  }));
  ASSERT_TRUE(awaitStatus("idle"));
  EXPECT_EQ(lastTurn(), "completed");
  EXPECT_THAT(output(), HasSubstr(R"("optionId":"yes")"));
  expectExactLog();
}

TEST_F(ThreadAgentsTest, ARestartOfTheServerInterruptsTheTurnAndTheThreadGoesOn) {
  begin(kWork);
  spawn("work");
  ASSERT_TRUE(awaitLiveText("working"));
  script(kTalk);
  restartServer();
  EXPECT_EQ(thread()["status"].asString(), "idle");
  EXPECT_EQ(lastTurn(), "interrupted");
  // What was on the page stays, though no log had it.
  ASSERT_EQ(events("item/completed").size(), 1U);
  EXPECT_EQ(events("item/completed").back()["data"]["item"]["text"].asString(), "working");
  EXPECT_EQ(events("system/thread/interrupted").back()["data"]["reason"].asString(),
            "server-restart");
  ASSERT_TRUE(awaitAgent("scripted"));
  ASSERT_EQ(send("go on").json["outcome"].asString(), "started");
  ASSERT_TRUE(eventually([&] { return events("turn/completed").size() == 2; }));
  EXPECT_EQ(lastTurn(), "completed");
  EXPECT_EQ(output(), "Hello there");
  ASSERT_EQ(heard("session/resume").size(), 1U);
  expectExactLog();
}

TEST_F(ThreadAgentsTest, WhatAnAgentHasSaidIsThereAfterAStopOfTheServer) {
  begin(kWork);
  spawn("work");
  ASSERT_TRUE(awaitLiveText("working"));
  EXPECT_EQ(server_->stop().exit_code, 0);
  server_->start();
  EXPECT_THAT(types(), testing::IsSupersetOf({"item/started", "item/completed"}));
  EXPECT_EQ(events("item/completed").back()["data"]["item"]["text"].asString(), "working");
  EXPECT_EQ(types().back(), "turn/completed");
  EXPECT_EQ(lastTurn(), "interrupted");
  EXPECT_EQ(output(), "working");
}

TEST_F(ThreadAgentsTest, AKilledDaemonInterruptsTheTurnAndTheThreadGoesOn) {
  begin(kWork);
  spawn("work");
  ASSERT_TRUE(awaitLiveText("working"));
  script(kTalk);
  machine_->kill();
  machine_->start();
  ASSERT_TRUE(eventually([&] { return lastTurn() == "interrupted"; })) << thread().dump();
  EXPECT_THAT(events("system/thread/interrupted").back()["data"]["reason"].asString(),
              testing::AnyOf("host-daemon-restarted", "host-lost"));
  ASSERT_EQ(events("item/completed").size(), 1U);
  EXPECT_EQ(events("item/completed").back()["data"]["item"]["text"].asString(), "working");
  ASSERT_TRUE(awaitConnected(*server_, machine_->id()));
  ASSERT_TRUE(eventually([&] {
    const auto sent = send("go on");
    return sent.json["outcome"].asString() == "started";
  }));
  ASSERT_TRUE(eventually([&] { return output() == "Hello there"; }));
  ASSERT_TRUE(awaitStatus("idle"));
  expectExactLog();
}

TEST_F(ThreadAgentsTest, WhatWaitedWhenTheServerWentDownWaitsForItsMachine) {
  begin(kWork);
  spawn("work");
  ASSERT_TRUE(eventually([&] { return !events("item/started").empty(); }));
  ASSERT_EQ(send("then this").json["outcome"].asString(), "queued");
  script(kTalk);
  machine_->kill();
  server_->kill();
  server_->start();
  relay_->leadTo(server_->port());
  // The queue goes on as soon as the server is there, which is before the machine.
  ASSERT_TRUE(eventually([&] { return events("client/turn/requested").size() == 2; }));
  ASSERT_TRUE(awaitStatus("starting"));
  machine_->start();
  ASSERT_TRUE(eventually([&] { return events("turn/completed").size() == 2; }))
      << events().back().dump();
  EXPECT_EQ(lastTurn(), "completed");
  EXPECT_EQ(output(), "Hello there");
  EXPECT_TRUE(events("client/turn/rejected").empty());
  expectExactLog();
}

TEST_F(ThreadAgentsTest, AMessageToAMachineWhoseDaemonWasJustKilledWaitsForIt) {
  begin(kTalk);
  spawn("say hello");
  ASSERT_TRUE(awaitStatus("idle"));
  machine_->kill();
  ASSERT_EQ(send("and again").json["outcome"].asString(), "started");
  machine_->start();
  ASSERT_TRUE(eventually([&] { return events("turn/completed").size() == 2; }))
      << events().back().dump();
  EXPECT_EQ(lastTurn(), "completed");
  EXPECT_TRUE(events("client/turn/rejected").empty());
  expectExactLog();
}

TEST_F(ThreadAgentsTest, WhatWaitsWhileADaemonIsRestartedIsBroughtOnce) {
  begin(kWork);
  spawn("work");
  ASSERT_TRUE(awaitLiveText("working"));
  ASSERT_EQ(send("then this").json["outcome"].asString(), "queued");
  script(kTalk);
  // The end of the turn lets the next message go, to an agent that ends.
  EXPECT_EQ(machine_->stop().exit_code, 0);
  machine_->start();
  ASSERT_TRUE(eventually([&] { return events("turn/completed").size() == 2; }))
      << events().back().dump();
  EXPECT_EQ(lastTurn(), "completed");
  EXPECT_TRUE(events("client/turn/rejected").empty());
  EXPECT_EQ(heard("session/prompt").size(), 2U);
  EXPECT_EQ(heard("session/resume").size(), 1U);
  expectExactLog();
}

TEST_F(ThreadAgentsTest, AgentsThatCannotRunSayWhy) {
  begin(kTalk,
        R"(,"dies":{"command":"/bin/sh","args":["-c","echo no key in the drawer >&2; exit 3"]},)"
        R"("missing":{"command":"/nowhere/agent"})");
  ASSERT_TRUE(awaitAgent("dies"));
  const auto unknown = trySpawn("x", Json::object().set("providerId", "nobody"));
  EXPECT_EQ(unknown.status, 404) << unknown.body;
  EXPECT_THAT(unknown.message(), HasSubstr("there is no agent \"nobody\""));
  const auto missing = trySpawn("x", Json::object().set("providerId", "missing"));
  EXPECT_EQ(missing.status, 409) << missing.body;
  EXPECT_THAT(missing.message(), HasSubstr("there is no program /nowhere/agent"));
  spawn("x", Json::object().set("providerId", "dies"));
  ASSERT_TRUE(awaitStatus("error"));
  EXPECT_TRUE(says("no key in the drawer")) << events().back().dump();
}

TEST_F(ThreadAgentsTest, AnArchivedThreadLetsItsEnvironmentGo) {
  begin(kTalk);
  const auto personal = Json::object()
                            .set("type", "host")
                            .set("hostId", machine_->id())
                            .set("workspace", Json::object().set("type", "personal"));
  spawn("x", Json::object().set("environment", personal));
  ASSERT_TRUE(awaitStatus("idle"));
  const auto environment = thread()["environmentId"].asString();
  const auto phase = [&] {
    return get("/environments/" + environment).json["environment"]["lifecycle"]["phase"].asString();
  };
  EXPECT_EQ(phase(), "active");
  restartServer();
  EXPECT_EQ(phase(), "active") << "its thread still uses it";
  ASSERT_EQ(post("/threads/" + thread_ + "/archive", Json::object()).status, 200);
  EXPECT_TRUE(eventually([&] { return phase() == "retiring"; }));
  ASSERT_EQ(post("/threads/" + thread_ + "/unarchive", Json::object()).status, 200);
  EXPECT_TRUE(eventually([&] { return phase() == "active"; }));
  ASSERT_EQ(
      server_->http().send({.method = "DELETE", .target = "/api/v1/threads/" + thread_}).status,
      200);
  EXPECT_TRUE(eventually([&] { return phase() == "retiring"; }));
}

TEST_F(ThreadAgentsTest, WithoutTheseModulesAServerStarts) {
  std::string modules = kDefaultModules;
  modules.resize(modules.find(",providers,threads"));
  Server plain(modules);
  EXPECT_EQ(plain.http().get("/api/v1/threads").status, 404);
  Server without_agents(modules + ",threads");
  EXPECT_EQ(without_agents.http().get("/api/v1/threads").status, 200);
  EXPECT_EQ(without_agents.http().get("/api/v1/providers").status, 404);
}

}  // namespace
}  // namespace svc::test
