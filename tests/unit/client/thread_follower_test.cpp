#include "thread_follower_fixture.h"

namespace svc::client {
namespace {

using common::Json;
using Kind = ThreadNews::Kind;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(ThreadFollowerTest, ShowsATurnUntilItsEnd) {
  begin();
  play = {
      logs("item/started", R"({"item":{"id":"i1","type":"commandExecution","command":"make"}})"),
      logs(
          "item/completed",
          R"({"item":{"id":"i1","type":"commandExecution","command":"make","aggregatedOutput":"one\ntwo\u001b]0;x\u0007\n","exitCode":2,"status":"failed"}})"),
      logs(
          "item/completed",
          R"({"item":{"id":"i2","type":"fileChange","status":"completed","changes":[{"path":"a.c","kind":"update","diff":"@@ -1 +1 @@\n-a\n+b"}]}})"),
      logs("item/completed",
           R"({"item":{"id":"i3","type":"agentMessage","text":"It is\u001b[2J fixed."}})"),
      completes()};
  EXPECT_EQ(start(), 0);
  EXPECT_EQ(followed, "thr_1");
  EXPECT_EQ(out.str(),
            "> fix it\n"
            "$ make\n"
            "  one\n"
            "  two]0;x\n"
            "  exit code 2\n"
            "M a.c\n"
            "  @@ -1 +1 @@\n"
            "  -a\n"
            "  +b\n"
            "It is[2J fixed.\n"
            "-- completed\n");
  EXPECT_EQ(err.str(), "Started thr_1 with a in shop.\n");
}

TEST_F(ThreadFollowerTest, WhatAToolIsIsShownWhenItIsKnown) {
  begin();
  const auto command = [this](const char* type, const char* id, const char* text) {
    return logs(type, fmt::format(R"({{"item":{{"id":"{}","type":"commandExecution",)"
                                  R"("command":"{}","status":"completed"}}}})",
                                  id, text));
  };
  std::string shown;
  play = {command("item/started", "i1", "Terminal"),
          command("item/started", "i1", "ls -l"),
          command("item/completed", "i1", "ls -l"),
          command("item/started", "i2", "npm test"),
          {{}, {.kind = ThreadNews::Kind::kNothing}},
          {[&] { shown = out.str(); }, {.kind = ThreadNews::Kind::kChanged}},
          completes()};
  EXPECT_EQ(start(), 0);
  EXPECT_EQ(shown, "> fix it\n$ ls -l\n$ npm test\n") << "what takes long is shown meanwhile";
  EXPECT_EQ(out.str(), shown + "-- completed\n");
}

TEST_F(ThreadFollowerTest, WhatDidNotEndWellSaysSoInAWord) {
  begin();
  play = {
      logs(
          "item/completed",
          R"({"item":{"id":"i1","type":"toolCall","tool":"think","status":"failed","error":"no\nway"}})"),
      logs("item/completed",
           R"({"item":{"id":"i2","type":"toolCall","tool":"read","status":"interrupted",)"
           R"("statusLabels":{"pending":"Read a.c","completed":"Read a.c"}}})"),
      logs(
          "item/completed",
          R"({"item":{"id":"i3","type":"toolCall","tool":"write","status":"completed","result":"ok"}})"),
      logs(
          "item/completed",
          R"({"item":{"id":"i4","type":"commandExecution","command":"rm x","status":"failed","approvalStatus":"denied"}})"),
      logs(
          "item/completed",
          R"({"item":{"id":"i5","type":"commandExecution","command":"sleep 9","status":"interrupted","exitCode":130}})"),
      logs("item/completed",
           R"({"item":{"id":"i6","type":"webFetch","url":"http://x","status":"failed"}})"),
      logs(
          "item/completed",
          R"({"item":{"id":"i7","type":"fileChange","status":"interrupted","changes":[{"path":"a.c","kind":"add"}]}})"),
      completes()};
  EXPECT_EQ(start(), 0);
  EXPECT_EQ(out.str(),
            "> fix it\n"
            "* think\n"
            "  failed: no\n"
            "  way\n"
            "* read: Read a.c\n"
            "  interrupted\n"
            "* write\n"
            "  ok\n"
            "$ rm x\n"
            "  denied\n"
            "$ sleep 9\n"
            "  interrupted\n"
            "  exit code 130\n"
            "* fetch: http://x\n"
            "  failed\n"
            "A a.c (interrupted)\n"
            "-- completed\n");
}

TEST_F(ThreadFollowerTest, ATextGrowsOnItsLine) {
  begin();
  const auto grows = [](const char* metadata) {
    return Happening{{}, {.kind = Kind::kChanged, .metadata = Json::parse(metadata).value()}};
  };
  play = {
      logs("item/started", R"({"item":{"id":"i1","type":"agentMessage","text":""}})"),
      grows(
          R"({"fromSeq":3,"throughSeq":3,"deltas":[{"itemId":"i1","field":"text","offset":0,"text":"Grün 😀"}]})"),
      grows(
          R"({"fromSeq":3,"throughSeq":3,"deltas":[{"itemId":"i1","field":"text","offset":7,"text":" ist"},{"itemId":"i1","field":"text","offset":20,"text":"lost"}]})"),
      logs("item/completed",
           R"({"item":{"id":"i1","type":"agentMessage","text":"Grün 😀 ist es."}})"),
      completes()};
  const auto before = [this] { return server.requests.size(); };
  EXPECT_EQ(start(), 0);
  EXPECT_EQ(out.str(), "> fix it\nGrün 😀 ist es.\n-- completed\n");
  EXPECT_GT(before(), 0U);
  // Frames without new events ask the server for nothing.
  EXPECT_EQ(std::count_if(server.requests.begin(), server.requests.end(),
                          [](const auto& each) { return each.find("/events?") != each.npos; }),
            4);
}

TEST_F(ThreadFollowerTest, PiecesBehindTheEndOfTheirItemAreNothingNew) {
  begin();
  play = {
      {[this] {
         server.log("item/started", R"({"item":{"id":"i1","type":"agentMessage","text":""}})");
         server.log("item/completed",
                    R"({"item":{"id":"i1","type":"agentMessage","text":"Done."}})");
       },
       {.kind = Kind::kChanged,
        .metadata =
            Json::parse(
                R"({"fromSeq":3,"throughSeq":4,"deltas":[{"itemId":"i1","field":"text","offset":0,"text":"Done."}]})")
                .value()}},
      completes()};
  EXPECT_EQ(start(), 0);
  EXPECT_EQ(out.str(), "> fix it\nDone.\n-- completed\n");
}

TEST_F(ThreadFollowerTest, LatePiecesOfAnEarlierTurnAreNotOfThisOne) {
  begin();
  play = {
      {{},
       {.kind = Kind::kChanged,
        .metadata =
            Json::parse(
                R"({"fromSeq":1,"throughSeq":1,"deltas":[{"itemId":"i0","field":"text","offset":0,"text":"Earlier."}]})")
                .value()}},
      completes()};
  EXPECT_EQ(start(), 0);
  EXPECT_EQ(out.str(), "> fix it\n-- completed\n");
}

TEST_F(ThreadFollowerTest, AnAgentThatHasForgottenIsTold) {
  begin();
  play = {logs("thread/identity",
               R"({"started":"replaced","message":"this is a new one, which does not know"})"),
          completes()};
  EXPECT_EQ(start(), 0);
  EXPECT_EQ(out.str(), "> fix it\nthis is a new one, which does not know\n-- completed\n");
}

TEST_F(ThreadFollowerTest, AChangeThatIsAskedAboutIsShownBefore) {
  begin();
  const auto change = [](const char* status, const char* approval) {
    return fmt::format(
        R"({{"item":{{"id":"i1","type":"fileChange","changes":[{{"path":"a.c","kind":"add","diff":"+b"}}],"status":"{}","approvalStatus":{}}}}})",
        status, approval);
  };
  play = {logs("item/started", change("pending", R"("waiting_for_approval")")),
          logs("item/started", change("pending", "null")),
          logs("item/completed", change("completed", "null")), completes()};
  EXPECT_EQ(start(), 0);
  EXPECT_EQ(out.str(), "> fix it\nA a.c (asks)\n  +b\nA a.c\n-- completed\n");
}

TEST_F(ThreadFollowerTest, NoLineIsDoubledWhenTheServerComesBack) {
  begin();
  const auto says = [this](const char* id, const char* text) {
    server.log(
        "item/completed",
        fmt::format(R"({{"item":{{"id":"{}","type":"agentMessage","text":"{}"}}}})", id, text));
  };
  play = {{[&] { says("i1", "before"); }, {.kind = Kind::kChanged}},
          {[&] {
             server.down = true;
             says("i2", "meanwhile");
           },
           {.kind = Kind::kLost}},
          {{}, {.kind = Kind::kNothing}},  // the first wait
          {[&] { server.down = false; }, {.kind = Kind::kNothing}},
          {[&] { says("i3", "after"); }, {.kind = Kind::kChanged}},
          completes()};
  EXPECT_EQ(start(), 0);
  EXPECT_EQ(out.str(), "> fix it\nbefore\nmeanwhile\nafter\n-- completed\n");
  EXPECT_THAT(err.str(), HasSubstr("the connection to the server is lost; trying again"));
  EXPECT_EQ(connections, 2);
}

TEST_F(ThreadFollowerTest, AServerThatStaysAwayIsGivenUp) {
  begin();
  play.push_back({[this] { server.down = true; }, {.kind = Kind::kLost}});
  for (int i = 0; i < 100; ++i) {
    play.push_back({{}, {.kind = Kind::kNothing}});
  }
  EXPECT_EQ(start(), 69);
  EXPECT_GT(play.size(), 50U);
  EXPECT_THAT(err.str(), HasSubstr("the server did not come back; the turn may go on there"));
}

TEST_F(ThreadFollowerTest, EndsAsTheTurnDoes) {
  for (const auto& [type, data, shown] :
       {std::tuple("turn/completed",
                   R"({"status":"failed","error":{"message":"no credit\u001b[2J"}})",
                   "-- failed: no credit[2J\n"),
        std::tuple("turn/completed", R"({"status":"interrupted"})", "-- interrupted\n"),
        std::tuple("client/turn/rejected", R"({"requestId":"req_1","message":"a hook said no"})",
                   "not started: a hook said no\n")}) {
    server.events.clear();
    out.str("");
    err.str("");
    begin();
    play = {logs(type, data)};
    EXPECT_EQ(start(), 1);
    EXPECT_THAT(out.str(), HasSubstr(shown));
    EXPECT_THAT(err.str(), HasSubstr("hint: `svc thread retry thr_1` tries it again\n"));
  }
}

TEST_F(ThreadFollowerTest, NothingThatCannotBeDoneIsAdvised) {
  const auto ends = R"({"status":"interrupted","error":{"message":"the turn was stopped"}})";
  begin();
  server.archived_at = "5";
  play = {logs("turn/completed", ends)};
  EXPECT_EQ(start(), 1);
  EXPECT_THAT(
      err.str(),
      EndsWith("hint: the thread is archived; `svc thread unarchive thr_1`, then `svc thread "
               "retry thr_1` tries it again\n"));
  server.archived_at = "null";
  const auto expectDeleted = [this](Happening end) {
    err.str("");
    server.events.clear();
    begin();
    play = {logs("turn/note", "{}"), std::move(end)};
    EXPECT_EQ(start(), 1);
    EXPECT_THAT(err.str(), EndsWith("\nsvc: the thread was deleted\n"));
    EXPECT_THAT(err.str(), Not(HasSubstr("retry")));
    server.deleted = server.log_deleted = false;
  };
  expectDeleted(
      logs("turn/completed", R"({"status":"interrupted","error":{"code":"thread-deleted"}})"));
  expectDeleted(logs("client/turn/rejected", R"({"requestId":"req_1","reason":"thread-deleted"})"));
  expectDeleted({[&] {
                   server.log("turn/completed", ends);
                   server.deleted = true;
                 },
                 {.kind = Kind::kChanged}});
  expectDeleted({[&] { server.log_deleted = true; }, {.kind = Kind::kChanged}});
}

TEST_F(ThreadFollowerTest, SaysOnceWhyATurnWasInterrupted) {
  begin();
  play = {logs("system/thread/interrupted", R"({"reason":"server-restart"})"),
          logs("turn/completed",
               R"({"status":"interrupted","error":{"message":"the server was restarted"}})")};
  EXPECT_EQ(start(), 1);
  EXPECT_EQ(out.str(), "> fix it\n-- interrupted: the server was restarted\n");
}

TEST_F(ThreadFollowerTest, TurnsOfSubagentsEndNothing) {
  begin();
  play = {logs("turn/completed", R"({"status":"completed","parentToolCallId":"call_1"})"),
          logs("turn/completed", R"({"status":"failed"})")};
  EXPECT_EQ(start(), 1);
  EXPECT_EQ(out.str(), "> fix it\n-- failed\n");
}

TEST_F(ThreadFollowerTest, CtrlCLeavesTheTurnRunning) {
  begin();
  play = {{{}, {.kind = Kind::kInterrupted}}};
  EXPECT_EQ(start(), 130);
  EXPECT_THAT(err.str(), HasSubstr("The turn goes on. `svc thread stop thr_1` stops it, "
                                   "`svc thread follow thr_1` comes back.\n"));
}

TEST_F(ThreadFollowerTest, AWarningSaysWhatItIsAbout) {
  begin();
  play = {logs("provider/warning", R"({"summary":"other settings","details":"no model \"zzz\""})"),
          logs("provider/warning", R"({"summary":"","details":"slow"})"), completes()};
  EXPECT_EQ(start(), 0);
  EXPECT_THAT(out.str(), HasSubstr("warning: other settings: no model \"zzz\"\nwarning: slow\n"));
}

TEST_F(ThreadFollowerTest, JsonIsAnEventALine) {
  begin();
  play = {completes()};
  EXPECT_EQ(
      runWords({"--json", "thread", "start", "fix it", "--project", "shop", "--follow"}, true), 0);
  std::istringstream lines(out.str());
  std::vector<std::string> types;
  for (std::string line; std::getline(lines, line);) {
    types.push_back(Json::parse(line).value()["type"].asString());
  }
  EXPECT_EQ(types, (std::vector<std::string>{"", "client/turn/requested", "turn/started",
                                             "turn/completed"}));
}

TEST_F(ThreadFollowerTest, FollowBeginsWithTheNewestTurn) {
  begin();
  server.log("turn/completed", R"({"status":"failed"})");
  server.log("client/turn/requested",
             R"({"requestId":"req_2","input":[{"type":"text","text":"again"}]})");
  server.log(
      "client/turn/requested",
      R"({"requestId":"req_3","input":[{"type":"text","text":"faster"}],"target":{"kind":"steer"}})");
  server.log("turn/completed", R"({"status":"completed"})");
  EXPECT_EQ(runWords({"thread", "follow", "thr_1"}), 0);
  EXPECT_EQ(out.str(), "> again\n> faster\n-- completed\n");
  out.str("");
  EXPECT_EQ(runWords({"thread", "follow", "thr_1", "--all"}), 0);
  EXPECT_EQ(out.str(), "> fix it\n-- failed\n> again\n> faster\n-- completed\n");
  out.str("");
  EXPECT_EQ(runWords({"thread", "wait", "thr_1"}), 0);
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(runWords({"--json", "thread", "wait", "thr_1"}), 0);
  EXPECT_THAT(out.str(), HasSubstr(R"("type":"turn/completed")"));
}

TEST_F(ThreadFollowerTest, AQueueThatRestsIsNotWaitedFor) {
  begin();
  server.sent = R"({"ok":true,"outcome":"queued","turnRequestId":null,"queuedMessageId":"qm_1"})";
  server.queue = R"({"id":"qm_1","waitingOn":{"kind":"thread-busy"},"sendAt":null})";
  // The thread says a moment later that it has failed.
  play = {logs("turn/completed", R"({"status":"failed"})"),
          {[this] { server.status = "error"; }, {.kind = Kind::kNothing}},
          {}};
  EXPECT_EQ(runWords({"thread", "send", "thr_1", "and the docs", "--follow"}), 1);
  EXPECT_EQ(out.str(), "-- failed\n");
  EXPECT_THAT(err.str(),
              HasSubstr("svc: the message goes on waiting: the turn before it has failed"));
  EXPECT_THAT(err.str(), HasSubstr("`svc thread queue send thr_1 qm_1` sends the next message"));
}

TEST_F(ThreadFollowerTest, AQueueThatWaitsForARetryIsWaitedFor) {
  begin();
  server.sent = R"({"ok":true,"outcome":"queued","turnRequestId":null,"queuedMessageId":"qm_1"})";
  server.queue =
      R"({"id":"qm_0","waitingOn":{"kind":"time"},"sendAt":1},{"id":"qm_1","waitingOn":null,"sendAt":null})";
  server.status = "error";
  play = {logs("turn/completed", R"({"status":"failed"})"),
          logs("client/turn/requested",
               R"({"requestId":"req_2","input":[{"type":"text","text":"and the docs"}]})"),
          completes()};
  EXPECT_EQ(runWords({"thread", "send", "thr_1", "and the docs", "--follow"}), 0);
}

TEST_F(ThreadFollowerTest, AQueuedMessageIsFollowedToItsOwnEnd) {
  begin();
  server.sent = R"({"ok":true,"outcome":"queued","turnRequestId":null,"queuedMessageId":"qm_1"})";
  server.queue = R"({"id":"qm_1","waitingOn":{"kind":"thread-busy"},"sendAt":null})";
  play = {
      logs("turn/completed", R"({"status":"failed"})"),
      logs(
          "client/turn/requested",
          R"({"requestId":"req_2","input":[{"type":"text","text":"one"},{"type":"text","text":"and the docs"}]})"),
      completes()};
  EXPECT_EQ(runWords({"thread", "send", "thr_1", "and the docs", "--follow"}), 0);
  EXPECT_EQ(out.str(), "-- failed\n> one\n> and the docs\n-- completed\n");
  EXPECT_THAT(err.str(), HasSubstr("The message waits in the queue.\n"));
}

class QueuedMessageTest : public ThreadFollowerTest {
 protected:
  void SetUp() override {
    begin();
    server.sent = R"({"ok":true,"outcome":"queued","turnRequestId":null,"queuedMessageId":"qm_1"})";
    says("and the docs");
  }
  void says(const std::string& text) {
    server.queue = R"({"id":"qm_1","editable":true,"waitingOn":{"kind":"thread-busy"},)"
                   R"("sendAt":null,"content":[{"type":"text","text":")" +
                   text + R"("}]})";
  }
  /// It leaves the queue, and a turn begins with this text.
  Happening sent(const std::string& text) {
    return {[this, text] {
              server.queue.clear();
              server.log(
                  "client/turn/requested",
                  R"({"requestId":"req_2","input":[{"type":"text","text":")" + text + R"("}]})");
            },
            {.kind = Kind::kChanged}};
  }
  int send() { return runWords({"thread", "send", "thr_1", "and the docs", "--follow"}); }
};

TEST_F(QueuedMessageTest, OneThatIsDeletedIsNotWaitedFor) {
  play = {{[this] { server.queue.clear(); }, {.kind = Kind::kChanged}}, {}};
  EXPECT_EQ(send(), 1);
  EXPECT_THAT(err.str(), HasSubstr("svc: the message does not wait any more, and no turn has begun "
                                   "with it: it was deleted\n"));
}

TEST_F(QueuedMessageTest, ARetryAndTheFirstMessageOfAThreadAreAwaitedAlike) {
  server.sent = R"({"ok":true,"queuedMessageId":"qm_1","attempt":2})";
  play = {{[this] { server.queue.clear(); }, {.kind = Kind::kChanged}}, {}};
  EXPECT_EQ(runWords({"thread", "retry", "thr_1", "--follow"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("it was deleted"));
  err.str("");
  server.events.clear();
  says("fix it");
  server.made = R"({"ok":true,"thread":{"id":"thr_1","providerId":"a","status":"pending"}})";
  play = {{[this] { server.queue.clear(); }, {.kind = Kind::kChanged}}, {}};
  EXPECT_EQ(start(), 1);
  EXPECT_THAT(err.str(), HasSubstr("it was deleted"));
}

TEST_F(QueuedMessageTest, OneThatWasDeletedBeforeTheConnectionStoodIsNotWaitedFor) {
  server.queue.clear();
  play = {{}};
  EXPECT_EQ(send(), 1);
  EXPECT_THAT(err.str(), HasSubstr("it was deleted"));
}

TEST_F(QueuedMessageTest, OneThatIsChangedIsFollowedAsItIsThen) {
  play = {{[this] { says("and the tests"); }, {.kind = Kind::kChanged}},
          completes(),
          sent("and the tests"),
          logs("turn/completed", R"({"turnId":"turn_2","status":"completed"})")};
  EXPECT_EQ(send(), 0);
  EXPECT_EQ(out.str(), "-- completed\n> and the tests\n-- completed\n");
}

TEST_F(QueuedMessageTest, ThatOfAnArchivedThreadIsNotWaitedFor) {
  play = {{[this] { server.archived_at = "1"; }, {.kind = Kind::kChanged}}, {}};
  EXPECT_EQ(send(), 1);
  EXPECT_THAT(err.str(), HasSubstr("the message goes on waiting: the thread was archived"));
  EXPECT_THAT(err.str(), HasSubstr("`svc thread unarchive thr_1`"));
}

TEST_F(QueuedMessageTest, WhoLeavesHearsThatItWaits) {
  EXPECT_EQ(send(), 130);
  EXPECT_THAT(err.str(), HasSubstr("The message goes on waiting. `svc thread queue list thr_1`"));
}

TEST_F(ThreadFollowerTest, AThreadWithoutATurnIsNotWaitedFor) {
  server.status = "idle";
  for (const char* command : {"wait", "follow"}) {
    err.str("");
    EXPECT_EQ(runWords({"thread", command, "thr_1"}), 1);
    EXPECT_THAT(err.str(), HasSubstr("svc: there is no turn to wait for: nothing was said in thr_1 "
                                     "yet\nhint: `svc thread send`"));
  }
  EXPECT_EQ(connections, 0);
}

TEST_F(ThreadFollowerTest, ATurnThatBeganLongAgoIsFollowedFromNow) {
  server.log("item/completed", "{}");
  play = {completes()};
  EXPECT_EQ(runWords({"thread", "wait", "thr_1"}), 0);
}

}  // namespace
}  // namespace svc::client
