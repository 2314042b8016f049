#include "saved_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/limits/plugins.h"

#include "fixture.h"
#include "no_descriptors.h"
#include "secret_mask.h"

namespace svc::plugins {
namespace {

using common::Json;
using common::RawJson;
using storage::SettingChange;
using ::testing::_;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Return;
using ::testing::StrictMock;

class SavedSettingsTest : public ::testing::Test {
 protected:
  SavedSettingsTest() {
    ON_CALL(store_, load).WillByDefault([this](const std::string&) {
      return Result<storage::MockSettingsStore::Values>(rows_);
    });
    ON_CALL(store_, apply).WillByDefault([this](const std::string&, const auto& changes) {
      ++applied_;
      for (const auto& [key, value] : changes) {
        rows_.erase(key);
        if (value) {
          rows_.emplace(key, *value);
        }
      }
      return Status();
    });
  }

  void settle() {
    while (main_.runAll() > 0 || workers_.runAll()) {
    }
  }
  Answer<void> load() {
    Answer<void> answer;
    settings_->load(answer.completion());
    settle();
    return answer;
  }
  [[nodiscard]] Answer<void> write(const std::string& changes) {
    Answer<void> answer;
    settings_->write(changes, answer.completion());
    settle();
    return answer;
  }
  [[nodiscard]] Json current() const { return Json::parse(settings_->current()).value(); }

  svc::test::TempDirectory directory_;
  svc::test::FakeMainExecutor main_;
  QueuedWorkers workers_;
  ::testing::NiceMock<storage::MockSettingsStore> store_;
  storage::MockSettingsStore::Values rows_;
  int applied_ = 0;
  int saved_ = 0;
  SecretMask mask_;
  SecretFiles files_{directory_.path() / "secrets"};
  std::shared_ptr<SavedSettings> settings_ = std::make_shared<SavedSettings>(
      "todo", directory_.path() / "secrets", SavedSettings::Parts{main_, workers_, store_, mask_},
      [this] { ++saved_; });
};

TEST_F(SavedSettingsTest, ReadsRowsAndSecrets) {
  rows_.emplace("count", RawJson("3"));
  directory_.write("secrets/key", "hunter22");
  ASSERT_TRUE(load().ok());
  EXPECT_EQ(current().dump(), R"({"values":{"count":3},"secrets":{"key":"hunter22"}})");
  EXPECT_EQ(mask_.apply("hunter22"), "***");
}

TEST_F(SavedSettingsTest, SaysWhyItCannotRead) {
  EXPECT_CALL(store_, load).WillOnce(Return(Error{errc::kUnavailable, "the disk is gone"}));
  const auto answer = load();
  ASSERT_TRUE(answer.fired() && !answer.ok());
  EXPECT_EQ(answer.error().message, "the saved settings cannot be read: the disk is gone");
}

TEST_F(SavedSettingsTest, KeepsSecretsInFilesAndTheRestInRows) {
  ASSERT_TRUE(write(R"([{"key":"key","secret":true,"value":"hunter22"},)"
                    R"({"key":"count","secret":false,"value":3}])")
                  .ok());
  EXPECT_EQ(rows_.size(), 1U);
  EXPECT_EQ(rows_.at("count").text(), "3");
  EXPECT_EQ(files_.read().value().at("key"), "hunter22");
  EXPECT_EQ(current().dump(), R"({"values":{"count":3},"secrets":{"key":"hunter22"}})");
  EXPECT_EQ(saved_, 1);
  EXPECT_EQ(mask_.apply("hunter22"), "***");
}

TEST_F(SavedSettingsTest, RemovesWhatIsNull) {
  ASSERT_TRUE(write(R"([{"key":"key","secret":true,"value":"hunter22"},)"
                    R"({"key":"count","secret":false,"value":3}])")
                  .ok());
  ASSERT_TRUE(write(R"([{"key":"key","secret":true,"value":null},)"
                    R"({"key":"count","secret":false,"value":null}])")
                  .ok());
  EXPECT_TRUE(rows_.empty());
  EXPECT_TRUE(files_.read().value().empty());
  EXPECT_EQ(current().dump(), R"({"values":{},"secrets":{}})");
}

TEST_F(SavedSettingsTest, AKeyThatBecameSecretLeavesNoRow) {
  rows_.emplace("key", RawJson(R"("plain")"));
  ASSERT_TRUE(load().ok());
  ASSERT_TRUE(write(R"([{"key":"key","secret":true,"value":"hunter22"}])").ok());
  EXPECT_TRUE(rows_.empty());
  ASSERT_TRUE(write(R"([{"key":"key","secret":false,"value":"plain"}])").ok());
  EXPECT_EQ(rows_.at("key").text(), R"("plain")");
  EXPECT_TRUE(files_.read().value().empty());
}

TEST_F(SavedSettingsTest, AFailedWriteChangesNothing) {
  ASSERT_TRUE(write(R"([{"key":"key","secret":true,"value":"first-one"}])").ok());
  EXPECT_CALL(store_, apply).WillOnce(Return(Error{errc::kUnavailable, "disk full"}));
  const auto answer = write(R"([{"key":"key","secret":true,"value":"second-one"},)"
                            R"({"key":"count","secret":false,"value":3}])");
  ASSERT_TRUE(answer.fired() && !answer.ok());
  EXPECT_EQ(answer.error().message, "disk full");
  EXPECT_EQ(files_.read().value().at("key"), "first-one");
  EXPECT_EQ(current()["secrets"]["key"].asString(), "first-one");
  EXPECT_EQ(saved_, 1);
}

TEST_F(SavedSettingsTest, ASaveWhoseSecretCannotBeWrittenLeavesTheValuesToo) {
  rows_.emplace("count", RawJson("2"));
  directory_.write("secrets/key/in the way", "");
  ASSERT_TRUE(load().ok());
  const auto answer = write(R"([{"key":"key","secret":true,"value":"hunter22"},)"
                            R"({"key":"count","secret":false,"value":3},)"
                            R"({"key":"more","secret":false,"value":4}])");
  ASSERT_TRUE(answer.fired() && !answer.ok());
  EXPECT_EQ(rows_.size(), 1U);
  EXPECT_EQ(rows_.at("count").text(), "2");
  EXPECT_EQ(current()["values"].dump(), R"({"count":2})");
}

TEST_F(SavedSettingsTest, WhatASaveThatFailedHasLeftIsWhatIsSaved) {
  ASSERT_TRUE(write(R"([{"key":"key","secret":true,"value":"first-one"},)"
                    R"({"key":"count","secret":false,"value":2}])")
                  .ok());
  std::optional<svc::test::NoDescriptors> none;
  EXPECT_CALL(store_, apply).WillOnce([&](const std::string&, const auto&) {
    rows_.insert_or_assign("count", RawJson("3"));
    none.emplace();  // the secret gets its name, and its folder cannot be opened
    return Status();
  });
  EXPECT_CALL(store_, load).WillOnce([&](const std::string&) {
    none.reset();
    return Result<storage::MockSettingsStore::Values>(rows_);
  });
  const auto answer = write(R"([{"key":"key","secret":true,"value":"second-one"},)"
                            R"({"key":"count","secret":false,"value":3}])");
  ASSERT_TRUE(answer.fired() && !answer.ok());
  EXPECT_EQ(files_.read().value().at("key"), "second-one");
  EXPECT_EQ(current().dump(), R"({"values":{"count":3},"secrets":{"key":"second-one"}})");
  EXPECT_EQ(saved_, 2);
}

TEST_F(SavedSettingsTest, WritesNothingWhenNothingChanges) {
  rows_.emplace("count", RawJson("3"));
  directory_.write("secrets/key", "hunter22");
  ASSERT_TRUE(load().ok());
  EXPECT_TRUE(write(R"([{"key":"key","secret":true,"value":"hunter22"},)"
                    R"({"key":"count","secret":false,"value":3},)"
                    R"({"key":"other","secret":false,"value":null}])")
                  .ok());
  EXPECT_EQ(applied_, 0);
  EXPECT_EQ(saved_, 0);
}

TEST_F(SavedSettingsTest, ConcurrentWritesApplyInTheirOrder) {
  Answer<void> first;
  Answer<void> second;
  settings_->write(
      R"([{"key":"count","secret":false,"value":1},{"key":"a","secret":false,"value":1}])",
      first.completion());
  settings_->write(R"([{"key":"count","secret":false,"value":2}])", second.completion());
  settle();
  EXPECT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(current()["values"].dump(), R"({"a":1,"count":2})");
  EXPECT_EQ(rows_.at("count").text(), "2");
}

TEST_F(SavedSettingsTest, TellsThoseWhoStillLive) {
  int heard = 0;
  auto owner = std::make_shared<int>(0);
  settings_->follow(owner, [&](Completion<void> shown) {
    ++heard;
    shown({});
  });
  ASSERT_TRUE(write(R"([{"key":"count","secret":false,"value":1}])").ok());
  EXPECT_EQ(heard, 1);
}

TEST_F(SavedSettingsTest, ASaveIsNewsOnlyWhenItShows) {
  auto owner = std::make_shared<int>(0);
  Completion<void> shown;
  settings_->follow(owner, [&](Completion<void> done) { shown = std::move(done); });
  ASSERT_TRUE(write(R"([{"key":"count","secret":false,"value":1}])").ok());
  EXPECT_EQ(saved_, 0);
  shown({});
  settle();
  EXPECT_EQ(saved_, 1);
}

TEST_F(SavedSettingsTest, AnEnvironmentThatDoesNotAnswerHoldsTheNewsUpForAWhile) {
  auto owner = std::make_shared<int>(0);
  std::vector<Completion<void>> kept;
  settings_->follow(owner, [&](Completion<void> done) { kept.push_back(std::move(done)); });
  ASSERT_TRUE(write(R"([{"key":"count","secret":false,"value":1}])").ok());
  main_.advance(SavedSettings::kRefreshWait);
  EXPECT_EQ(saved_, 1);
  kept.clear();
  settle();
  EXPECT_EQ(saved_, 1);
}

TEST_F(SavedSettingsTest, MasksTheSecretBeforeToo) {
  ASSERT_TRUE(write(R"([{"key":"key","secret":true,"value":"first-one"}])").ok());
  ASSERT_TRUE(write(R"([{"key":"key","secret":true,"value":"second-one"}])").ok());
  EXPECT_EQ(mask_.apply("first-one second-one"), "*** ***");
  ASSERT_TRUE(write(R"([{"key":"key","secret":true,"value":"third-one"}])").ok());
  EXPECT_EQ(mask_.apply("first-one second-one third-one"), "first-one *** ***");
}

TEST_F(SavedSettingsTest, MasksDefaults) {
  settings_->protect(R"(["fallback"])");
  EXPECT_EQ(mask_.apply("fallback"), "***");
}

TEST_F(SavedSettingsTest, ClosingFinishesWhatRunsAndRefusesTheRest) {
  Answer<void> running;
  Answer<void> closed;
  settings_->write(R"([{"key":"count","secret":false,"value":1}])", running.completion());
  main_.runAll();
  settings_->close(closed.completion());
  main_.runAll();
  EXPECT_FALSE(closed.fired());
  settle();
  EXPECT_TRUE(running.ok() && closed.ok());
  const auto late = write(R"([{"key":"count","secret":false,"value":2}])");
  ASSERT_TRUE(late.fired() && !late.ok());
  EXPECT_THAT(late.error().message, HasSubstr("is being removed"));
  EXPECT_EQ(rows_.at("count").text(), "1");
  settings_->reopen();
  EXPECT_TRUE(write(R"([{"key":"count","secret":false,"value":2}])").ok());
}

TEST_F(SavedSettingsTest, RefusesMoreThanTheQueueHolds) {
  std::vector<Answer<void>> answers(JobQueue::kLimit + 2);
  for (const auto& answer : answers) {
    settings_->write(R"([{"key":"count","secret":false,"value":1}])", answer.completion());
  }
  settle();
  EXPECT_TRUE(answers.front().ok());
  ASSERT_TRUE(answers.back().fired() && !answers.back().ok());
  EXPECT_EQ(answers.back().error().code, errc::kOverloaded);
}

TEST_F(SavedSettingsTest, RefusesWhatIsNoList) {
  const auto answer = write("{");
  ASSERT_TRUE(answer.fired() && !answer.ok());
  EXPECT_EQ(answer.error().code, errc::kInvalidArgument);
}

/// Settings in the life of a plugin.
class PluginSettingsTest : public ManagerFixture {};

TEST_F(PluginSettingsTest, ALoadStartsWithWhatIsSaved) {
  settings_rows_["todo"].emplace("count", RawJson("3"));
  EXPECT_EQ(installTodo().status, PluginStatus::kRunning);
  const auto text = environment(0).hostSync("settings.current", "");
  EXPECT_EQ(text.value(), R"({"values":{"count":3},"secrets":{}})");
}

TEST_F(PluginSettingsTest, ALoadFailsWhenTheyCannotBeRead) {
  EXPECT_CALL(settings_store_, load)
      .WillOnce(Return(Error{errc::kUnavailable, "the disk is gone"}));
  const auto shown = installTodo();
  EXPECT_EQ(shown.status, PluginStatus::kError);
  EXPECT_THAT(shown.status_detail, HasSubstr("the saved settings cannot be read"));
}

TEST_F(PluginSettingsTest, ASaveReachesEveryEnvironmentAndIsAnnounced) {
  runtime_.respond("settings.refresh", [](const std::string&, const std::string&) {
    return Result<std::string>(std::string());
  });
  installTodo();
  int announced = 0;
  const auto listener = manager_->onChanged([&](const auto&) { ++announced; });
  Answer<std::string> saved;
  environment(0).hostCall("settings.write", R"([{"key":"a","secret":false,"value":1}])",
                          saved.completion());
  settle();
  EXPECT_TRUE(saved.ok());
  EXPECT_THAT(calls(environment(0)), ::testing::Contains("settings.refresh"));
  EXPECT_EQ(announced, 1);
  EXPECT_EQ(settings_rows_["todo"].at("a").text(), "1");
}

TEST_F(PluginSettingsTest, NewsOfASaveDoesNotWaitForeverForAnEnvironment) {
  installTodo();
  int announced = 0;
  const auto listener = manager_->onChanged([&](const auto&) { ++announced; });
  Answer<std::string> saved;
  environment(0).hostCall("settings.write", R"([{"key":"a","secret":false,"value":1}])",
                          saved.completion());
  settle();
  EXPECT_EQ(announced, 0);
  advance(SavedSettings::kRefreshWait);
  EXPECT_EQ(announced, 1);
}

TEST_F(PluginSettingsTest, ASecretIsNeitherInTheLogNorInTheRecord) {
  installTodo();
  Answer<std::string> saved;
  environment(0).hostCall("settings.write", R"([{"key":"k","secret":true,"value":"hunter22"}])",
                          saved.completion());
  settle();
  ASSERT_TRUE(saved.ok());
  logs_.write("todo", {.level = "info", .message = "key hunter22", .stack = "at hunter22"});
  failFactories("bad key hunter22", "at hunter22");
  const auto outcome = reload();
  ASSERT_TRUE(outcome.ok());
  EXPECT_THAT(outcome.value().front().failure->message, Not(HasSubstr("hunter22")));
  EXPECT_THAT(toJson(record()).dump(), Not(HasSubstr("hunter22")));
  EXPECT_THAT(record().status_detail, HasSubstr("bad key ***"));
  for (const auto& line : logMessages()) {
    EXPECT_THAT(line, Not(HasSubstr("hunter22")));
  }
}

TEST_F(PluginSettingsTest, RemovingDeletesSecretsAndReinstallingFindsNone) {
  installTodo();
  Answer<std::string> saved;
  environment(0).hostCall("settings.write", R"([{"key":"k","secret":true,"value":"hunter22"}])",
                          saved.completion());
  settle();
  Answer<std::vector<std::string>> removed;
  manager_->remove("todo", false, removed.completion());
  advance(limits::kDisposeTotal);
  ASSERT_TRUE(removed.ok());
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "data/plugins/todo/secrets"));
  installTodo();
  EXPECT_EQ(environment(1).hostSync("settings.current", "").value(),
            R"({"values":{},"secrets":{}})");
}

}  // namespace
}  // namespace svc::plugins
