#include "workplaces.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

namespace svc::threads {
namespace {

using common::Json;
using environments::Environment;
using environments::Progress;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Environments that are made when the test says so.
class HeldEnvironments final : public environments::IEnvironments {
 public:
  std::optional<Environment> find(std::string_view id) const override {
    const auto found = known.find(std::string(id));
    return found == known.end() ? std::nullopt : std::optional(found->second);
  }
  Status check(const environments::Wish& /*wish*/) const override {
    return failure ? Status(*failure) : Status();
  }
  void resolve(environments::Wish /*wish*/, Progress progress,
               Completion<Environment> done) override {
    progresses.push_back(std::move(progress));
    resolving.push_back(std::move(done));
  }
  void awaitReady(const std::string& id, Progress progress, Completion<Environment> done) override {
    if (progress) {
      progresses.push_back(std::move(progress));
    }
    awaiting[id].push_back(std::move(done));
  }
  void cancel(const std::string& id) override { cancelled.push_back(id); }
  void lost(const std::string& id, const std::string& /*detail*/) override { gone.push_back(id); }
  void retry(const std::string& id, Progress progress, Completion<Environment> done) override {
    progresses.push_back(std::move(progress));
    done(known.at(id));
  }
  Handle use(const std::string& id) override {
    ++uses[id];
    return Handle([this, id] { --uses[id]; });
  }
  Handle tellWork(environments::Work /*work*/) override { return {}; }

  std::optional<Error> failure;
  std::map<std::string, Environment> known;
  std::vector<Progress> progresses;
  std::vector<Completion<Environment>> resolving;
  std::map<std::string, std::vector<Completion<Environment>>> awaiting;
  std::vector<std::string> cancelled;
  std::vector<std::string> gone;
  std::map<std::string, int> uses;
};

class WorkplacesTest : public ::testing::Test {
 protected:
  /// What the thread hears is kept under its id.
  void want(const std::string& thread_id, const std::string& environment_id = {},
            const char* intent = "host") {
    places_->resolve(
        {.thread_id = thread_id,
         .project_id = "proj_a",
         .environment_id = environment_id,
         .intent = Json::object().set("type", intent)},
        [this, thread_id](const PlaceNews& news) {
          heard_[thread_id].push_back(news.step.isNull() ? news.environment.environment_id
                                                         : news.step["key"].asString());
        },
        [this, thread_id](Result<ReadyEnvironment> ready) {
          heard_[thread_id].push_back(ready ? "ready" : std::string(ready.error().code.name()));
          failures_[thread_id] = ready ? "" : ready.error().message;
        });
  }
  static Environment environment(const std::string& id, const std::string& status = "creating") {
    return {.id = id,
            .project_id = "proj_a",
            .host_id = "host_a",
            .kind = "managed-worktree",
            .status = status};
  }
  void known(const std::string& id, const std::string& status) {
    held_.known.insert_or_assign(id, environment(id, status));
  }
  void step(const char* key) {
    for (const auto& progress : held_.progresses) {
      progress(Json::object().set("key", key));
    }
  }

  std::map<std::string, std::vector<std::string>> heard_;
  std::map<std::string, std::string> failures_;
  HeldEnvironments held_;
  std::shared_ptr<Workplaces> places_ = std::make_shared<Workplaces>(held_);
};

TEST_F(WorkplacesTest, ThreadsThatShareAPlaceAllHearWhatIsDoneForIt) {
  want("thr_1");
  held_.resolving[0](environment("env_a"));
  known("env_a", "provisioning");
  want("thr_2", "env_a");
  want("thr_3", {}, "reuse");
  held_.resolving[1](environment("env_a"));
  held_.progresses.erase(held_.progresses.begin() + 2);  // nothing is done for who reuses one
  step("setup");
  EXPECT_THAT(heard_["thr_1"], ElementsAre("env_a", "setup"));
  EXPECT_THAT(heard_["thr_2"], ElementsAre("setup"));
  EXPECT_THAT(heard_["thr_3"], ElementsAre("env_a", "setup"));
  for (auto& done : held_.awaiting["env_a"]) {
    done(environment("env_a", "ready"));
  }
  EXPECT_EQ(heard_["thr_1"].back(), "ready");
  EXPECT_EQ(heard_["thr_2"].back(), "ready");
}

TEST_F(WorkplacesTest, AFolderThatIsGoingIsWaitedForAndMadeAgain) {
  known("env_a", "ready");
  held_.known.at("env_a").removing = true;
  EXPECT_FALSE(places_->find("env_a"));
  want("thr_1", "env_a");
  EXPECT_THAT(heard_["thr_1"], ElementsAre("removal"));
  EXPECT_THAT(held_.resolving, IsEmpty());
  known("env_a", "destroyed");
  held_.awaiting["env_a"][0](Error{errc::kConflict, "it is gone"});
  ASSERT_EQ(held_.resolving.size(), 1U);
  held_.resolving[0](environment("env_b"));
  EXPECT_THAT(heard_["thr_1"], ElementsAre("removal", "removal", "env_b"));
}

TEST_F(WorkplacesTest, AFolderThatDoesNotGoIsNotWaitedForForEver) {
  known("env_a", "ready");
  held_.known.at("env_a").removing = true;
  want("thr_1", "env_a");
  held_.awaiting["env_a"][0](Error{errc::kConflict, "disk full"});
  EXPECT_THAT(held_.resolving, IsEmpty());
  EXPECT_EQ(failures_["thr_1"], "disk full");
}

TEST_F(WorkplacesTest, AFolderThatIsGoingIsStillWaitedForWhenItsMachineIsAway) {
  known("env_a", "ready");
  held_.known.at("env_a").removing = true;
  want("thr_1", "env_a");
  held_.awaiting["env_a"][0](Error{errc::kHostUnavailable, "away"});
  EXPECT_THAT(heard_["thr_1"], ElementsAre("removal", "host_unavailable")) << "no end of the step";
}

TEST_F(WorkplacesTest, WhoGivesUpWhileItsMachineIsAwayEndsWhatIsDoneForIt) {
  known("env_a", "provisioning");
  want("thr_1", "env_a");
  held_.awaiting["env_a"][0](Error{errc::kHostUnavailable, "away"});
  places_->abandon("thr_1");
  EXPECT_THAT(held_.cancelled, ElementsAre("env_a"));
}

TEST_F(WorkplacesTest, WhoGaveUpMeanwhileGetsNoOtherFolder) {
  known("env_a", "ready");
  held_.known.at("env_a").removing = true;
  want("thr_1", "env_a");
  places_->abandon("thr_1");
  known("env_a", "destroyed");
  held_.awaiting["env_a"][0](Error{errc::kConflict, "it is gone"});
  EXPECT_THAT(held_.resolving, IsEmpty());
  EXPECT_EQ(heard_["thr_1"].back(), "aborted");
}

TEST_F(WorkplacesTest, WhatTheLastThreadGivesUpIsEnded) {
  want("thr_1");
  held_.resolving[0](environment("env_a"));
  known("env_a", "provisioning");
  want("thr_2", "env_a");
  places_->abandon("thr_1");
  EXPECT_THAT(held_.cancelled, IsEmpty()) << "thr_2 waits for it";
  places_->abandon("thr_2");
  EXPECT_THAT(held_.cancelled, ElementsAre("env_a"));
  places_->abandon("thr_2");
  EXPECT_EQ(held_.cancelled.size(), 1U);
}

TEST_F(WorkplacesTest, WhoComesWhileAPlaceIsGivenUpHasItMadeAnew) {
  want("thr_1");
  held_.resolving[0](environment("env_a"));
  known("env_a", "provisioning");
  places_->abandon("thr_1");
  want("thr_1", "env_a");
  held_.awaiting["env_a"][1](Error{errc::kUnavailable, ".svc/setup was cancelled"});
  EXPECT_THAT(heard_["thr_1"], ElementsAre("env_a")) << "the end was asked for by another turn";
  ASSERT_EQ(held_.awaiting["env_a"].size(), 3U);
  held_.awaiting["env_a"][2](environment("env_a", "ready"));
  EXPECT_EQ(heard_["thr_1"].back(), "ready");
  // What fails by itself is told.
  known("env_a", "provisioning");
  want("thr_1", "env_a");
  held_.awaiting["env_a"][3](Error{errc::kUnavailable, ".svc/setup ended with exit status 1"});
  EXPECT_EQ(heard_["thr_1"].back(), "unavailable");
}

TEST_F(WorkplacesTest, KnowsPlacesThatAreThereOrOnTheirWay) {
  for (const auto& [status, is] :
       {std::pair("ready", true), {"creating", true}, {"error", false}, {"destroyed", false}}) {
    known("env_1", status);
    const auto found = places_->find("env_1");
    EXPECT_EQ(found.has_value(), is) << status;
    EXPECT_EQ(found.value_or(ReadyEnvironment{}).host_id, is ? "host_a" : "") << status;
  }
  EXPECT_FALSE(places_->find("env_2"));
}

TEST_F(WorkplacesTest, WhatToDoAboutAPlaceThatIsGoneIsSaid) {
  known("env_1", "ready");
  EXPECT_THAT(places_->lost("env_1", "gone"), ::testing::HasSubstr("from its branch"));
  held_.known.at("env_1").kind = "unmanaged";
  EXPECT_THAT(places_->lost("env_1", "gone"), ::testing::HasSubstr("put it back"));
  EXPECT_THAT(held_.gone, ElementsAre("env_1", "env_1"));
}

TEST_F(WorkplacesTest, WhatIsReadyIsNotEnded) {
  want("thr_1");
  held_.resolving[0](environment("env_a"));
  held_.awaiting["env_a"][0](environment("env_a", "ready"));
  places_->abandon("thr_1");
  EXPECT_THAT(held_.cancelled, IsEmpty());
}

TEST_F(WorkplacesTest, APlaceThatBeginsWhenItsThreadHasGivenUpIsKeptForItAndEnded) {
  want("thr_1");
  places_->abandon("thr_1");
  held_.resolving[0](environment("env_a"));
  EXPECT_THAT(heard_["thr_1"], ElementsAre("env_a", "aborted"));
  EXPECT_THAT(held_.cancelled, ElementsAre("env_a"));
  EXPECT_EQ(held_.uses["env_a"], 1);
}

TEST_F(WorkplacesTest, APlaceThatItsThreadHasLeftForAnotherOneGoes) {
  want("thr_1");
  places_->abandon("thr_1");
  want("thr_1");
  held_.resolving[0](environment("env_a"));
  EXPECT_THAT(heard_["thr_1"], ElementsAre("aborted"));
  EXPECT_THAT(held_.cancelled, ElementsAre("env_a"));
  EXPECT_EQ(held_.uses.at("env_a"), 0) << "used and left, so that it retires";
  held_.resolving[1](environment("env_b"));
  EXPECT_EQ(held_.uses["env_b"], 1);
}

TEST_F(WorkplacesTest, APlaceOnARemovedMachineIsSaidToBeGoneForGood) {
  known("env_a", "ready");
  held_.failure = Error{errc::kUnknownHost, "there is no host \"host_b\""};
  const EnvironmentNeed need{.thread_id = "t1", .project_id = "proj_a", .environment_id = "env_a"};
  EXPECT_TRUE(places_->check(need).ok()) << "it is there";
  known("env_a", "destroyed");
  EXPECT_THAT(places_->check(need).error().message,
              AllOf(HasSubstr("the machine of this thread was removed"), HasSubstr("fork")));
  held_.failure.reset();
  EXPECT_TRUE(places_->check(need).ok()) << "it is made again";

  held_.failure = Error{errc::kUnknownHost, "there is no host \"host_b\""};
  EXPECT_THAT(places_->check({.thread_id = "t2", .project_id = "proj_a"}).error().message,
              HasSubstr("fork"))
      << "a thread that has not begun";

  want("t1", "env_a");
  held_.resolving.front()(Error{errc::kUnknownHost, "there is no host \"host_b\""});
  EXPECT_THAT(failures_["t1"], HasSubstr("the machine of this thread was removed"));
}

}  // namespace
}  // namespace svc::threads
