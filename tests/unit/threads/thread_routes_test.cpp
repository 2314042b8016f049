#include "thread_routes.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "svc/common/limits/agents.h"

#include "thread_routes_fixture.h"

namespace svc::threads {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(ThreadRoutesTest, SpawnsListsSendsAndDeletes) {
  EXPECT_EQ(ask("GET /api/v1/threads")->json()["threads"].items().size(), 0U);
  const auto made = ask("POST /api/v1/threads", R"({"projectId":"proj_a","prompt":"hello"})");
  EXPECT_EQ(made->status(), 201U);
  thread_ = made->json()["thread"]["id"].asString();
  begin();
  EXPECT_EQ(ask("GET /api/v1/threads/:threadId")->json()["thread"]["status"].asString(), "active");
  const auto queued = ask("POST /api/v1/threads/:threadId/send",
                          R"({"mode":"auto","input":[{"type":"text","text":"more"}]})");
  EXPECT_EQ(queued->json()["outcome"].asString(), "queued");
  EXPECT_EQ(
      ask("GET /api/v1/threads/:threadId/queued-messages")->json()["queuedMessages"].items().size(),
      1U);
  EXPECT_EQ(ask("GET /api/v1/threads/:threadId/events", {}, "types=turn/started,x&types=y")
                ->json()["events"]
                .items()
                .size(),
            1U);
  EXPECT_EQ(ask("DELETE /api/v1/threads/:threadId")->status(), 200U);
  EXPECT_EQ(ask("GET /api/v1/threads/:threadId")->errorCode(), "not_found");
  EXPECT_THAT(closed_, ElementsAre(session_));
  // What is deleted leaves nothing behind.
  EXPECT_TRUE(store_.threads().value().empty());
  EXPECT_TRUE(turnStates().empty());
}

TEST_F(ThreadRoutesTest, BeforeTheFirstEventThereIsNone) {
  spawn();
  const auto count = [this](const char* query) {
    return ask("GET /api/v1/threads/:threadId/events", {}, query)->json()["events"].items().size();
  };
  EXPECT_GE(count(""), 1U);
  EXPECT_EQ(count("beforeSeq=0"), 0U);
  EXPECT_EQ(count("beforeSeq=1&order=desc"), 0U);
  EXPECT_EQ(count("beforeSeq=2"), 1U);
}

TEST_F(ThreadRoutesTest, ArchivesWhatRunsAfterItsStop) {
  spawn();
  begin();
  const auto archived = ask("POST /api/v1/threads/:threadId/archive");
  EXPECT_EQ(archived->json()["archivedThreadIds"].items().at(0).asString(), thread_);
  const auto child =
      ask("POST /api/v1/threads",
          R"({"projectId":"proj_a","prompt":"a","parentThreadId":")" + thread_ + R"("})");
  EXPECT_EQ(child->status(), 409U);
  EXPECT_THAT(child->json()["error"]["message"].asString(), HasSubstr("unarchive it first"));
  EXPECT_EQ(status(), "stopping");
  finish("interrupted");
  EXPECT_EQ(status(), "idle");
}

TEST_F(ThreadRoutesTest, ArchivesAllThreadsOfAnEnvironment) {
  spawn();
  begin();
  finish();
  const auto first = thread_;
  spawn();
  begin();
  const auto archive = [this](const std::string& environment) {
    return ask("POST /api/v1/environments/:environmentId/archive-threads", "{}", {},
               {"environmentId", environment});
  };
  // One that is there without threads, and one that is not.
  elsewhere("/api/v1/environments/env_b", 200, R"({"ok":true,"environment":{"id":"env_b"}})");
  EXPECT_TRUE(archive("env_b")->json()["archivedThreadIds"].items().empty());
  EXPECT_EQ(archive("env_x")->errorCode(), "not_found");
  const auto archived = archive("env_a");
  EXPECT_EQ(archived->json()["archivedThreadIds"].items().size(), 2U);
  EXPECT_EQ(status(), "stopping");
  EXPECT_FALSE(records_->get(first).value()["archivedAt"].isNull());
  elsewhere("/api/v1/environments/env_a", 200, R"({"ok":true,"environment":{"id":"env_a"}})");
  EXPECT_TRUE(archive("env_a")->json()["archivedThreadIds"].items().empty());
}

TEST_F(ThreadRoutesTest, TheHistoryOfAProjectIsThatOfItsThreads) {
  const auto history = [this](const std::string& project, const std::string& query = {}) {
    return ask("GET /api/v1/projects/:projectId/prompt-history", {}, query, {"projectId", project});
  };
  EXPECT_TRUE(history("proj_a")->json()["entries"].items().empty());
  const auto say = [this](const std::string& text) {
    clock_.advance(std::chrono::seconds(1));
    spawn(text);
    begin();
    finish();
  };
  say("one");
  const auto first = thread_;
  say("two");
  clock_.advance(std::chrono::seconds(1));
  thread_ = first;
  ASSERT_TRUE(send("three").ok());
  const auto texts = [](const Json& body) {
    std::vector<std::string> out;
    for (const auto& entry : body["entries"].items()) {
      out.push_back(textOf(entry["input"]));
    }
    return out;
  };
  EXPECT_THAT(texts(history("proj_a")->json()), ElementsAre("three", "two", "one"));
  EXPECT_THAT(texts(history("proj_a", "limit=2")->json()), ElementsAre("three", "two"));
  EXPECT_EQ(history("proj_a", "limit=0")->errorCode(), "invalid_input");
  EXPECT_EQ(history("proj_x")->errorCode(), "not_found");
}

TEST_F(ThreadRoutesTest, AnAnswerThatIsTooLongSaysHowLongItIs) {
  const auto answer = ask("POST /api/v1/threads/:threadId/interactions/:interactionId/respond",
                          R"({"value":")" + std::string(limits::kInputPayload, 'x') + "\"}");
  EXPECT_EQ(answer->errorCode(), "invalid_input");
  EXPECT_EQ(answer->json()["error"]["issues"].items()[0]["message"].asString(),
            "the answer has 65538 bytes as JSON, the limit inputPayload is 65536");
}

TEST_F(ThreadRoutesTest, TheHistoryHasWhatPeopleHaveTyped) {
  const auto say = [this](const std::string& text) {
    const auto body = R"({"mode":"auto","input":[{"type":"text","text":")" + text + R"("}]})";
    EXPECT_EQ(ask("POST /api/v1/threads/:threadId/send", body)->status(), 200U);
  };
  const auto spawn_with = [this](const std::string& members) {
    const auto made = ask("POST /api/v1/threads", R"({"projectId":"proj_a",)" + members + "}");
    EXPECT_EQ(made->status(), 201U);
    thread_ = made->json()["thread"]["id"].asString();
    begin();
  };
  caller_ = "nightly";
  spawn_with(R"("prompt":"a plugin makes a thread")");
  say("a plugin's message waits and goes");
  finish();
  begin();
  finish("failed");
  ask("POST /api/v1/threads/:threadId/retry", R"({"turnRequestId":null})");
  begin();
  finish();
  caller_.clear();
  say("typed");
  spawn_with(R"("prompt":"typed on a page of it","origin":"plugin","originPluginId":"nightly")");
  std::vector<std::string> texts;
  const auto history =
      ask("GET /api/v1/projects/:projectId/prompt-history", {}, {}, {"projectId", "proj_a"})
          ->json();
  for (const auto& entry : history["entries"].items()) {
    texts.push_back(textOf(entry["input"]));
  }
  EXPECT_THAT(texts, ::testing::UnorderedElementsAre("typed on a page of it", "typed"));
}

TEST_F(ThreadRoutesTest, SaysWhatIsWrongWithARequest) {
  EXPECT_EQ(ask("POST /api/v1/threads", R"({"projectId":"proj_x","prompt":"a"})")->errorCode(),
            "not_found");
  for (
      const char* body :
      {R"({"projectId":"proj_a"})", R"({"prompt":"a"})", R"({"projectId":"proj_a","prompt":" "})",
       R"({"projectId":"proj_a","input":[{"type":"video"}]})",
       R"({"projectId":"proj_a","prompt":"a","permissionMode":"yolo"})",
       R"({"projectId":"proj_a","prompt":"a","startedOnBehalfOf":"x"})",
       R"({"projectId":"proj_a","prompt":"a","startedOnBehalfOf":{}})",
       R"({"projectId":"proj_a","prompt":"a","startedOnBehalfOf":{"initiator":"user"}})",
       R"({"projectId":"proj_a","prompt":"a","startedOnBehalfOf":{"initiator":"agent"}})",
       R"({"projectId":"proj_a","prompt":"a","startedOnBehalfOf":{"initiator":"system","senderThreadId":5}})",
       R"({"projectId":"proj_a","prompt":"a","startedOnBehalfOf":{"initiator":"agent","senderThreadId":"thr_x"}})",
       R"({"projectId":"proj_a","prompt":"a","reasoningLevel":"huge"})"}) {
    EXPECT_EQ(ask("POST /api/v1/threads", body)->errorCode(), "invalid_input") << body;
  }
  EXPECT_EQ(ask("GET /api/v1/threads", {}, "archived=maybe")->errorCode(), "invalid_input");
  EXPECT_EQ(ask("GET /api/v1/threads", {}, "limit=1001")->errorCode(), "invalid_input");
  EXPECT_EQ(ask("GET /api/v1/threads/search")->errorCode(), "invalid_input");
  add("thr_a");
  thread_ = "thr_a";
  EXPECT_EQ(ask("POST /api/v1/threads/:threadId/send", R"({"mode":"now","input":[]})")->errorCode(),
            "invalid_input");
  for (const char* route :
       {"POST /api/v1/threads/:threadId/send", "POST /api/v1/threads/:threadId/queued-messages"}) {
    EXPECT_EQ(ask(route, R"({"mode":"auto","input":[{"type":"text","text":"a"}],
                             "senderThreadId":"thr_x"})")
                  ->errorCode(),
              "invalid_input");
  }
  for (const char* half : {"beforeAnchorSeq=3", "beforeAnchorId=evt_a"}) {
    EXPECT_EQ(ask("GET /api/v1/threads/:threadId/timeline", {}, half)->errorCode(),
              "invalid_input");
  }
  for (const char* body : {R"({"visibility":"maybe"})", R"({"reasoningLevel":"huge"})"}) {
    EXPECT_EQ(ask("PATCH /api/v1/threads/:threadId", body)->errorCode(), "invalid_input") << body;
  }
  EXPECT_EQ(ask("PATCH /api/v1/threads/:threadId", R"({"reasoningLevel":"high"})")->status(), 200U);
  EXPECT_EQ(ask("PUT /api/v1/threads/:threadId/tabs", R"({"tabs":[{}]})")->errorCode(),
            "invalid_input");
  EXPECT_TRUE(ids().size() == 1U);
}

TEST_F(ThreadRoutesTest, TheSystemNeedsNoThreadToStartOneFrom) {
  for (const char* behalf :
       {R"({"initiator":"system"})", R"({"initiator":"system","senderThreadId":null})"}) {
    const auto answer =
        ask("POST /api/v1/threads",
            fmt::format(R"({{"projectId":"proj_a","prompt":"a","startedOnBehalfOf":{}}})", behalf));
    EXPECT_EQ(answer->status(), 201U) << behalf;
  }
}

TEST_F(ThreadRoutesTest, TitlesAndNamesAreOneLineThatIsShownAsItIs) {
  add("thr_a");
  thread_ = "thr_a";
  const std::pair<std::string, std::string> section{
      "id", ask("POST /api/v1/thread-sections", R"({"name":"a"})")
                ->json()["threadSection"]["id"]
                .asString()};
  for (const char* odd : {"\\u001b[31m", "\\u0000", "\\u007f", "\\u009b", "\\u202e", "\\u2067"}) {
    const auto with = [&odd](const std::string& before) {
      return "{" + before + "\"a" + odd + "z\"}";
    };
    for (const auto& refused :
         {ask("POST /api/v1/threads", with(R"("projectId":"proj_a","prompt":"a","title":)")),
          ask("POST /api/v1/threads/fork", with(R"("sourceThreadId":"thr_a","title":)")),
          ask("PATCH /api/v1/threads/:threadId", with(R"("title":)")),
          ask("POST /api/v1/thread-sections", with(R"("name":)")),
          ask("PATCH /api/v1/thread-sections/:id", with(R"("name":)"), {}, section)}) {
      EXPECT_EQ(refused->errorCode(), "invalid_input") << odd;
      EXPECT_THAT(refused->answer->body,
                  AnyOf(HasSubstr(R"("path":["title"])"), HasSubstr(R"("path":["name"])")));
    }
  }
  EXPECT_EQ(ask("PATCH /api/v1/threads/:threadId", R"({"title":" a\tb\nc "})")
                ->json()["thread"]["title"]
                .asString(),
            "a b c");
  const auto made =
      ask("POST /api/v1/threads", R"({"projectId":"proj_a","prompt":"Fix\u001b[0m it\u202e now"})");
  EXPECT_EQ(made->json()["thread"]["titleFallback"].asString(), "Fix\uFFFD[0m it\uFFFD now");
}

TEST_F(ThreadRoutesTest, AThreadHasAFolderUntilItIsDeleted) {
  add("thr_a");
  thread_ = "thr_a";
  const auto located = ask("GET /api/v1/threads/:threadId/storage-location")->json();
  const std::filesystem::path folder = located["storageRootPath"].asString();
  EXPECT_EQ(folder, root_ / "thr_a" / "storage");
  EXPECT_EQ(located["hostId"].asString(), "host_a");
  EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all);
  std::ofstream(folder / "notes.txt") << "x";

  elsewhere("/api/v1/files/list", 200,
            R"({"ok":true,"files":[{"name":"notes.txt","path":"notes.txt"}],"truncated":false})");
  const auto files =
      ask("GET /api/v1/threads/:threadId/storage-files", {}, "query=note&limit=5")->json();
  EXPECT_EQ(files["storageRootPath"].asString(), folder.string());
  EXPECT_EQ(files["files"].items().size(), 1U);
  EXPECT_EQ(Json::parse(asked_["/api/v1/files/list"]).value(),
            Json::object().set("path", folder.string()).set("query", "note").set("limit", 5));

  elsewhere("/api/v1/files/list-paths", 200, R"({"ok":true,"paths":[],"truncated":false})");
  EXPECT_EQ(ask("GET /api/v1/threads/:threadId/storage-paths", {}, "includeFiles=false")->status(),
            200U);
  const auto paths = Json::parse(asked_["/api/v1/files/list-paths"]).value();
  EXPECT_FALSE(paths["includeFiles"].asBool(true));
  EXPECT_TRUE(paths["includeDirectories"].asBool());
  EXPECT_EQ(
      ask("GET /api/v1/threads/:threadId/storage-paths", {}, "includeFiles=maybe")->errorCode(),
      "invalid_input");

  EXPECT_EQ(ask("DELETE /api/v1/threads/:threadId")->status(), 200U);
  EXPECT_FALSE(std::filesystem::exists(root_ / "thr_a"));
  EXPECT_EQ(ask("GET /api/v1/threads/:threadId/storage-location")->errorCode(), "not_found");
  EXPECT_FALSE(std::filesystem::exists(root_ / "thr_a"));
}

TEST_F(ThreadRoutesTest, WhatTheMachineSaysOfAFolderIsTheAnswer) {
  add("thr_a");
  thread_ = "thr_a";
  elsewhere("/api/v1/files/list", 503,
            R"({"ok":false,"error":{"code":"unavailable","message":"the machine is away"}})");
  const auto files = ask("GET /api/v1/threads/:threadId/storage-files");
  EXPECT_EQ(files->status(), 503U);
  EXPECT_EQ(files->errorCode(), "unavailable");
}

TEST_F(ThreadRoutesTest, AThreadIncludesItsEnvironmentAndMachine) {
  add("thr_a", {.environment_id = "env_a", .environment = R"({"hostId":"host_a"})"});
  add("thr_b");
  thread_ = "thr_a";
  elsewhere("/api/v1/environments/env_a", 200, R"({"ok":true,"environment":{"id":"env_a"}})");
  elsewhere("/api/v1/hosts/host_a", 200, R"({"ok":true,"host":{"id":"host_a"}})");
  const char* route = "GET /api/v1/threads/:threadId";
  const auto both = ask(route, {}, "include=environment,host")->json()["thread"];
  EXPECT_EQ(both["environment"]["id"].asString(), "env_a");
  EXPECT_EQ(both["host"]["id"].asString(), "host_a");
  const auto plain = ask(route)->json()["thread"];
  EXPECT_EQ(plain.find("environment"), nullptr);
  elsewhere_.clear();
  const auto gone = ask(route, {}, "include=host")->json()["thread"];
  EXPECT_TRUE(gone.find("host") != nullptr && gone["host"].isNull());
  EXPECT_EQ(ask(route, {}, "include=turns")->errorCode(), "invalid_input");
  thread_ = "thr_b";
  const auto none = ask(route, {}, "include=environment")->json()["thread"];
  EXPECT_TRUE(none.find("environment") != nullptr && none["environment"].isNull());
}

TEST_F(ThreadRoutesTest, OpeningAThreadIsToldToEveryWindow) {
  add("thr_a");
  thread_ = "thr_a";
  EXPECT_CALL(hub_, toEveryWindow(R"({"type":"thread-open","threadId":"thr_a","file":null})"))
      .WillOnce(::testing::Return(2));
  const char* route = "POST /api/v1/threads/:threadId/open";
  EXPECT_EQ(ask(route)->json()["delivered"].asInteger(), 2);
  EXPECT_CALL(hub_, toEveryWindow(R"({"type":"thread-open","threadId":"thr_a",)"
                                  R"("file":{"source":"workspace","path":"a.ts","lineNumber":3},)"
                                  R"("split":"right"})"))
      .WillOnce(::testing::Return(0));
  EXPECT_EQ(
      ask(route, R"({"file":{"source":"workspace","path":"a.ts","lineNumber":3},"split":"right"})")
          ->json()["delivered"]
          .asInteger(-1),
      0);
  for (const char* wrong : {R"({"file":{"source":"moon","path":"a"}})",
                            R"({"file":{"source":"workspace"}})", R"({"split":"inside"})"}) {
    EXPECT_EQ(ask(route, wrong)->errorCode(), "invalid_input") << wrong;
  }
  thread_ = "thr_x";
  EXPECT_EQ(ask(route)->errorCode(), "not_found");
}

TEST_F(ThreadRoutesTest, ASpawnTakesWhatAPluginKeepsWithTheThread) {
  const char* route = "POST /api/v1/threads";
  for (const char* wrong :
       {R"({"projectId":"proj_a","prompt":"a","pluginMetadata":{"a":1}})",
        R"({"projectId":"proj_a","prompt":"a","origin":"plugin"})",
        R"({"projectId":"proj_a","prompt":"a","origin":"cli","originPluginId":"p"})",
        R"({"projectId":"proj_a","prompt":"a","origin":"moon"})",
        R"({"projectId":"proj_a","prompt":"a","executionInputSources":{"model":"luck"}})"}) {
    EXPECT_EQ(ask(route, wrong)->errorCode(), "invalid_input") << wrong;
  }
  const auto made = ask(route, R"({"projectId":"proj_a","prompt":"a","origin":"plugin",)"
                               R"("originPluginId":"todo","pluginMetadata":{"card":7},)"
                               R"("executionInputSources":{"model":"explicit"}})");
  ASSERT_EQ(made->status(), 201U) << made->answer->body;
  thread_ = made->json()["thread"]["id"].asString();
  EXPECT_EQ(made->json()["thread"]["originPluginId"].asString(), "todo");
  EXPECT_EQ(extras_.metadata(thread_, "todo").value().dump(), R"({"card":7})");
  EXPECT_EQ(ask(route, R"({"projectId":"proj_a","prompt":"a","sectionId":"sec_x"})")->errorCode(),
            "not_found");
}

TEST_F(ThreadRoutesTest, NothingIsKeptForAPluginThatIsNotThere) {
  EXPECT_EQ(ask("POST /api/v1/threads", R"({"projectId":"proj_a","prompt":"a","origin":"plugin",)"
                                        R"("originPluginId":"ghost"})")
                ->errorCode(),
            "unknown_plugin");
  EXPECT_THAT(ids(), ::testing::IsEmpty());
  spawn("hello");
  const char* path = " /api/v1/threads/:threadId/plugin-metadata/:pluginId";
  const auto put = [&](const char* plugin) {
    return ask(std::string("PUT") + path, R"({"metadata":{"a":1}})", {}, {"pluginId", plugin});
  };
  EXPECT_EQ(put("ghost")->errorCode(), "unknown_plugin");
  EXPECT_EQ(ask(std::string("GET") + path, {}, {}, {"pluginId", "ghost"})->errorCode(),
            "unknown_plugin");
  EXPECT_EQ(put("todo")->json()["metadata"].dump(), R"({"a":1})");
}

TEST_F(ThreadRoutesTest, AMessageIsSaidOnceAndItsMentionsLieWithinIt) {
  const auto code = [this](const std::string& rest) {
    return ask("POST /api/v1/threads", R"({"projectId":"proj_a",)" + rest + "}")->errorCode();
  };
  EXPECT_EQ(code(R"("prompt":"a","input":[{"type":"text","text":"b"}])"), "invalid_input");
  const auto mentions = [&code](const char* text, const char* offsets) {
    return code(std::string(R"("input":[{"type":"text","text":")") + text + R"(","mentions":[{)" +
                offsets + R"(,"resource":{"kind":"thread","threadId":"t","label":"t"}}]}])");
  };
  for (const char* wrong : {R"("start":90,"end":3)", R"("start":0,"end":5)",
                            R"("start":-1,"end":1)", R"("start":0)", R"("start":"0","end":1)"}) {
    EXPECT_EQ(mentions("@abc", wrong), "invalid_input") << wrong;
  }
  EXPECT_EQ(mentions("@abc", R"("start":0,"end":4)"), "");
  // As JavaScript counts: one character beyond the BMP is two.
  EXPECT_EQ(mentions("\xF0\x9F\x98\x80@a", R"("start":2,"end":4)"), "");
  EXPECT_EQ(mentions("\xC3\xA9@a", R"("start":1,"end":4)"), "invalid_input");
}

TEST_F(ThreadRoutesTest, WordsOfABlockThatAreNotKnownAreRefused) {
  const auto code = [this](const std::string& rest) {
    return ask("POST /api/v1/threads",
               R"({"projectId":"proj_a","input":[{"type":"text","text":"@a",)" + rest + "}]}")
        ->errorCode();
  };
  for (const char* wrong : {R"("hidden")", R"("agent_only")", R"("")", "7", "{}"}) {
    EXPECT_EQ(code(std::string(R"("visibility":)") + wrong), "invalid_input") << wrong;
  }
  EXPECT_EQ(code(R"("visibility":"agent-only")"), "");
  EXPECT_EQ(code(R"("visibility":null)"), "");
  const auto mention = [&code](const char* resource) {
    return code(std::string(R"("mentions":[{"start":0,"end":2,"resource":{)") + resource + "}}]");
  };
  for (const char* wrong :
       {R"("kind":"file")", R"("kind":7)", R"("kind":"path","source":"home")",
        R"("kind":"path","entryKind":"")", R"("kind":"command","source":"workspace")",
        R"("kind":"command","origin":"plugin")"}) {
    EXPECT_EQ(mention(wrong), "invalid_input") << wrong;
  }
  EXPECT_EQ(mention(R"("kind":"path","source":"workspace","entryKind":"file","path":"a")"), "");
  EXPECT_EQ(mention(R"("kind":"command","source":"skill","origin":"user","trigger":"/")"), "");
}

TEST_F(ThreadRoutesTest, CompactingAndEditingAreConflictsForAgentsThatCannot) {
  spawn("hello");
  const char* compact = "POST /api/v1/threads/:threadId/compact";
  const char* edit = "POST /api/v1/threads/:threadId/edit-message";
  const char* message = R"({"operationId":"o","input":[{"type":"text","text":"a"}]})";
  EXPECT_THAT(ask(compact)->json()["error"]["message"].asString(), HasSubstr("busy"));
  begin();
  finish();
  EXPECT_EQ(ask(compact)->errorCode(), "conflict");
  EXPECT_EQ(ask(edit, message)->errorCode(), "conflict");
  EXPECT_EQ(ask(edit, R"({"input":[]})")->errorCode(), "invalid_input");
  thread_ = "thr_x";
  EXPECT_EQ(ask(compact)->errorCode(), "not_found");
  EXPECT_EQ(ask(edit, message)->errorCode(), "not_found");
}

TEST_F(ThreadRoutesTest, AMessageThatIsTooLongSaysWhereTheRestGoes) {
  const auto refused = ask("POST /api/v1/threads", R"({"projectId":"proj_a","prompt":")" +
                                                       std::string(kInput + 1, 'x') + R"("})");
  EXPECT_EQ(refused->errorCode(), "invalid_input");
  EXPECT_THAT(refused->json().dump(), testing::HasSubstr("put the rest into a file"));
}

TEST_F(ThreadRoutesTest, JoinedMessagesAreToldApartInTheLog) {
  spawn("hello");
  begin();
  EXPECT_TRUE(send("one").ok());
  EXPECT_TRUE(send("two").ok());
  EXPECT_TRUE(send("three").ok());
  const auto rows = book_->queue(thread_);
  const char* route = "POST /api/v1/threads/:threadId/queued-messages/group-boundary";
  const auto grouped = ask(route, R"({"groupBoundaryQueuedMessageId":")" + rows[1].id +
                                      R"(","expectedGroupedPrefixQueuedMessageIds":[")" +
                                      rows[0].id + R"(",")" + rows[1].id + R"("]})");
  EXPECT_TRUE(grouped->json()["queuedMessages"].items()[0]["groupWithNext"].asBool());
  EXPECT_EQ(ask(route, R"({"groupBoundaryQueuedMessageId":null,)"
                       R"("expectedGroupedPrefixQueuedMessageIds":[]})")
                ->json()["queuedMessages"]
                .items()[0]["groupWithNext"]
                .asBool(true),
            false);
  EXPECT_EQ(ask(route, R"({"groupBoundaryQueuedMessageId":")" + rows[1].id +
                           R"(","expectedGroupedPrefixQueuedMessageIds":[")" + rows[0].id +
                           R"(",")" + rows[1].id + R"("]})")
                ->status(),
            200U);
  finish();
  const auto asked = store_
                         .events({.thread_id = thread_,
                                  .descending = true,
                                  .types = {"client/turn/requested"},
                                  .limit = 1})
                         .value();
  const auto groups = parsed(asked.front().data)["inputGroups"].items();
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[1].items().front()["text"].asString(), "two");
  EXPECT_THAT(waiting(), ElementsAre("three"));
}

TEST_F(ThreadRoutesTest, SaysWhenNobodyCanTakeTheJob) {
  workers_.full = true;
  EXPECT_EQ(ask("GET /api/v1/threads")->errorCode(), "overloaded");
}

TEST_F(ThreadRoutesTest, ReadsThatMayTakeLongAreGivenUpWhenTheServerStops) {
  spawn("hello");
  routes_.close();
  const std::string thread = "GET /api/v1/threads/:threadId";
  for (const char* route : {"/timeline", "/timeline/turns/:turnId", "/conversation-outline"}) {
    const auto refused = ask(thread + route, {}, "sourceSeqStart=1&sourceSeqEnd=2");
    EXPECT_EQ(refused->status(), 503U) << route;
    EXPECT_EQ(refused->errorCode(), "unavailable") << route;
  }
  EXPECT_EQ(ask(thread)->status(), 200U);
}

}  // namespace
}  // namespace svc::threads
