#include "book.h"

#include "svc/common/codes.h"
#include "svc/common/limits/worktrees.h"

#include "fixture.h"

namespace svc::environments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class EnvironmentBookTest : public BookFixture {};

TEST_F(EnvironmentBookTest, AWorktreeIsStoredThenMadeThenSetUp) {
  const auto made = resolve(worktree());
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made.value().status, "creating");
  EXPECT_EQ(store_.rows.at(made.value().id).status, "creating");
  EXPECT_EQ(typeOf(0), "environment.create");
  EXPECT_EQ(asked_[0].command["projectPath"].asString(), "/shop");
  EXPECT_EQ(asked_[0].command["workspace"]["branchName"].asString(), "svc/thr_1");
  std::string ready;
  book_->awaitReady(made.value().id, {},
                    [&](const Result<Environment>& env) { ready = env.value().path; });
  answer(0, facts("/w"));
  EXPECT_EQ(row(made.value().id).status, "provisioning");
  EXPECT_EQ(typeOf(1), "environment.setup");
  EXPECT_EQ(asked_[1].command["env"]["SVC_ENVIRONMENT_ID"].asString(), made.value().id);
  EXPECT_EQ(asked_[1].command["env"]["SVC_DATA_DIR"].asString(), "/data");
  EXPECT_EQ(ready, "");
  answer(1, std::string(R"({"exitCode":0,"output":"made"})"));
  EXPECT_EQ(ready, "/w");
  EXPECT_EQ(store_.rows.at(made.value().id).status, "ready");
  EXPECT_THAT(told_, ElementsAre("create active", "create completed", "setup active",
                                 "output completed", "setup completed"));
}

TEST_F(EnvironmentBookTest, AFolderIsReadyAtOnceAndOneForAll) {
  (void)resolve(folder("/shop"));
  EXPECT_EQ(asked_[0].command["workspace"]["path"].asString(), "/shop");
  answer(0, facts("/shop"));
  const auto first = last();
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first.value().status, "ready");
  (void)resolve(Json::object().set("type", "project-default"));
  answer(1, facts("/shop"));
  EXPECT_EQ(last().value().id, first.value().id);
}

TEST_F(EnvironmentBookTest, ABranchIsCheckedOutBeforeAnybodyWorks) {
  auto intent =
      Json::object()
          .set("type", "host")
          .set("workspace",
               Json::object()
                   .set("type", "unmanaged")
                   .set("path", nullptr)
                   .set("branch", Json::object().set("kind", "existing").set("name", "dev")));
  (void)resolve(intent);
  answer(0, facts("/shop"));
  EXPECT_EQ(typeOf(1), "git.checkout");
  EXPECT_FALSE(last().ok());
  answer(1, Error{errc::kConflict, "/shop has uncommitted changes"});
  EXPECT_EQ(last().error().code, errc::kConflict);
  (void)resolve(intent);
  answer(2, facts("/shop"));
  answer(3, std::string(R"({"checkout":{"kind":"branch","branchName":"dev"}})"));
  EXPECT_EQ(last().value().branch_name, "dev");
}

TEST_F(EnvironmentBookTest, WhatFailsSaysWhyAndCanBeTriedAgain) {
  const auto id = resolve(worktree()).value().id;
  std::string reason;
  book_->awaitReady(id, {}, [&](const Result<Environment>& env) { reason = env.error().message; });
  answer(0, Error{errc::kConflict, "no first commit"});
  EXPECT_EQ(row(id).status, "error");
  EXPECT_EQ(reason, "the workspace could not be made ready: no first commit");
  told_.clear();
  retry(id);
  io_.runAll();
  EXPECT_EQ(row(id).status, "creating");
  answer(1, facts("/w"));
  answer(2, std::string(R"({"exitCode":2,"output":"npm is not there"})"));
  EXPECT_EQ(row(id).status_detail, ".svc/setup ended with exit status 2: npm is not there");
  EXPECT_THAT(told_, ElementsAre("create active", "create completed", "setup active",
                                 "output completed", "setup failed"));
  retry(id);
  io_.runAll();
  EXPECT_EQ(typeOf(3), "environment.setup");
  answer(3, std::string(R"({"exitCode":7,"output":""})"));
  EXPECT_EQ(row(id).status_detail, ".svc/setup ended with exit status 7");
}

TEST_F(EnvironmentBookTest, WhoTriesAgainDoesNotHearOfTheEndBefore) {
  const auto id = resolve(worktree()).value().id;
  answer(0, facts("/w"));
  // Both come while the failure is being stored.
  retry(id);
  std::string heard;
  book_->awaitReady(id, {}, [&](const Result<Environment>& ready) {
    heard = ready ? "ready" : ready.error().message;
  });
  answer(1, Error{errc::kAborted, ".svc/setup was cancelled"});
  EXPECT_EQ(heard, "");
  answer(2, std::string(R"({"exitCode":0,"output":""})"));
  EXPECT_EQ(heard, "ready");
}

TEST_F(EnvironmentBookTest, WhoComesToOneThatIsBeingMadeHearsAllSteps) {
  const auto id = resolve(worktree()).value().id;
  std::vector<std::string> heard;
  const auto hears = [&heard](const Json& entry) {
    heard.push_back(entry["key"].asString() + " " + entry["status"].asString());
  };
  answer(0, facts("/w"));
  book_->awaitReady(id, hears, [](const Result<Environment>&) {});
  io_.runAll();
  EXPECT_THAT(heard, ElementsAre("create completed", "setup active")) << "as they are";
  answer(1, std::string(R"({"exitCode":0,"output":"made"})"));
  EXPECT_THAT(heard, ElementsAre("create completed", "setup active", "output completed",
                                 "setup completed"));
  EXPECT_EQ(told_.size(), 5U) << "so does who has begun it";
  heard.clear();
  book_->awaitReady(id, hears, [](const Result<Environment>&) {});
  io_.runAll();
  EXPECT_THAT(heard, IsEmpty()) << "it is ready";
}

TEST_F(EnvironmentBookTest, WhatIsBeingMadeCanBeEnded) {
  const auto id = resolve(worktree()).value().id;
  answer(0, facts("/w"));
  book_->cancel(id);
  io_.runAll();
  EXPECT_EQ(typeOf(2), "environment.cancel");
  EXPECT_EQ(asked_[2].command["environmentId"].asString(), id);
  answer(1, Error{errc::kAborted, ".svc/setup was cancelled"});
  EXPECT_EQ(row(id).status, "error");
  EXPECT_EQ(row(id).status_detail, ".svc/setup was cancelled");
  book_->cancel(id);
  io_.runAll();
  EXPECT_EQ(asked_.size(), 3U) << "nothing is done any more";
}

TEST_F(EnvironmentBookTest, ReuseIsForTheSameProjectAndWhatIsAlive) {
  const auto id = readyWorktree();
  const auto intent = Json::object().set("type", "reuse").set("environmentId", id);
  EXPECT_EQ(resolve(intent).value().id, id);
  EXPECT_EQ(resolve(intent, "proj_b").error().code, errc::kConflict);
  EXPECT_EQ(resolve(Json::object().set("type", "reuse").set("environmentId", "env_x")).error().code,
            errc::kNotFound);
}

TEST_F(EnvironmentBookTest, NobodyUsesItForTheGraceThenItGoes) {
  const auto id = readyWorktree();
  auto use = book_->use(id);
  io_.runAll();
  EXPECT_EQ(row(id).phase, "active");
  use.reset();
  io_.runAll();
  EXPECT_EQ(row(id).phase, "retiring");
  use = book_->use(id);
  io_.runAll();
  EXPECT_EQ(row(id).phase, "active");
  use.reset();
  io_.advance(limits::kEnvGrace);
  EXPECT_EQ(row(id).phase, "removing");
  EXPECT_EQ(typeOf(2), "environment.remove");
  answer(2, std::string(R"({"removed":true})"));
  EXPECT_EQ(store_.rows.at(id).status, "destroyed");
}

TEST_F(EnvironmentBookTest, NobodyBeginsToWorkInAFolderThatIsGoing) {
  const auto id = readyWorktree();
  EXPECT_FALSE(book_->find(id)->removing);
  book_->remove(id, [](const Result<Json>&) {});
  io_.runAll();
  EXPECT_TRUE(book_->find(id)->removing);
  std::vector<std::string> heard;
  const auto wait = [&] {
    book_->awaitReady(id, {}, [&](const Result<Environment>& ready) {
      heard.push_back(ready ? "ready" : ready.error().message);
    });
    io_.runAll();
  };
  wait();
  EXPECT_THAT(heard, IsEmpty());
  answer(2, Error{errc::kUnavailable, "disk full"});
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_THAT(heard[0], HasSubstr("is being removed, which has failed and is tried again"));
  wait();
  io_.advance(limits::kEnvRemoveRetry);
  EXPECT_EQ(heard.size(), 1U);
  answer(3, std::string(R"({"removed":true})"));
  EXPECT_EQ(heard.size(), 2U);
  EXPECT_FALSE(book_->find(id)->removing);
}

TEST_F(EnvironmentBookTest, WorkThatIsKeptIsNamedAndOnlyTheRowGoes) {
  const auto id = readyWorktree();
  book_->remove(id, [](const Result<Json>& record) {
    EXPECT_EQ(record.value()["lifecycle"]["phase"].asString(), "removing");
  });
  io_.runAll();
  answer(2, std::string(R"({"removed":false,"keptBecause":"unmerged"})"));
  EXPECT_EQ(row(id).status, "destroyed");
  EXPECT_THAT(row(id).status_detail, HasSubstr("/w stays: it has unmerged work"));
}

TEST_F(EnvironmentBookTest, AFolderWithSubmodulesStaysAndThatIsSaid) {
  const auto id = readyWorktree();
  book_->remove(id, [](const Result<Json>&) {});
  io_.runAll();
  answer(2, std::string(R"({"removed":false,"keptBecause":"submodule"})"));
  EXPECT_THAT(row(id).status_detail,
              HasSubstr("/w stays: it has submodules, whose work is not looked at"));
}

TEST_F(EnvironmentBookTest, ARemovalThatFailsIsTriedAgain) {
  const auto id = readyWorktree();
  book_->remove(id, [](const Result<Json>&) {});
  io_.runAll();
  answer(2, Error{errc::kHostUnavailable, "host_a is not connected"});
  EXPECT_EQ(row(id).teardown_status, "failed");
  io_.advance(limits::kEnvRemoveRetry);
  EXPECT_EQ(typeOf(3), "environment.remove");
  EXPECT_EQ(row(id).teardown_attempt, 2);
}

/// As machines answer that are lost at work.
const Error kLost{errc::kHostUnavailable, "the connection was lost"};

TEST_F(EnvironmentBookTest, WhatAMachineWasLostAtGoesOnWhenItIsBack) {
  const auto id = resolve(worktree()).value().id;
  std::vector<std::string> answered;
  std::vector<std::string> heard;
  const auto hears = [&heard](const Json& entry) {
    heard.push_back(entry["key"].asString() + " " + entry["status"].asString());
  };
  const auto wait = [&] {
    book_->awaitReady(id, hears, [&](const Result<Environment>& ready) {
      answered.emplace_back(ready ? "ready" : ready.error().code.name());
    });
    io_.runAll();
  };
  wait();
  answer(0, kLost);
  EXPECT_EQ(row(id).status, "creating");
  EXPECT_THAT(answered, ElementsAre("host_unavailable"));
  book_->hostOpened("host_a");
  EXPECT_EQ(typeOf(1), "environment.create");
  answer(1, facts("/w"));
  wait();
  heard.clear();
  answer(2, kLost);
  EXPECT_EQ(row(id).status, "provisioning");
  EXPECT_THAT(heard, ElementsAre("machine active"));
  wait();
  EXPECT_THAT(answered, ElementsAre("host_unavailable", "host_unavailable", "host_unavailable"))
      << "nobody is at work";
  book_->hostOpened("host_a");
  EXPECT_EQ(typeOf(3), "environment.setup");
  heard.clear();
  wait();
  EXPECT_THAT(heard, ElementsAre("create completed", "machine completed", "setup active"));
  answer(3, std::string(R"({"exitCode":0,"output":""})"));
  EXPECT_EQ(heard.back(), "setup completed");
  EXPECT_EQ(heard.size(), 4U) << "once for who has asked again";
  EXPECT_EQ(answered.back(), "ready");
}

TEST_F(EnvironmentBookTest, AMachineThatIsLostTooOftenHasFailed) {
  const auto id = resolve(worktree()).value().id;
  answer(0, facts("/w"));
  for (int lost = 0; lost < limits::kEnvLosses; ++lost) {
    answer(asked_.size() - 1, kLost);
    EXPECT_EQ(row(id).status, "provisioning");
    book_->hostOpened("host_a");
  }
  answer(asked_.size() - 1, kLost);
  EXPECT_EQ(row(id).status, "error");
  EXPECT_THAT(row(id).status_detail, HasSubstr("limit envLosses: 10"));
}

TEST_F(EnvironmentBookTest, WhatIsGivenUpWhileItsMachineIsAwayDoesNotGoOn) {
  const auto id = resolve(worktree()).value().id;
  answer(0, kLost);
  book_->cancel(id);
  io_.runAll();
  EXPECT_EQ(row(id).status, "error");
  book_->hostOpened("host_a");
  EXPECT_EQ(asked_.size(), 1U);
  retry(id);
  io_.runAll();
  book_->cancel(id);
  io_.runAll();
  EXPECT_EQ(typeOf(2), "environment.cancel");
  answer(1, kLost);
  EXPECT_EQ(row(id).status, "error") << "nobody has come to it meanwhile";
}

TEST_F(EnvironmentBookTest, WhoWaitsForARemovalWhoseMachineIsLostAsksAgain) {
  const auto id = readyWorktree();
  book_->remove(id, [](const Result<Json>&) {});
  io_.runAll();
  std::vector<std::string> answered;
  const auto wait = [&] {
    book_->awaitReady(id, {}, [&](const Result<Environment>& ended) {
      answered.emplace_back(ended.error().code.name());
    });
    io_.runAll();
  };
  wait();
  answer(2, kLost);
  wait();
  EXPECT_THAT(answered, ElementsAre("host_unavailable", "host_unavailable"));
  book_->hostOpened("host_a");
  EXPECT_EQ(typeOf(3), "environment.remove");
  wait();
  answer(3, std::string(R"({"removed":true,"keptBecause":""})"));
  EXPECT_EQ(answered.size(), 3U);
  EXPECT_EQ(answered.back(), "conflict") << "it is gone";
}

TEST_F(EnvironmentBookTest, AFolderOfSomebodyIsNeverTouched) {
  (void)resolve(folder("/shop"));
  answer(0, facts("/shop"));
  const auto id = last().value().id;
  book_->use(id).reset();
  io_.advance(limits::kEnvGrace * 2);
  EXPECT_EQ(row(id).phase, "active");
  book_->remove(id, [](const Result<Json>&) {});
  io_.runAll();
  EXPECT_EQ(row(id).status, "destroyed");
  EXPECT_EQ(asked_.size(), 1U);
}

TEST_F(EnvironmentBookTest, WhatARestartHasInterruptedGoesOnWhenTheMachineIsThere) {
  const auto id = resolve(worktree()).value().id;
  restart();
  EXPECT_EQ(row(id).status, "creating");
  book_->hostOpened("host_b");
  EXPECT_EQ(asked_.size(), 1U);
  book_->hostOpened("host_a");
  ASSERT_EQ(asked_.size(), 2U);
  EXPECT_EQ(asked_[1].command.dump(), asked_[0].command.dump());
  answer(1, facts("/w"));
  restart();
  book_->hostOpened("host_a");
  EXPECT_EQ(typeOf(asked_.size() - 1), "environment.setup");
}

TEST_F(EnvironmentBookTest, WhoWaitsForWhatARestartHasInterruptedAsksAgainUntilTheMachineIsThere) {
  const auto id = resolve(worktree()).value().id;
  restart();
  own_.connected = false;
  std::vector<std::string> heard;
  const auto hears = [&heard](const Json& entry) {
    heard.push_back(entry["key"].asString() + " " + entry["status"].asString());
  };
  std::string path;
  std::vector<std::string> refused;
  const auto wait = [&] {
    book_->awaitReady(id, hears, [&](const Result<Environment>& ready) {
      if (ready) {
        path = ready.value().path;
      } else {
        EXPECT_EQ(ready.error().code, errc::kHostUnavailable);
        refused.push_back(ready.error().message);
      }
    });
    io_.runAll();
  };
  wait();
  EXPECT_THAT(refused, ElementsAre(HasSubstr("is not connected")));
  own_.connected = true;
  book_->hostOpened("host_a");
  wait();
  answer(1, facts("/w"));
  answer(2, std::string(R"({"exitCode":0,"output":""})"));
  EXPECT_EQ(path, "/w");
  EXPECT_EQ(refused.size(), 1U);
  EXPECT_THAT(heard,
              ElementsAre("create active", "create completed", "setup active", "setup completed"));
}

TEST_F(EnvironmentBookTest, WhatWasBegunBeforeARestartIsNotBegunAnew) {
  const auto id = resolve(worktree()).value().id;
  restart();
  EXPECT_EQ(resolve(worktree()).value().id, id);
  EXPECT_NE(resolve(worktree()).value().id, id) << "once: the next wish is another one";
  EXPECT_EQ(store_.rows.size(), 2U);
}

TEST_F(EnvironmentBookTest, NothingIsBegunOnAMachineThatIsAway) {
  own_.connected = false;
  EXPECT_EQ(resolve(worktree()).error().code, errc::kHostUnavailable);
  EXPECT_THAT(store_.rows, IsEmpty());
  own_.connected = true;
  const auto id = resolve(worktree()).value().id;
  answer(0, Error{errc::kConflict, "no first commit"});
  own_.connected = false;
  std::string why;
  book_->retry(id, {}, [&](const Result<Environment>& begun) { why = begun.error().message; });
  io_.runAll();
  EXPECT_THAT(why, HasSubstr("is not connected"));
  EXPECT_EQ(row(id).status_detail, "no first commit") << "as it was";
}

TEST_F(EnvironmentBookTest, AWorktreeThatIsLostHasFailedAndARetryMakesItAgain) {
  const auto id = readyWorktree();
  book_->lost(id, "the folder /w is not there any more");
  io_.runAll();
  EXPECT_EQ(row(id).status, "error");
  EXPECT_EQ(row(id).status_detail, "the folder /w is not there any more");
  retry(id);
  io_.runAll();
  EXPECT_EQ(typeOf(asked_.size() - 1), "environment.create");
  answer(asked_.size() - 1, facts("/w"));
  EXPECT_EQ(typeOf(asked_.size() - 1), "environment.setup");
  answer(asked_.size() - 1, std::string(R"({"exitCode":0,"output":""})"));
  EXPECT_EQ(row(id).status, "ready");
  EXPECT_EQ(row(id).path, "/w");
  EXPECT_EQ(row(id).status_detail, "");
}

TEST_F(EnvironmentBookTest, AFolderThatIsLostIsUsedAgainWhenItIsBack) {
  (void)resolve(folder("/shop"));
  answer(0, facts("/shop"));
  const auto id = last().value().id;
  const auto lose = [&] {
    book_->lost(id, "the folder /shop is not there any more");
    io_.runAll();
    EXPECT_EQ(row(id).status, "error");
  };
  lose();
  retry(id);
  io_.runAll();
  EXPECT_EQ(asked_.back().command["workspace"]["path"].asString(), "/shop");
  answer(asked_.size() - 1, Error{errc::kNotFound, "there is no folder /shop"});
  EXPECT_EQ(row(id).status_detail, "there is no folder /shop");
  retry(id);
  io_.runAll();
  answer(asked_.size() - 1, facts("/shop"));
  answer(asked_.size() - 1, std::string(R"({"exitCode":0,"output":""})"));
  EXPECT_EQ(row(id).status, "ready");
  lose();
  // Somebody else wants to work there.
  (void)resolve(folder("/shop"));
  answer(asked_.size() - 1, facts("/shop"));
  EXPECT_EQ(last().value().id, id);
  EXPECT_EQ(row(id).status, "ready");
  EXPECT_EQ(row(id).status_detail, "");
}

TEST_F(EnvironmentBookTest, AGraceGoesOnAfterARestart) {
  const auto id = readyWorktree();
  book_->use(id).reset();
  io_.runAll();
  restart();
  io_.advance(limits::kEnvGrace);
  EXPECT_EQ(row(id).phase, "removing");
}

TEST_F(EnvironmentBookTest, NothingIsBegunThatIsNotStored) {
  store_.broken = Error{errc::kUnavailable, "disk full"};
  EXPECT_EQ(resolve(worktree()).error().message, "disk full");
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(EnvironmentBookTest, ThePersonalProjectHasAFolderOfItsOwn) {
  const auto made = resolve(Json::object().set("type", "project-default"),
                            std::string(projects::kPersonalProject));
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made.value().kind, "personal");
}

TEST_F(EnvironmentBookTest, WhatIsMissingIsSaid) {
  EXPECT_EQ(resolve(worktree(), "proj_x").error().code, errc::kNotFound);
  EXPECT_EQ(resolve(Json::object()
                        .set("type", "host")
                        .set("hostId", "host_x")
                        .set("workspace", Json::object().set("type", "personal")))
                .error()
                .code,
            errc::kUnknownHost);
  EXPECT_THAT(resolve(worktree(), std::string(projects::kPersonalProject)).error().message,
              HasSubstr("svc project create"));
}

TEST_F(EnvironmentBookTest, EnvironmentsGoWithTheirMachineWhichIsNotAskedAnyMore) {
  const auto id = readyWorktree();
  const auto making = resolve(worktree()).value().id;
  std::string failed;
  book_->awaitReady(making, {},
                    [&](const Result<Environment>& is) { failed = is.error().message; });
  book_->machineRemoved("host_a");
  io_.runAll();
  EXPECT_EQ(row(id).status, "ready") << "only its keys were revoked";

  machine_is_removed_ = true;
  book_->machineRemoved("host_b");
  io_.runAll();
  EXPECT_EQ(row(id).status, "ready");
  const auto asked = asked_.size();
  book_->machineRemoved("host_a");
  io_.runAll();
  EXPECT_EQ(row(id).status, "destroyed");
  EXPECT_THAT(row(id).status_detail,
              HasSubstr("its machine was removed from the server; the folder /w stays there"));
  EXPECT_EQ(row(making).status, "destroyed");
  EXPECT_THAT(failed, HasSubstr("its machine was removed"));
  answer(asked - 1, Error{errc::kUnknownHost, "it is gone"});
  EXPECT_EQ(row(making).status_detail, "its machine was removed from the server");
  EXPECT_EQ(asked_.size(), asked);

  const auto reused = resolve(Json::object().set("type", "reuse").set("environmentId", id));
  EXPECT_THAT(reused.error().message, HasSubstr("its machine was removed"));
  EXPECT_THAT(resolve(Json::object().set("type", "project-default")).error().message,
              HasSubstr("the default folder of the project \"Shop\" is on the machine host_a"));
}

TEST_F(EnvironmentBookTest, ARemovalOfItsMachineThatEndsWhileItIsRemovedHasTheLastWord) {
  const auto id = readyWorktree();
  book_->remove(id, [](const Result<Json>&) {});
  io_.runAll();
  machine_is_removed_ = true;
  book_->machineRemoved("host_a");
  io_.runAll();
  answer(2, Error{errc::kUnknownHost, "there is no such host"});
  EXPECT_EQ(row(id).status, "destroyed");
  EXPECT_THAT(row(id).status_detail, HasSubstr("its machine was removed"));
}

TEST_F(EnvironmentBookTest, AStartEndsEnvironmentsOfMachinesThatAreNoMore) {
  const auto id = readyWorktree();
  machine_is_removed_ = true;
  restart();
  EXPECT_EQ(row(id).status, "destroyed");
}

TEST_F(EnvironmentBookTest, EnvironmentsGoWithTheirProject) {
  const auto id = readyWorktree();
  book_->projectRemoved("proj_b");
  io_.runAll();
  EXPECT_EQ(row(id).phase, "active");
  book_->projectRemoved("proj_a");
  io_.runAll();
  EXPECT_EQ(row(id).phase, "removing");
}

}  // namespace
}  // namespace svc::environments
