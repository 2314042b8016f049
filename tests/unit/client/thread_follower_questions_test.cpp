// What the agent asks while its thread is followed.
#include "thread_follower_fixture.h"

namespace svc::client {
namespace {

using common::Json;
using Kind = ThreadNews::Kind;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST_F(ThreadFollowerTest, AnAgentDoesNotAnswerItselfNorChooseWhatItMayDo) {
  variables["SVC_THREAD_ID"] = "thr_1";
  server.interactions = "[]";
  // In a terminal of the thread a person has the id, too.
  EXPECT_NE(runWords({"thread", "answer", "thr_1", "int_1", "yes"}), 4);
  variables["SVC_THREAD_TOKEN"] = "secret";
  server.requests.clear();
  EXPECT_EQ(runWords({"thread", "answer", "thr_1", "int_1", "yes"}), 4);
  EXPECT_EQ(runWords({"thread", "answer", "thr_1", "int_1", "--cancel"}), 4);
  EXPECT_EQ(runWords({"thread", "send", "thr_1", "go on", "--permissions", "full"}), 4);
  EXPECT_THAT(server.requests, ::testing::IsEmpty());
  EXPECT_THAT(err.str(), HasSubstr("an agent does not choose what it may do itself"));
  EXPECT_NE(runWords({"thread", "answer", "thr_2", "int_1", "yes"}), 4) << "of another thread";
  begin();
  play = {completes()};
  EXPECT_EQ(runWords({"thread", "follow", "thr_1"}), 0) << "in the background that is right";
  EXPECT_THAT(err.str(), HasSubstr("it and the turn wait for each other"));
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

}  // namespace
}  // namespace svc::client
