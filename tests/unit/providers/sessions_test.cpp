#include "svc/common/codes.h"
#include "svc/hostprotocol/agent_limits.h"

#include "fixture.h"

namespace svc::providers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SessionsTest : public SessionsFixture {};

constexpr const char* kKind = "<instructions>\nBe kind.\n</instructions>";

TEST_F(SessionsTest, AnAgentIsOpenedWithItsPlaceAndItsMode) {
  auto wanted = request();
  wanted.resume = "acp-before";
  wanted.execution = Json::object()
                         .set("permissionMode", "accept-edits")
                         .set("model", "default")
                         .set("reasoningLevel", "high");
  sessions_->open(std::move(wanted), [this](Result<OpenSession> opened) { opened_ = opened; });
  io_.runAll();
  ASSERT_EQ(lastType(), "agent.open");
  const auto& said = asked_.back().command;
  EXPECT_EQ(said["cwd"].asString(), "/work");
  EXPECT_EQ(said["resume"].asString(), "acp-before");
  EXPECT_EQ(said["approval"].asString(), "edits");
  EXPECT_TRUE(said["model"].isNull()) << "the agent's own default";
  EXPECT_EQ(said["reasoningLevel"].asString(), "high");
  answer(R"({"providerThreadId":"acp","started":"resumed"})");
  ASSERT_TRUE(opened_ && *opened_);
  EXPECT_EQ(opened_->value().agent_session, "acp");
  ASSERT_TRUE(prompt().value());
  EXPECT_THAT(prompted_["prompt"].items(), SizeIs(1)) << "it has heard its instructions before";
}

TEST_F(SessionsTest, AStopAbortsWhatTheAgentCallsAtOnce) {
  open(request());
  sessions_->cancel("ses_1", [](const Status&) {});
  io_.runAll();
  EXPECT_EQ(lastType(), "agent.cancel");
  EXPECT_THAT(outfitter_->aborted, ElementsAre(true));
}

TEST_F(SessionsTest, TheEndOfATurnAbortsWhatIsOpenAndNothingThatGoesOn) {
  open(request());
  ASSERT_TRUE(prompt("ses_1").value());
  say({event(1, "turn/completed", R"({"status":"completed","parentToolCallId":"t1"})")});
  EXPECT_THAT(outfitter_->aborted, IsEmpty()) << "a turn of the agent's own, inside its turn";
  say({event(2, "turn/completed", R"({"status":"failed"})")});
  EXPECT_THAT(outfitter_->aborted, ElementsAre(false));
}

TEST_F(SessionsTest, ChoicesOfALaterTurnAreSetOnceAndCount) {
  open(request());
  std::optional<Status> done;
  const auto set = [&](const char* mode, const char* model) {
    done.reset();
    sessions_->set("ses_1", Json::object().set("permissionMode", mode).set("model", model), {},
                   [&done](Status status) { done = std::move(status); });
    io_.runAll();
  };
  set("auto", "default");
  EXPECT_TRUE(done && *done) << "it has these";
  EXPECT_NE(lastType(), "agent.set");
  set("full", "large");
  ASSERT_EQ(lastType(), "agent.set");
  EXPECT_FALSE(done);
  EXPECT_EQ(asked_.back().command["approval"].asString(), "all");
  EXPECT_EQ(asked_.back().command["model"].asString(), "large");
  answer("{}");
  EXPECT_TRUE(done && *done);
  say({event(
      1, "question/asked",
      R"({"questionId":"q","payload":{"kind":"approval","subject":{"kind":"command","command":"ls"},"availableDecisions":["allow_once","deny"]}})")});
  EXPECT_EQ(lastType(), "agent.answer") << "everything is allowed now";
  answer("{}");
  set("auto", "large");
  refuse(errc::kNotSupported, "the agent has no such mode");
  EXPECT_EQ(done->error().code, errc::kNotSupported);
}

TEST_F(SessionsTest, PluginsAreAskedAgainBeforeAFurtherTurn) {
  open(request());
  EXPECT_THAT(outfitter_->asked_again, IsEmpty()) << "they were when it began";
  std::optional<Status> done;
  agents::AgentContext context;
  context.thread.title = "Renamed";
  sessions_->set("ses_1", request().execution, std::move(context),
                 [&done](Status status) { done = std::move(status); });
  io_.runAll();
  EXPECT_THAT(outfitter_->asked_again, ElementsAre("Renamed"));
  EXPECT_TRUE(done && *done);
  EXPECT_NE(lastType(), "agent.set") << "its choices are the same";
}

TEST_F(SessionsTest, InstructionsGoWithTheFirstPromptOnly) {
  open(request());
  ASSERT_TRUE(prompt().value());
  ASSERT_THAT(prompted_["prompt"].items(), SizeIs(2));
  EXPECT_EQ(prompted_["prompt"].items()[0]["text"].asString(), kKind);
  EXPECT_EQ(prompted_["prompt"].items()[1]["text"].asString(), "hello");
  ASSERT_TRUE(prompt().value());
  EXPECT_THAT(prompted_["prompt"].items(), SizeIs(1));
}

TEST_F(SessionsTest, SkillsThatTheMachineHasFetchedAreNamed) {
  outfitter_->skills = {{.name = "review", .description = "how to review", .tree = "t1"}};
  sessions_->open(request(), [this](Result<OpenSession> opened) { opened_ = std::move(opened); });
  io_.runAll();
  const auto skills = asked_.back().command["skills"];
  ASSERT_THAT(skills.items(), SizeIs(1));
  EXPECT_EQ(skills.items()[0]["tree"].asString(), "t1");
  answer(R"({"providerThreadId":"acp","started":"new","skillsDirectory":"/hostd/skills/x"})");
  ASSERT_TRUE(prompt().value());
  EXPECT_THAT(prompted_["prompt"].items()[0]["text"].asString(),
              HasSubstr("- review: how to review (/hostd/skills/x/review/SKILL.md)"));
}

TEST_F(SessionsTest, SkillsThatHaveNotComeAreNotNamed) {
  outfitter_->skills = {{.name = "review", .description = "how to review", .tree = "t1"}};
  open(request());
  ASSERT_TRUE(prompt().value());
  EXPECT_EQ(prompted_["prompt"].items()[0]["text"].asString(), kKind);
}

/// A message with the attachment of the fixture.
Json withPicture() {
  auto input = Json::array();
  input.push(Json::object().set("type", "localImage").set("path", "/data/a-cat.png"));
  return input;
}

SessionRequest inProject(SessionRequest request) {
  request.context.project.id = "proj_a";
  return request;
}

TEST_F(SessionsTest, AnAttachmentGoesWithThePromptOfAnAgentThatTakesIt) {
  open(inProject(request()), R"({"image":true})");
  std::optional<Status> done;
  sessions_->prompt("ses_1", "turn_1", "req_1", withPicture(),
                    [&done](Status status) { done = std::move(status); });
  io_.runAll();
  EXPECT_NE(lastType(), "agent.prompt") << "files are read on a worker";
  workers_.run();
  io_.runAll();
  ASSERT_EQ(lastType(), "agent.prompt");
  const auto said = asked_.back().command["prompt"];
  ASSERT_THAT(said.items(), SizeIs(2));
  EXPECT_EQ(said.items()[0]["text"].asString(), kKind);
  EXPECT_EQ(said.items()[1]["type"].asString(), "image");
  answer("{}");
  EXPECT_TRUE(done && *done);
}

TEST_F(SessionsTest, AStopWhileAttachmentsAreReadKeepsThePromptBack) {
  open(inProject(request()), R"({"image":true})");
  std::optional<Status> done;
  std::optional<Status> stopped;
  sessions_->prompt("ses_1", "turn_1", "req_1", withPicture(),
                    [&done](Status status) { done = std::move(status); });
  io_.runAll();
  sessions_->cancel("ses_1", [&stopped](Status status) { stopped = std::move(status); });
  io_.runAll();
  ASSERT_TRUE(stopped && !*stopped) << "so that whoever stops it ends the turn";
  workers_.run();
  io_.runAll();
  EXPECT_NE(lastType(), "agent.prompt");
  EXPECT_TRUE(done && !*done);
}

TEST_F(SessionsTest, AnAgentElsewhereHearsWhichAttachmentItCannotGet) {
  outfitter_->on_server = false;
  open(inProject(request()));
  sessions_->prompt("ses_1", "turn_1", "req_1", withPicture(), [](const Status&) {});
  io_.runAll();
  workers_.run();
  io_.runAll();
  ASSERT_EQ(lastType(), "agent.prompt");
  EXPECT_THAT(asked_.back().command["prompt"].items()[1]["text"].asString(),
              HasSubstr("could not be brought to this machine"));
}

TEST_F(SessionsTest, WhatCannotBeOpenedLeavesNothing) {
  sessions_->open(request(), [this](Result<OpenSession> opened) { opened_ = opened; });
  io_.runAll();
  refuse(errc::kNotFound, "scripted is not installed on this machine");
  ASSERT_TRUE(opened_ && !*opened_);
  EXPECT_THAT(opened_->error().message, HasSubstr("not installed"));
  EXPECT_EQ(outfitter_->let_go, 1) << "its token";
  EXPECT_EQ(prompt().value().error().code, errc::kNotFound);
}

TEST_F(SessionsTest, ASessionWhoseNameIsTooLongDoesNotBegin) {
  sessions_->open(request(), [this](Result<OpenSession> opened) { opened_ = opened; });
  io_.runAll();
  const std::string name(limits::kAgentSessionName + 1, 'x');
  answer(Json::object().set("providerThreadId", name).set("started", "new").dump());
  ASSERT_TRUE(opened_ && !*opened_);
  EXPECT_THAT(opened_->error().message, HasSubstr("agentSessionName"));
  EXPECT_EQ(lastType(), "agent.close");
  EXPECT_EQ(outfitter_->let_go, 1);
}

TEST_F(SessionsTest, EventsAreHeardOnceAndAcknowledgedWhenTheyAreTaken) {
  open(request());
  say({event(1, "thread/identity"), event(2, "turn/started")});
  say({event(2, "turn/started"), event(4, "item/started")});
  EXPECT_THAT(numbers(), ElementsAre(1, 2, 4));
  EXPECT_THAT(acknowledged(), ElementsAre(2, 4));
  say({event(3, "item/delta"), event(4, "item/started")});
  EXPECT_THAT(numbers(), ElementsAre(1, 2, 4)) << "late ones have been";
  EXPECT_THAT(acknowledged(), ElementsAre(2, 4, 4)) << "the machine has missed it";
}

TEST_F(SessionsTest, AnEventThatIsNotTakenComesAgainBeforeTheNext) {
  open(request());
  refusing_ = true;
  say({event(1, "turn/started"), event(2, "item/started")});
  EXPECT_THAT(numbers(), ElementsAre(1));
  EXPECT_THAT(acknowledged(), IsEmpty()) << "so that the machine rests";
  refusing_ = false;
  io_.advance(Sessions::kAgain);
  io_.runAll();
  EXPECT_THAT(numbers(), ElementsAre(1, 1, 2));
  EXPECT_THAT(acknowledged(), ElementsAre(2));
}

TEST_F(SessionsTest, ANewConnectionBeginsWithWhatIsStored) {
  open(request());
  say({event(1, "thread/identity")});
  holding_ = true;
  say({event(2, "turn/started"), event(3, "item/started")});
  sessions_->hostClosed("host_a");
  sessions_->hostOpened("host_a");
  ASSERT_EQ(lastType(), "agent.resume");
  const auto named = asked_.back().command["sessions"];
  ASSERT_THAT(named.items(), SizeIs(1));
  EXPECT_EQ(named.items()[0]["seq"].asInteger(), 1);
  answer(R"({"sessions":[{"sessionId":"ses_1"}]})");
  say({event(2, "turn/started"), event(3, "item/started"), event(4, "item/completed")});
  holding_ = false;
  auto first = std::move(held_.front());
  first({});
  io_.runAll();
  EXPECT_THAT(numbers(), ElementsAre(1, 2, 3, 4));
}

TEST_F(SessionsTest, ADaemonThatWasKilledHasEndedItsSessions) {
  open(request());
  say({event(1, "thread/identity")});
  sessions_->hostClosed("host_a");
  sessions_->hostOpened("host_a");
  answer(R"({"sessions":[]})");
  ASSERT_THAT(heard_, SizeIs(2));
  EXPECT_EQ(heard_.back().type, "session/ended");
  EXPECT_GT(heard_.back().seq, 1);
  EXPECT_EQ(heard_.back().data["reason"].asString(), ended::kDaemonRestarted);
  EXPECT_EQ(outfitter_->let_go, 1);
  EXPECT_EQ(prompt().value().error().code, errc::kNotFound);
}

TEST_F(SessionsTest, AMachineThatIsAwayForTooLongEndsItsSessions) {
  open(request());
  sessions_->hostClosed("host_a");
  EXPECT_THAT(heard_, IsEmpty()) << "it may come back";
  sessions_->hostGone("host_a");
  ASSERT_THAT(heard_, SizeIs(1));
  EXPECT_EQ(heard_.back().data["reason"].asString(), ended::kHostLost);
  sessions_->hostOpened("host_a");
  EXPECT_THAT(asked_.back().command["sessions"].items(), IsEmpty()) << "so the machine ends it";
}

TEST_F(SessionsTest, ARemovedMachineEndsItsSessionsAndSaysSo) {
  open(request());
  EXPECT_CALL(machines_, find(::testing::_)).WillRepeatedly(::testing::Return(std::nullopt));
  sessions_->hostGone("host_a");
  ASSERT_THAT(heard_, SizeIs(1));
  EXPECT_EQ(heard_.back().data["reason"].asString(), ended::kHostRemoved);
  EXPECT_EQ(heard_.back().data["message"].asString(), "the machine was removed from the server");
}

TEST_F(SessionsTest, WhatNobodyKnowsIsAcknowledgedAndEnded) {
  say({event(7, "turn/started")}, "ses_old");
  EXPECT_THAT(acknowledged(), ElementsAre(7));
  EXPECT_EQ(lastType(), "agent.close");
  say({event(8, "session/ended")}, "ses_old");
  EXPECT_THAT(acknowledged(), ElementsAre(7, 8));
  EXPECT_THAT(asked_, SizeIs(1)) << "it is told once";
  EXPECT_THAT(heard_, IsEmpty());
}

TEST_F(SessionsTest, AClosedSessionLosesItsTokenAtOnce) {
  open(request());
  sessions_->close("ses_1", [](const Status&) {});
  io_.runAll();
  EXPECT_EQ(outfitter_->let_go, 1);
  EXPECT_EQ(lastType(), "agent.close");
  answer(R"({"closed":true})");
  say({event(1, "session/ended", R"({"reason":"closed"})")});
  EXPECT_THAT(acknowledged(), ElementsAre(1));
}

TEST_F(SessionsTest, OneThatIsClosedWhileItBeginsIsEnded) {
  sessions_->open(request(), [this](Result<OpenSession> opened) { opened_ = opened; });
  io_.runAll();
  auto opening = std::move(asked_.back());
  asked_.clear();
  sessions_->close("ses_1", [](const Status&) {});
  io_.runAll();
  EXPECT_EQ(lastType(), "agent.close");
  answer(R"({"closed":false})");
  opening.done(std::string(R"({"providerThreadId":"acp","started":"new"})"));
  io_.runAll();
  ASSERT_TRUE(opened_ && !*opened_);
  EXPECT_EQ(lastType(), "agent.close") << "its program may have started after the first one";
}

TEST_F(SessionsTest, TheAgentThatRestsLongestMakesRoom) {
  for (std::size_t number = 1; number < limits::kAgentSessions; ++number) {
    open(request("ses_" + std::to_string(number)));
  }
  ASSERT_TRUE(prompt("ses_1").value());
  for (const auto* rests : {"ses_5", "ses_3"}) {
    ASSERT_TRUE(prompt(rests).value());
    say({event(1, "turn/completed", R"({"status":"completed"})")}, rests);
  }
  EXPECT_EQ(lastType(), "");
  sessions_->open(request("ses_last"), [](const Result<OpenSession>&) {});
  io_.runAll();
  ASSERT_THAT(asked_, SizeIs(2));
  EXPECT_EQ(asked_[0].command["type"].asString(), "agent.close");
  EXPECT_EQ(asked_[0].command["sessionId"].asString(), "ses_5")
      << "the first one works, the others have not begun";
}

class PermissionsTest : public SessionsFixture {
 protected:
  void open(const char* mode) {
    auto wanted = request();
    wanted.execution = Json::object().set("permissionMode", mode);
    SessionsFixture::open(std::move(wanted));
  }
  void ask(int seq, const std::string& subject) {
    say({event(
        seq, "question/asked",
        R"({"questionId":"q)" + std::to_string(seq) +
            R"(","payload":{"kind":"approval","availableDecisions":["allow_once","deny"],"subject":)" +
            subject + "}}")});
  }
  static std::string command(const std::string& line) {
    return R"({"kind":"command","itemId":"i","command":")" + line + R"("})";
  }
  void change(int seq, const std::string& path) {
    say({event(
        seq, "item/started",
        R"({"item":{"id":"f","type":"fileChange","changes":[{"path":")" + path + R"("}]}})")});
  }
};

TEST_F(PermissionsTest, InFullModeNobodyIsAsked) {
  open("full");
  ask(1, command("make"));
  ASSERT_EQ(lastType(), "agent.answer");
  EXPECT_EQ(asked_.back().command["decision"].asString(), "allow_once");
  EXPECT_EQ(asked_.back().command["questionId"].asString(), "q1");
  EXPECT_THAT(heard_, IsEmpty());
  EXPECT_THAT(acknowledged(), ElementsAre(1));
}

TEST_F(PermissionsTest, EditsAreAllowedInTheWorkingDirectoryOnly) {
  open("accept-edits");
  change(1, "/work/src/a.c");
  ask(2, R"({"kind":"file_change","itemId":"f"})");
  EXPECT_EQ(lastType(), "agent.answer");
  asked_.clear();
  change(3, "/work/../etc/passwd");
  ask(4, R"({"kind":"file_change","itemId":"f"})");
  ask(5, command("make"));
  EXPECT_THAT(asked_, IsEmpty());
  EXPECT_THAT(numbers(), ElementsAre(1, 3, 4, 5));
}

TEST_F(PermissionsTest, EditsThatALinkLeadsAwayOrThatGitRunsAreAsked) {
  open("accept-edits");
  change(1, "/work/link/a.c");
  ask(2, R"({"kind":"file_change","itemId":"f","writeScope":["/etc"]})");
  EXPECT_THAT(asked_, IsEmpty());
  change(3, "/work/sub/.git/hooks/post-checkout");
  ask(4, R"({"kind":"file_change","itemId":"f","writeScope":null})");
  EXPECT_THAT(asked_, IsEmpty());
  change(5, "/work/.svc/setup");
  ask(6, R"({"kind":"file_change","itemId":"f","writeScope":null})");
  EXPECT_THAT(asked_, IsEmpty());
  change(7, "/work/.gitignore");
  ask(8, R"({"kind":"file_change","itemId":"f","writeScope":null})");
  EXPECT_EQ(lastType(), "agent.answer");
}

TEST_F(PermissionsTest, AGrantForTheSessionIsForTheSameThing) {
  open("auto");
  ask(1, command("make"));
  EXPECT_THAT(numbers(), ElementsAre(1));
  sessions_->answer("ses_1", "q1", Json::object().set("decision", "allow_for_session"),
                    [](const Status&) {});
  io_.runAll();
  ASSERT_EQ(lastType(), "agent.answer");
  EXPECT_EQ(asked_.back().command["decision"].asString(), "allow_for_session");
  answer("{}");
  ask(2, command("make"));
  EXPECT_EQ(lastType(), "agent.answer");
  EXPECT_THAT(numbers(), ElementsAre(1));
  asked_.clear();
  ask(3, command("rm -r /"));
  EXPECT_THAT(asked_, IsEmpty());
  EXPECT_THAT(numbers(), ElementsAre(1, 3));
  ask(4, R"({"kind":"command","command":"make","cwd":"/etc"})");
  EXPECT_THAT(asked_, IsEmpty()) << "in another folder it is another command";
  EXPECT_THAT(numbers(), ElementsAre(1, 3, 4));
}

TEST_F(PermissionsTest, AGrantForTheSessionIsForWhatWaitsAlready) {
  open("auto");
  for (const int seq : {1, 2, 3}) {
    ask(seq, command(seq == 3 ? "rm -r /" : "make"));
  }
  EXPECT_THAT(numbers(), ElementsAre(1, 2, 3));
  std::vector<std::string> granted{"not asked"};
  const auto look = [&] {
    sessions_->granted("ses_1",
                       [&](const Result<std::vector<std::string>>& ids) { granted = ids.value(); });
    io_.runAll();
  };
  look();
  EXPECT_THAT(granted, IsEmpty());
  sessions_->answer("ses_1", "q1", Json::object().set("decision", "allow_for_session"),
                    [](const Status&) {});
  look();
  EXPECT_THAT(granted, ElementsAre("q2"));
  sessions_->answer("ses_1", "q2", Json::object().set("decision", "allow_once"),
                    [](const Status&) {});
  look();
  EXPECT_THAT(granted, IsEmpty());
}

TEST_F(PermissionsTest, AGrantForChangesIsForThoseInsideOrOfTheSameDirectories) {
  const std::string inside = R"({"kind":"file_change","itemId":"f","writeScope":null})";
  const std::string etc = R"({"kind":"file_change","itemId":"f","writeScope":["/etc"]})";
  const auto grant = [&](int seq) {
    sessions_->answer("ses_1", "q" + std::to_string(seq),
                      Json::object().set("decision", "allow_for_session"), [](const Status&) {});
    io_.runAll();
    answer("{}");
    asked_.clear();
  };
  open("auto");
  change(1, "/work/a.c");
  ask(2, inside);
  grant(2);
  change(3, "/work/b.c");
  ask(4, inside);
  EXPECT_THAT(asked_, SizeIs(1)) << "it is inside as well";
  asked_.clear();
  change(5, "/etc/passwd");
  ask(6, etc);
  change(7, "/work/.git/config");
  ask(8, inside);
  EXPECT_THAT(asked_, IsEmpty());
  grant(6);
  change(9, "/etc/hosts");
  ask(10, etc);
  EXPECT_THAT(asked_, SizeIs(1));
}

TEST_F(PermissionsTest, AnEditWithoutAPathIsAsked) {
  open("accept-edits");
  change(1, "");
  ask(2, R"({"kind":"file_change","itemId":"f","writeScope":null})");
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(PermissionsTest, AnAgentThatKnowsOnlyAlwaysIsNotTakenAtItForAnEdit) {
  const auto always = [this](int seq) {
    say({event(
        seq, "question/asked",
        R"({"questionId":"q1","payload":{"kind":"approval","availableDecisions":["allow_for_session","deny"],"subject":{"kind":"file_change","itemId":"f","writeScope":null}}})")});
  };
  open("accept-edits");
  change(1, "/work/a.c");
  always(2);
  EXPECT_THAT(asked_, IsEmpty());
}

}  // namespace
}  // namespace svc::providers
