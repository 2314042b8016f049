#include "threads/thread_follower.h"

#include <deque>
#include <functional>

#include <fmt/format.h>

#include "app.h"
#include "client_fixture.h"

namespace svc::client {
namespace {

using common::Json;
using Kind = ThreadNews::Kind;
using ::testing::HasSubstr;
using ::testing::Not;

/// A server with one thread, as its routes show it.
class ThreadServer final : public IHttpClient {
 public:
  Result<HttpResponse> send(const HttpRequest& request) override {
    if (down) {
      return Error{errc::kUnavailable, "nothing answers"};
    }
    requests.push_back(request.method + " " + request.target + " " + request.body);
    const auto& target = request.target;
    if (request.method == "POST") {
      if (target.ends_with("/resolve")) {
        interactions = "[]";
        if (on_answer) {
          on_answer();
        }
        return HttpResponse{200, R"({"ok":true,"interaction":{}})"};
      }
      return target.ends_with("/send")
                 ? HttpResponse{200, sent}
                 : HttpResponse{201, R"({"ok":true,"thread":{"id":"thr_1","providerId":"a"}})"};
    }
    if (target.ends_with("/threads/thr_1") || target.ends_with("/queued-messages")) {
      return HttpResponse{200, R"({"ok":true,"thread":{"id":"thr_1","status":")" + status +
                                   R"("},"queuedMessages":[)" + queue + "]}"};
    }
    if (target.ends_with("/interactions")) {
      return HttpResponse{200, R"({"ok":true,"interactions":)" + interactions + "}"};
    }
    if (target.starts_with("/api/v1/projects")) {
      return HttpResponse{200, R"({"ok":true,"projects":[{"id":"p","name":"shop","sources":[]}]})"};
    }
    return HttpResponse{200, R"({"ok":true,"events":[)" + eventsFor(target) + "]}"};
  }

  void log(const std::string& type, const std::string& data) {
    events.push_back(
        fmt::format(R"({{"seq":{},"type":"{}","data":{}}})", events.size() + 1, type, data));
  }

  std::vector<std::string> events;
  std::vector<std::string> requests;
  std::string interactions = "[]";
  std::string status = "active";
  std::string queue;
  std::string sent;
  std::function<void()> on_answer;
  bool down = false;

 private:
  std::string eventsFor(const std::string& target) const {
    const auto at = target.find("afterSeq=");
    std::string out;
    if (target.find("order=desc") != std::string::npos) {
      const bool requests_only = target.find("types=") != std::string::npos;
      for (auto each = events.rbegin(); each != events.rend(); ++each) {
        if (!requests_only || each->find("client/turn/requested") != std::string::npos) {
          out += (out.empty() ? "" : ",") + *each;
        }
      }
      return out;
    }
    const auto after = at == std::string::npos ? 0 : std::stoul(target.substr(at + 9));
    for (auto seq = after; seq < events.size(); ++seq) {
      out += (out.empty() ? "" : ",") + events[seq];
    }
    return out;
  }
};

/// What happens, one thing after the other. Each may change the server before it is told.
struct Happening {
  std::function<void()> before{};
  ThreadNews news{.kind = Kind::kChanged};
};

class PlayedThread final : public ILiveThread {
 public:
  PlayedThread(std::deque<Happening>& play, ThreadServer& server, int& connections,
               std::vector<bool>& wanted)
      : play_(play), server_(server), connections_(connections), wanted_(wanted) {}
  Status connect(const ServerAddress& /*address*/) override {
    if (server_.down) {
      return Error{errc::kUnavailable, "nothing answers"};
    }
    ++connections_;
    return {};
  }
  ThreadNews next(bool want_line, std::chrono::milliseconds /*patience*/) override {
    wanted_.push_back(want_line);
    if (play_.empty()) {
      return {.kind = Kind::kInterrupted};  // a test that waits for more ends
    }
    const auto happening = play_.front();
    play_.pop_front();
    if (happening.before) {
      happening.before();
    }
    return happening.news;
  }

 private:
  std::deque<Happening>& play_;
  ThreadServer& server_;
  int& connections_;
  std::vector<bool>& wanted_;
};

class ThreadFollowerTest : public ClientTest {
 protected:
  int runWords(std::vector<std::string> words, bool terminal = false) {
    auto made = context();
    made.console.in_terminal = terminal;
    made.connector = [this](const std::string&) -> Result<std::unique_ptr<IHttpClient>> {
      struct ToServer final : IHttpClient {
        explicit ToServer(ThreadServer& to) : server(to) {}
        Result<HttpResponse> send(const HttpRequest& request) override {
          return server.send(request);
        }
        ThreadServer& server;
      };
      return Result<std::unique_ptr<IHttpClient>>(std::make_unique<ToServer>(server));
    };
    made.live_thread = [this](const std::string& id) {
      followed = id;
      return std::make_unique<PlayedThread>(play, server, connections, wanted);
    };
    return run(made, std::move(words));
  }
  int start(bool terminal = false) {
    return runWords({"thread", "start", "fix it", "--project", "shop", "--follow"}, terminal);
  }
  Happening logs(const std::string& type, const std::string& data) {
    return {[this, type, data] { server.log(type, data); }, {.kind = Kind::kChanged}};
  }
  Happening asked(const std::string& interaction) {
    return {[this, interaction] {
              server.interactions = "[" + interaction + "]";
              server.log("system/permissionGrant/lifecycle", R"({"status":"pending"})");
            },
            {.kind = Kind::kChanged}};
  }
  static Happening typed(const std::string& line) {
    return {{}, {.kind = Kind::kLine, .metadata = {}, .line = line}};
  }
  void begin() {
    server.log("client/turn/requested",
               R"({"requestId":"req_1","input":[{"type":"text","text":"fix it"}]})");
    server.log("turn/started", R"({"turnId":"turn_1"})");
  }
  Happening completes() {
    return logs("turn/completed", R"({"turnId":"turn_1","status":"completed"})");
  }

  ThreadServer server;
  std::deque<Happening> play;
  int connections = 0;
  std::vector<bool> wanted;
  std::string followed;
};

constexpr auto kMayRun =
    R"({"id":"int_1","status":"pending","origin":{"kind":"provider"},"payload":{"kind":"approval","reason":null,)"
    R"("availableDecisions":["allow_once","allow_for_session","deny"],"subject":{"kind":"command","command":"make\u001b[2J","cwd":"/src"}}})";

constexpr auto kTwoQuestions =
    R"({"id":"int_1","status":"pending","origin":{"kind":"provider"},"payload":{"kind":"user_question","questions":[)"
    R"({"id":"color","prompt":"Color","options":[{"value":"r","label":"Red"}],"multiSelect":false,"allowFreeText":false},)"
    R"({"id":"other","prompt":"Other","multiSelect":false,"allowFreeText":true,"optional":true}]}})";
constexpr auto kTwoQuestionsShown =
    "1. Color\n  1 Red\n  a number:\n2. Other\n  text, or nothing to leave it out:\n"
    "hint: `svc thread answer thr_1 int_1 '<answer>' '<answer>'` answers\n";

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

TEST_F(ThreadFollowerTest, ACommandThatIsKnownLaterIsShownThen) {
  begin();
  const auto command = [](const char* words, const char* status) {
    return fmt::format(
        R"({{"item":{{"id":"i1","type":"commandExecution","command":"{}","status":"{}"}}}})", words,
        status);
  };
  play = {logs("item/started", command("bash", "pending")),
          logs("item/started", command("make", "pending")),
          logs("item/completed", command("make", "completed")), completes()};
  EXPECT_EQ(start(), 0);
  EXPECT_EQ(out.str(), "> fix it\n$ bash\n$ make\n-- completed\n");
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

TEST_F(ThreadFollowerTest, AsksOnATerminal) {
  begin();
  server.on_answer = [this] {
    server.log("system/permissionGrant/lifecycle",
               R"({"status":"resolved","resolution":{"decision":"allow_for_session"}})");
  };
  play = {asked(kMayRun), typed("maybe"), typed("a"), completes()};
  EXPECT_EQ(start(true), 0);
  EXPECT_THAT(err.str(), HasSubstr("The agent wants to run\n  $ make[2J\n  in /src\n"
                                   "[y]es, [a]lways in this session of the agent, [n]o? "
                                   "answer with yes|always|no\n"
                                   "[y]es, [a]lways in this session of the agent, [n]o? "));
  EXPECT_THAT(out.str(), HasSubstr("allowed\n"));
  EXPECT_THAT(server.requests,
              ::testing::Contains(
                  "POST /api/v1/threads/thr_1/interactions/int_1/resolve "
                  R"({"resolution":{"decision":"allow_for_session","grantedPermissions":null}})"));
  // Lines are read only while something is asked.
  EXPECT_EQ(wanted, (std::vector<bool>{false, true, true, false}));
}

TEST_F(ThreadFollowerTest, AWarningSaysWhatItIsAbout) {
  begin();
  play = {logs("provider/warning", R"({"summary":"other settings","details":"no model \"zzz\""})"),
          logs("provider/warning", R"({"summary":"","details":"slow"})"), completes()};
  EXPECT_EQ(start(), 0);
  EXPECT_THAT(out.str(), HasSubstr("warning: other settings: no model \"zzz\"\nwarning: slow\n"));
}

TEST_F(ThreadFollowerTest, SaysHowToAnswerWhereNobodyCan) {
  begin();
  play = {asked(kMayRun), logs("system/operation", R"({"message":"x"})"), completes()};
  EXPECT_EQ(start(), 0);
  EXPECT_THAT(err.str(),
              HasSubstr("hint: `svc thread answer thr_1 int_1 yes|always|no` answers\n"));
  const auto first = err.str().find("wants to run");
  EXPECT_EQ(err.str().find("wants to run", first + 1), std::string::npos) << err.str();
}

TEST_F(ThreadFollowerTest, ShowsAllQuestionsWhereNobodyCanAnswer) {
  begin();
  play = {asked(kTwoQuestions), completes()};
  EXPECT_EQ(start(), 0);
  EXPECT_THAT(err.str(),
              HasSubstr(std::string("The agent asks 2 questions\n") + kTwoQuestionsShown));
}

TEST_F(ThreadFollowerTest, ShowsAllQuestionsWhenNoMoreLinesCome) {
  begin();
  play = {asked(kTwoQuestions), typed("1"), {{}, {.kind = Kind::kNoMoreLines}}, completes()};
  EXPECT_EQ(start(true), 0);
  EXPECT_THAT(err.str(), HasSubstr(kTwoQuestionsShown));
}

TEST_F(ThreadFollowerTest, AnEmptyLineLeavesAnOptionalQuestionOut) {
  begin();
  play = {asked(kTwoQuestions), typed("1"), typed(""), completes()};
  EXPECT_EQ(start(true), 0);
  EXPECT_THAT(
      server.requests,
      ::testing::Contains(
          "POST /api/v1/threads/thr_1/interactions/int_1/resolve "
          R"({"resolution":{"kind":"user_answer","answers":{"color":{"selected":["r"]}}}})"));
}

TEST_F(ThreadFollowerTest, WhatIsAnsweredElsewhereIsNoLongerAsked) {
  begin();
  play = {asked(kMayRun),
          {[this] {
             server.interactions = "[]";
             server.log("system/permissionGrant/lifecycle",
                        R"({"status":"resolved","resolution":{"decision":"deny"}})");
           },
           {.kind = Kind::kChanged}},
          completes()};
  EXPECT_EQ(start(true), 0);
  EXPECT_THAT(err.str(), HasSubstr("It is answered, or no longer asked.\n"));
  EXPECT_THAT(out.str(), HasSubstr("denied\n"));
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

}  // namespace
}  // namespace svc::client
