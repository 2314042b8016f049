#include "book.h"

#include "svc/common/limits/terminals.h"

#include "fixture.h"

namespace svc::terminals {
namespace {

using common::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using BookTest = BookFixture;

TEST_F(BookTest, ATerminalStartsRunsAndEnds) {
  std::optional<Result<Json>> made;
  book_->create(wanted(), [&](Result<Json> record) { made = std::move(record); });
  const auto id = store_.rows.begin()->first;
  EXPECT_THAT(id, ::testing::MatchesRegex("term_[0-9abcdefghjkmnpqrstvwxyz]{26}"));
  EXPECT_EQ(statusOf(id), "starting");
  auto asked = commands_.next();
  EXPECT_EQ(asked.command["type"].asString(), "terminal.open");
  EXPECT_TRUE(asked.command["cwd"].isNull());
  EXPECT_EQ(asked.command["env"].dump(), R"({"SVC_DATA_DIR":"/data"})");
  asked.done(std::string(R"({"pid":1,"initialCwd":"/home/a"})"));
  EXPECT_EQ(made->value()["status"].asString(), "running");
  EXPECT_EQ(made->value()["initialCwd"].asString(), "/home/a");
  exits(id, 7);
  EXPECT_EQ(statusOf(id), "exited process-exit");
  EXPECT_EQ(record(id)["exitCode"].asInteger(), 7);
  EXPECT_EQ(store_.rows.at(id).exit_code, 7);
  EXPECT_THAT(messages_.told.back(), HasSubstr(R"("ended":true)"));
  EXPECT_THAT(notices_, ElementsAre("host own terminals-changed", "host own terminals-changed",
                                    "host own terminals-changed"));
}

TEST_F(BookTest, AThreadHearsOncePerChangeOfItsTerminals) {
  const auto id = openIn("thr_1", "env_1");
  EXPECT_THAT(told_threads_, ElementsAre("thr_1", "thr_1")) << "it starts, then it runs";
  told_threads_.clear();
  EXPECT_TRUE(book_->rename(id, "Build").ok());
  EXPECT_TRUE(book_->rename(id, "Build").ok());
  EXPECT_THAT(told_threads_, ElementsAre("thr_1")) << "the same name is no change";
  told_threads_.clear();
  exits(id);
  EXPECT_THAT(told_threads_, ElementsAre("thr_1"));
  told_threads_.clear();
  open();
  EXPECT_THAT(told_threads_, ElementsAre()) << "it belongs to no thread";
  auto in_thread = wanted();
  in_thread.thread_id = "thr_1";
  book_->create(in_thread, [](const Result<Json>&) {});
  commands_.fail(errc::kNotFound);
  EXPECT_THAT(told_threads_, ElementsAre("thr_1", "thr_1")) << "it came, and is gone";
}

TEST_F(BookTest, WhatCannotBeOpenedLeavesNoRecordButWhatIsLateDoes) {
  std::string code;
  const auto answer = [&](const Result<Json>& record) { code = record.error().code.name(); };
  book_->create(wanted(), answer);
  commands_.fail(errc::kNotFound);
  EXPECT_EQ(code, "not_found");
  book_->create(wanted(), answer);
  commands_.fail(errc::kInvalidCommand);
  EXPECT_EQ(code, "host_error");
  for (const auto* odd : {"[1]", "{", R"({"ok":false})"}) {
    code.clear();
    book_->create(wanted(), answer);
    commands_.answer(odd);
    EXPECT_EQ(code, "host_error") << odd;
  }
  EXPECT_THAT(store_.rows, IsEmpty());
  book_->create(wanted(), answer);
  commands_.fail(errc::kTimeout);
  EXPECT_EQ(code, "timeout");
  EXPECT_EQ(statusOf(store_.rows.begin()->first), "exited open-timeout");
}

TEST_F(BookTest, AMachineHasSoManyAndNoMore) {
  std::string last;
  for (std::size_t number = 0; number < limits::kTerminals; ++number) {
    last = open();
  }
  std::string code;
  const auto answer = [&](const Result<Json>& record) {
    code = record ? "ok" : record.error().code.name();
  };
  book_->create(wanted(), answer);
  EXPECT_EQ(code, "overloaded");
  exits(last);
  book_->create(wanted(), answer);
  ASSERT_EQ(commands_.asked.size(), 1U);
  commands_.answer(R"({"pid":1,"initialCwd":"/"})");
  EXPECT_EQ(code, "ok");
}

TEST_F(BookTest, OutputIsAcknowledgedNowAndThen) {
  const auto id = open();
  messages_.told.clear();
  prints(id, 0, "a");
  prints(id, 1, "b");
  EXPECT_THAT(messages_.told, IsEmpty());
  reactor_.advance(Book::kAcknowledge);
  ASSERT_EQ(messages_.told.size(), 1U);
  EXPECT_EQ(
      messages_.told[0],
      "own " +
          fmt::format(R"({{"type":"terminal.ack","terminalId":"{}","seq":2,"ended":false}})", id));
  prints(id, 2, "c");
  reactor_.advance(Book::kAcknowledge);
  EXPECT_EQ(messages_.told.size(), 2U);
}

TEST_F(BookTest, WhoWaitsForOutputIsAnsweredWhenItComes) {
  const auto id = open();
  std::vector<std::string> answers;
  const auto follow = [&](std::uint64_t since) {
    book_->output(id, {.since = since, .wait = std::chrono::seconds(20)},
                  [&](Result<std::string> body) { answers.push_back(body.value()); });
  };
  follow(0);
  EXPECT_THAT(answers, IsEmpty());
  prints(id, 0, "a");
  EXPECT_THAT(
      answers,
      ElementsAre(
          R"({"ok":true,"chunks":[{"seq":0,"dataBase64":"YQ=="}],"nextSeq":1,"truncated":false})"));
  follow(0);
  EXPECT_EQ(answers.size(), 2U) << "what is there is given at once";
  follow(1);
  reactor_.advance(std::chrono::seconds(20));
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers.back(), R"({"ok":true,"chunks":[],"nextSeq":1,"truncated":false})");
  follow(1);
  exits(id);
  EXPECT_EQ(answers.size(), 4U) << "an end is news";
  follow(1);
  EXPECT_EQ(answers.size(), 5U);
}

TEST_F(BookTest, OnlySoManyWait) {
  const auto id = open();
  std::size_t answered = 0;
  for (std::size_t number = 0; number <= Book::kWaiting; ++number) {
    book_->output(id, {.since = 0, .wait = std::chrono::seconds(20)},
                  [&](const Result<std::string>&) { ++answered; });
  }
  EXPECT_EQ(answered, 1U);
}

TEST_F(BookTest, KeysGoToTheMachineAndOnlySoManyWaitThere) {
  const auto id = open();
  messages_.told.clear();
  reactor_.advance(std::chrono::milliseconds(5));
  EXPECT_FALSE(book_->input(id, "ls\n").value()["lastUserInputAt"].isNull());
  EXPECT_THAT(messages_.told.back(), HasSubstr(R"("dataBase64":"bHMK")"));
  const std::string much(64UL * 1024, 'x');
  Result<Json> answer = Json();
  for (int number = 0; number < 8 && answer; ++number) {
    answer = book_->input(id, much);
  }
  EXPECT_EQ(answer.error().code, errc::kOverloaded);
  says("terminal.taken", id, R"("bytes":65536)");
  EXPECT_TRUE(book_->input(id, much).ok());
  says("terminal.taken", id, R"("bytes":99999999)");
  EXPECT_TRUE(book_->input(id, much).ok());
}

TEST_F(BookTest, WhatDoesNotRunTakesNoKeys) {
  const auto id = open();
  book_->hostClosed("own");
  EXPECT_EQ(book_->input(id, "x").error().code, errc::kHostUnavailable);
  EXPECT_EQ(statusOf(id), "running") << "within the grace";
  book_->hostOpened("own");
  commands_.answer(R"({"live":[")" + id + R"("]})");
  EXPECT_TRUE(book_->input(id, "x").ok());
  exits(id);
  EXPECT_EQ(book_->input(id, "x").error().code, errc::kConflict);
  EXPECT_EQ(book_->resize(id, 1, 1).error().code, errc::kConflict);
  EXPECT_EQ(book_->input("none", "x").error().code, errc::kNotFound);
}

TEST_F(BookTest, AMachineThatComesBackHasItsTerminals) {
  const auto kept = open();
  const auto lost = open();
  prints(kept, 0, "a");
  book_->hostClosed("own");
  book_->hostGone("own");
  EXPECT_EQ(statusOf(kept), "disconnected");
  book_->hostOpened("own");
  auto asked = commands_.next();
  EXPECT_EQ(asked.command["type"].asString(), "terminal.resume");
  for (const auto& each : asked.command["terminals"].items()) {
    EXPECT_EQ(each["seq"].asInteger(), each["terminalId"].asString() == kept ? 1 : 0);
  }
  asked.done(R"({"live":[")" + kept + R"("]})");
  EXPECT_EQ(statusOf(kept), "running");
  EXPECT_EQ(statusOf(lost), "exited daemon-disconnect");
}

TEST_F(BookTest, ADaemonWithoutTerminalsHasNoneAnyMore) {
  const auto id = open();
  book_->hostClosed("own");
  book_->hostOpened("own");
  commands_.fail(errc::kHostUnavailable);
  EXPECT_EQ(statusOf(id), "running") << "the next session asks again";
  book_->hostOpened("own");
  commands_.fail(errc::kInvalidCommand);
  EXPECT_EQ(statusOf(id), "exited daemon-disconnect");
}

TEST_F(BookTest, ARemovedMachineTakesItsTerminalsAlong) {
  const auto id = open();
  hosts_.clear();
  book_->hostClosed("own");
  book_->hostGone("own");
  EXPECT_EQ(statusOf(id), "exited daemon-disconnect");
}

TEST_F(BookTest, ClosingWaitsForTheEnd) {
  const auto id = open();
  std::optional<Result<Json>> answer;
  const auto done = [&](Result<Json> record) { answer = std::move(record); };
  book_->close(id, false, done);
  commands_.fail(errc::kConflict);
  EXPECT_EQ(answer->error().code, errc::kConflict);
  answer.reset();
  book_->close(id, true, done);
  EXPECT_EQ(commands_.asked.front().command["mode"].asString(), "force");
  commands_.answer(R"({"closed":true})");
  EXPECT_FALSE(answer);
  exits(id, 129);
  EXPECT_EQ(answer->value()["closeReason"].asString(), "user");
  answer.reset();
  book_->close(id, true, done);
  EXPECT_EQ(answer->value()["status"].asString(), "exited") << "again is no error";
  const auto slow = open();
  book_->close(slow, true, done);
  commands_.answer(R"({"closed":true})");
  reactor_.advance(Book::kCloseWait);
  EXPECT_EQ(answer->value()["status"].asString(), "running");
}

TEST_F(BookTest, OneOfAMachineThatIsAwayIsClosedByForce) {
  const auto id = open();
  book_->hostClosed("own");
  std::optional<Result<Json>> answer;
  const auto done = [&](Result<Json> record) { answer = std::move(record); };
  book_->close(id, false, done);
  EXPECT_EQ(answer->error().code, errc::kHostUnavailable);
  book_->close(id, true, done);
  EXPECT_EQ(answer->value()["status"].asString(), "exited");
  book_->hostOpened("own");
  EXPECT_THAT(commands_.asked.front().command["terminals"].items(), IsEmpty());
}

TEST_F(BookTest, TerminalsOfAPlaceThatGoesClose) {
  const auto id = openIn("thr_a", "env_a");
  const auto other = openIn("thr_b", "env_b");
  book_->placeGone("thr_a", reason::kThreadArchived);
  ASSERT_EQ(commands_.asked.size(), 1U);
  EXPECT_EQ(commands_.asked.front().command["terminalId"].asString(), id);
  EXPECT_EQ(commands_.asked.front().command["mode"].asString(), "force");
  commands_.answer(R"({"closed":true})");
  exits(id, 129);
  EXPECT_EQ(statusOf(id), "exited thread-archived");
  EXPECT_EQ(statusOf(other), "running");
  book_->placeGone("env_b", reason::kEnvironmentDestroyed);
  commands_.fail(errc::kHostUnavailable);
  EXPECT_EQ(statusOf(other), "exited environment-destroyed") << "its daemon does not answer";
}

TEST_F(BookTest, OneOfAPlaceThatGoesClosesWithoutItsMachineAndWhenItIsOpen) {
  const auto away = openIn("thr_a", "env_a");
  book_->hostClosed("own");
  book_->placeGone("thr_a", reason::kThreadDeleted);
  EXPECT_EQ(statusOf(away), "exited thread-deleted");
  book_->hostOpened("own");
  EXPECT_THAT(commands_.asked.front().command["terminals"].items(), IsEmpty())
      << "its daemon ends what is not named";
  commands_.answer(R"({"live":[]})");
  auto starting = wanted();
  starting.thread_id = "thr_b";
  std::string id;
  book_->create(starting, [&](Result<Json> made) { id = made.value()["id"].asString(); });
  book_->placeGone("thr_b", reason::kThreadArchived);
  commands_.answer(R"({"pid":1,"initialCwd":"/home/a"})");
  EXPECT_EQ(commands_.asked.front().command["type"].asString(), "terminal.close");
  commands_.answer(R"({"closed":true})");
  exits(id);
  EXPECT_EQ(statusOf(id), "exited thread-archived");
}

TEST_F(BookTest, APlaceThatIsGoneGetsNoTerminalsAndKeepsNoneOverARestart) {
  const auto id = openIn("thr_a", "env_a");
  gone_["thr_a"] = reason::kThreadArchived;
  std::optional<Result<Json>> answer;
  book_->restart(id, [&](Result<Json> made) { answer = std::move(made); });
  EXPECT_EQ(answer->error().code, errc::kConflict);
  EXPECT_THAT(answer->error().message, HasSubstr("unarchive it first"));
  const auto rows = store_.terminals().value();
  book_ = makeBook();
  book_->load(rows);
  book_->start();
  EXPECT_EQ(statusOf(id), "exited thread-archived");
}

TEST_F(BookTest, WhatNobodyKnowsIsToldToCloseOnce) {
  prints("stranger", 0, "x");
  prints("stranger", 1, "x");
  ASSERT_EQ(commands_.asked.size(), 1U);
  EXPECT_EQ(commands_.asked.front().command["type"].asString(), "terminal.close");
  exits("stranger");
  EXPECT_THAT(messages_.told.back(), HasSubstr(R"("ended":true)"));
}

TEST_F(BookTest, AnotherMachineSaysNothingAboutIt) {
  const auto id = open();
  says("terminal.output", id, R"("seq":0,"dataBase64":"YQ==")", "far");
  says("terminal.exit", id, R"("exitCode":0)", "far");
  says("terminal.output", id, R"("seq":0,"dataBase64":"*")");
  EXPECT_EQ(statusOf(id), "running");
  book_->output(id, {}, [](const Result<std::string>& body) {
    EXPECT_THAT(body.value(), HasSubstr(R"("chunks":[])"));
  });
}

TEST_F(BookTest, RestartOpensAShellAndClosesTheOldOne) {
  const auto id = open();
  std::string next;
  book_->restart(id, [&](Result<Json> record) { next = record.value()["id"].asString(); });
  auto asked = commands_.next();
  EXPECT_EQ(asked.command["start"].dump(), R"({"mode":"shell"})");
  asked.done(std::string(R"({"pid":2,"initialCwd":"/home/a"})"));
  EXPECT_NE(next, id);
  EXPECT_EQ(commands_.asked.front().command["terminalId"].asString(), id);
}

TEST_F(BookTest, RecordsOutliveTheServerAndStayForADay) {
  const auto live = open();
  const auto ended = open();
  exits(ended);
  auto rows = store_.terminals().value();
  book_ = makeBook();
  book_->load(rows);
  book_->start();
  EXPECT_EQ(statusOf(live), "disconnected");
  EXPECT_EQ(statusOf(ended), "exited process-exit");
  // Its output does not, and that is told; the one that may run on has it on its machine.
  const auto output = [&](const std::string& id) {
    std::string body;
    book_->output(id, {}, [&body](const Result<std::string>& answer) { body = answer.value(); });
    return body;
  };
  EXPECT_EQ(output(ended), R"({"ok":true,"chunks":[],"nextSeq":1,"truncated":true})");
  EXPECT_EQ(output(live), R"({"ok":true,"chunks":[],"nextSeq":0,"truncated":false})");
  reactor_.advance(limits::kTerminalKeep - Book::kSweep);
  EXPECT_TRUE(book_->get(ended).ok());
  reactor_.advance(2 * Book::kSweep);
  EXPECT_EQ(book_->get(ended).error().code, errc::kNotFound);
  EXPECT_FALSE(store_.rows.contains(ended));
  EXPECT_TRUE(book_->get(live).ok());
}

TEST_F(BookTest, OnlySoMuchOfWhatHasEndedIsKept) {
  const auto first = open();
  prints(first, 0, "words");
  exits(first);
  for (std::size_t number = 0; number < Book::kEndedRings; ++number) {
    exits(open());
  }
  book_->output(first, {}, [](const Result<std::string>& body) {
    EXPECT_THAT(body.value(), HasSubstr(R"("truncated":true)"));
  });
  for (std::size_t number = Book::kEndedRings; number < Book::kEndedKept; ++number) {
    exits(open());
  }
  EXPECT_FALSE(book_->get(first).ok());
  EXPECT_EQ(store_.rows.size(), Book::kEndedKept);
}

}  // namespace
}  // namespace svc::terminals
