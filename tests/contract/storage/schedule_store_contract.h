#pragma once

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/storage/plugin_store.h"
#include "svc/storage/schedule_store.h"

namespace svc::storage {

/// What every IScheduleStore does. Rig offers `IScheduleStore& schedules()` and `IPluginStore& plugins()`.
template <class Rig>
class ScheduleStoreContract : public ::testing::Test {
 protected:
  static constexpr std::int64_t kNow = 1'700'000'000'000;
  static constexpr std::int64_t kMinute = 60'000;

  IScheduleStore& store() { return rig_.schedules(); }

  static ScheduleSpec spec(std::string name, std::int64_t next, std::string cron = "* * * * *",
                           std::string zone = "UTC") {
    return {std::move(name), std::move(cron), std::move(zone), next};
  }
  std::vector<ScheduleRow> rows() { return store().list().value(); }
  ScheduleRow row(const std::string& name) {
    for (const auto& each : rows()) {
      if (each.name == name) {
        return each;
      }
    }
    ADD_FAILURE() << "no schedule " << name;
    return {};
  }
  std::vector<std::string> dueNames(const std::vector<std::string>& ids, std::int64_t now,
                                    std::size_t limit = 100) {
    std::vector<std::string> out;
    const auto due = store().due(ids, now, limit);
    for (const auto& each : due.value()) {
      out.push_back(each.plugin_id + "/" + each.name);
    }
    return out;
  }
  bool claim(ScheduleClaim claim, std::int64_t now) {
    return store().claim({std::move(claim)}, now).value().front();
  }

  Rig rig_;
};

TYPED_TEST_SUITE_P(ScheduleStoreContract);

TYPED_TEST_P(ScheduleStoreContract, HoldsNothingAtFirst) { EXPECT_TRUE(this->rows().empty()); }

TYPED_TEST_P(ScheduleStoreContract, InsertsWhatIsRegistered) {
  ASSERT_TRUE(this->store().replace("todo", {this->spec("b", 5), this->spec("a", 7)}, 3).ok());
  ScheduleRow expected;
  expected.plugin_id = "todo";
  expected.name = "a";
  expected.cron = "* * * * *";
  expected.timezone = "UTC";
  expected.next_run_at = 7;
  expected.updated_at = 3;
  EXPECT_EQ(this->row("a"), expected);
  EXPECT_EQ(this->rows().front().name, "a");
  EXPECT_EQ(this->rows().size(), 2U);
}

TYPED_TEST_P(ScheduleStoreContract, KeepsTheNextRunOfAnUnchangedSchedule) {
  ASSERT_TRUE(this->store().replace("todo", {this->spec("a", 5)}, 1).ok());
  ASSERT_TRUE(this->store().replace("todo", {this->spec("a", 900)}, 2).ok());
  EXPECT_EQ(this->row("a").next_run_at, 5);
}

TYPED_TEST_P(ScheduleStoreContract, TakesTheNextRunBackThatAClockWasAheadFor) {
  ASSERT_TRUE(this->store().replace("todo", {this->spec("a", 900)}, 1).ok());
  ASSERT_TRUE(this->store().replace("todo", {this->spec("a", 5)}, 2).ok());
  EXPECT_EQ(this->row("a").next_run_at, 5);
}

TYPED_TEST_P(ScheduleStoreContract, TakesTheNewNextRunOfAChangedExpressionOrZone) {
  ASSERT_TRUE(this->store().replace("todo", {this->spec("a", 5), this->spec("b", 5)}, 1).ok());
  ASSERT_TRUE(this->store()
                  .replace("todo",
                           {this->spec("a", 900, "0 * * * *"),
                            this->spec("b", 901, "* * * * *", "Europe/Berlin")},
                           2)
                  .ok());
  EXPECT_EQ(this->row("a").next_run_at, 900);
  EXPECT_EQ(this->row("a").cron, "0 * * * *");
  EXPECT_EQ(this->row("b").next_run_at, 901);
  EXPECT_EQ(this->row("b").timezone, "Europe/Berlin");
}

TYPED_TEST_P(ScheduleStoreContract, KeepsTheLastRunWhenTheExpressionChanges) {
  ASSERT_TRUE(this->store().replace("todo", {this->spec("a", 5)}, 1).ok());
  ASSERT_TRUE(this->claim({"todo", "a", 5, 9}, 6));
  ASSERT_TRUE(this->store().finish({{"todo", "a", 6, "no luck"}}, 7).ok());
  ASSERT_TRUE(this->store().replace("todo", {this->spec("a", 900, "0 * * * *")}, 8).ok());
  const auto row = this->row("a");
  EXPECT_EQ(row.last_run_at, 6);
  EXPECT_EQ(row.last_status, "error");
  EXPECT_EQ(row.last_error, "no luck");
}

TYPED_TEST_P(ScheduleStoreContract, RemovesSchedulesThatAreNotRegisteredAnyMore) {
  ASSERT_TRUE(this->store().replace("todo", {this->spec("a", 5), this->spec("b", 5)}, 1).ok());
  ASSERT_TRUE(this->store().replace("notes", {this->spec("a", 5)}, 1).ok());
  ASSERT_TRUE(this->store().replace("todo", {this->spec("b", 5), this->spec("c", 5)}, 2).ok());
  std::vector<std::string> left;
  for (const auto& row : this->rows()) {
    left.push_back(row.plugin_id + "/" + row.name);
  }
  EXPECT_THAT(left, ::testing::ElementsAre("notes/a", "todo/b", "todo/c"));
  ASSERT_TRUE(this->store().replace("todo", {}, 3).ok());
  EXPECT_EQ(this->rows().size(), 1U);
}

TYPED_TEST_P(ScheduleStoreContract, FindsWhatIsDueOfTheGivenPlugins) {
  ASSERT_TRUE(
      this->store()
          .replace("todo", {this->spec("a", 30), this->spec("b", 10), this->spec("c", 20)}, 1)
          .ok());
  ASSERT_TRUE(this->store().replace("notes", {this->spec("a", 10)}, 1).ok());
  ASSERT_TRUE(this->store().replace("other", {this->spec("a", 1)}, 1).ok());
  using ::testing::ElementsAre;
  EXPECT_THAT(this->dueNames({"todo", "notes"}, 20), ElementsAre("notes/a", "todo/b", "todo/c"));
  EXPECT_THAT(this->dueNames({"todo", "notes"}, 30, 2), ElementsAre("notes/a", "todo/b"));
  EXPECT_THAT(this->dueNames({"todo"}, 9), ElementsAre());
  EXPECT_THAT(this->dueNames({}, 100), ElementsAre());
}

TYPED_TEST_P(ScheduleStoreContract, ClaimsATickOnce) {
  ASSERT_TRUE(this->store().replace("todo", {this->spec("a", 5)}, 1).ok());
  EXPECT_TRUE(this->claim({"todo", "a", 5, 65, true, true}, 6));
  EXPECT_FALSE(this->claim({"todo", "a", 5, 65, true, true}, 7));
  const auto row = this->row("a");
  EXPECT_EQ(row.next_run_at, 65);
  EXPECT_EQ(row.last_run_at, 6);
  EXPECT_EQ(row.last_status, "running");
  EXPECT_TRUE(row.last_run_missed);
  EXPECT_EQ(row.updated_at, 6);
}

TYPED_TEST_P(ScheduleStoreContract, ClaimsNothingThatIsNotThere) {
  EXPECT_FALSE(this->claim({"todo", "a", 5, 65}, 6));
  EXPECT_TRUE(this->store().claim({}, 6).value().empty());
}

TYPED_TEST_P(ScheduleStoreContract, SkipsATickWithoutTouchingTheLastRun) {
  ASSERT_TRUE(this->store().replace("todo", {this->spec("a", 5)}, 1).ok());
  ASSERT_TRUE(this->claim({"todo", "a", 5, 65}, 6));
  EXPECT_TRUE(this->claim({"todo", "a", 65, 125, false}, 66));
  EXPECT_FALSE(this->claim({"todo", "a", 65, 125, false}, 66));
  const auto row = this->row("a");
  EXPECT_EQ(row.next_run_at, 125);
  EXPECT_EQ(row.last_run_at, 6);
  EXPECT_EQ(row.last_status, "running");
}

TYPED_TEST_P(ScheduleStoreContract, RecordsHowARunEnded) {
  ASSERT_TRUE(this->store().replace("todo", {this->spec("a", 5), this->spec("b", 5)}, 1).ok());
  ASSERT_TRUE(this->claim({"todo", "a", 5, 65}, 6));
  ASSERT_TRUE(this->claim({"todo", "b", 5, 65}, 6));
  ASSERT_TRUE(this->store().finish({{"todo", "a", 6, ""}, {"todo", "b", 6, "no luck"}}, 8).ok());
  EXPECT_EQ(this->row("a").last_status, "ok");
  EXPECT_EQ(this->row("a").last_error, "");
  EXPECT_EQ(this->row("b").last_status, "error");
  EXPECT_EQ(this->row("b").last_error, "no luck");
  EXPECT_EQ(this->row("b").updated_at, 8);
  EXPECT_EQ(this->row("b").next_run_at, 65);
}

TYPED_TEST_P(ScheduleStoreContract, ForgetsTheErrorWhenTheNextRunBegins) {
  ASSERT_TRUE(this->store().replace("todo", {this->spec("a", 5)}, 1).ok());
  ASSERT_TRUE(this->claim({"todo", "a", 5, 65, true, true}, 6));
  ASSERT_TRUE(this->store().finish({{"todo", "a", 6, "no luck"}}, 8).ok());
  ASSERT_TRUE(this->claim({"todo", "a", 65, 125}, 66));
  EXPECT_EQ(this->row("a").last_error, "");
  EXPECT_FALSE(this->row("a").last_run_missed);
}

TYPED_TEST_P(ScheduleStoreContract, IgnoresTheEndOfAnotherRun) {
  ASSERT_TRUE(this->store().replace("todo", {this->spec("a", 5)}, 1).ok());
  ASSERT_TRUE(this->claim({"todo", "a", 5, 65}, 6));
  ASSERT_TRUE(this->store().finish({{"todo", "a", 4, ""}, {"todo", "gone", 6, ""}}, 8).ok());
  EXPECT_EQ(this->row("a").last_status, "running");
  ASSERT_TRUE(this->store().finish({{"todo", "a", 6, "first"}}, 8).ok());
  ASSERT_TRUE(this->store().finish({{"todo", "a", 6, ""}}, 9).ok());
  EXPECT_EQ(this->row("a").last_error, "first");
}

TYPED_TEST_P(ScheduleStoreContract, MarksRunsThatACrashHasLeft) {
  ASSERT_TRUE(this->store().replace("todo", {this->spec("a", 5), this->spec("b", 5)}, 1).ok());
  ASSERT_TRUE(this->claim({"todo", "a", 5, 65}, 6));
  EXPECT_EQ(this->store().interruptRunning("interrupted", 10).value(), 1U);
  EXPECT_EQ(this->store().interruptRunning("interrupted", 11).value(), 0U);
  EXPECT_EQ(this->row("a").last_status, "error");
  EXPECT_EQ(this->row("a").last_error, "interrupted");
  EXPECT_EQ(this->row("a").next_run_at, 65);
  EXPECT_EQ(this->row("b").last_status, "");
}

TYPED_TEST_P(ScheduleStoreContract, LosesTheSchedulesOfARemovedPlugin) {
  PluginRow row;
  row.id = "todo";
  ASSERT_TRUE(this->rig_.plugins().put(row).ok());
  ASSERT_TRUE(this->store().replace("todo", {this->spec("a", 5)}, 1).ok());
  ASSERT_TRUE(this->store().replace("notes", {this->spec("a", 5)}, 1).ok());
  ASSERT_TRUE(this->rig_.plugins().remove("todo").ok());
  EXPECT_EQ(this->rows().size(), 1U);
  EXPECT_EQ(this->rows().front().plugin_id, "notes");
}

TYPED_TEST_P(ScheduleStoreContract, RefusesNamesThatCannotBeKept) {
  const auto refused = [this](const std::string& id, const std::vector<ScheduleSpec>& specs) {
    const auto status = this->store().replace(id, specs, 1);
    return !status.ok() && status.error().code == errc::kInvalidArgument;
  };
  EXPECT_TRUE(refused("", {this->spec("a", 5)}));
  EXPECT_TRUE(refused("todo", {this->spec("", 5)}));
  EXPECT_TRUE(refused("todo", {this->spec("a", 5), this->spec("a", 6)}));
  EXPECT_TRUE(this->rows().empty());
}

TYPED_TEST_P(ScheduleStoreContract, RunsEveryTickOnceForEightClaimers) {
  constexpr int kSchedules = 20;
  constexpr int kTicks = 25;
  std::vector<ScheduleSpec> specs;
  for (int index = 0; index < kSchedules; ++index) {
    specs.push_back(this->spec("s" + std::to_string(index), this->kNow));
  }
  ASSERT_TRUE(this->store().replace("todo", specs, 1).ok());
  const auto end = this->kNow + kTicks * this->kMinute;
  std::vector<std::map<std::string, int>> runs(8);
  std::vector<std::thread> claimers;
  for (auto& mine : runs) {
    claimers.emplace_back([this, &mine, end] {
      for (;;) {
        const auto due = this->store().due({"todo"}, end - 1, 7).value();
        if (due.empty()) {
          return;
        }
        std::vector<ScheduleClaim> claims;
        for (const auto& row : due) {
          claims.push_back({"todo", row.name, row.next_run_at, row.next_run_at + this->kMinute});
        }
        const auto won = this->store().claim(claims, end).value();
        for (std::size_t index = 0; index < claims.size(); ++index) {
          mine[claims[index].name + "@" + std::to_string(claims[index].seen)] += won[index] ? 1 : 0;
        }
      }
    });
  }
  for (auto& claimer : claimers) {
    claimer.join();
  }
  std::map<std::string, int> total;
  for (const auto& mine : runs) {
    for (const auto& [tick, count] : mine) {
      total[tick] += count;
    }
  }
  EXPECT_EQ(total.size(), static_cast<std::size_t>(kSchedules) * kTicks);
  EXPECT_THAT(total, ::testing::Each(::testing::Pair(::testing::_, 1)));
}

REGISTER_TYPED_TEST_SUITE_P(
    ScheduleStoreContract, HoldsNothingAtFirst, InsertsWhatIsRegistered,
    KeepsTheNextRunOfAnUnchangedSchedule, TakesTheNextRunBackThatAClockWasAheadFor,
    TakesTheNewNextRunOfAChangedExpressionOrZone, KeepsTheLastRunWhenTheExpressionChanges,
    RemovesSchedulesThatAreNotRegisteredAnyMore, FindsWhatIsDueOfTheGivenPlugins, ClaimsATickOnce,
    ClaimsNothingThatIsNotThere, SkipsATickWithoutTouchingTheLastRun, RecordsHowARunEnded,
    ForgetsTheErrorWhenTheNextRunBegins, IgnoresTheEndOfAnotherRun, MarksRunsThatACrashHasLeft,
    LosesTheSchedulesOfARemovedPlugin, RefusesNamesThatCannotBeKept,
    RunsEveryTickOnceForEightClaimers);

}  // namespace svc::storage
