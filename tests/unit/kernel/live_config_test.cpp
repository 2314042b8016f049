#include "live_config.h"

#include <gmock/gmock.h>

#include "fakes/fake_executor.h"

namespace svc::kernel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Status isLevel(const IConfig& config, std::string_view key) {
  const auto level = config.getString(key);
  return level == "loud" ? Status(Error{errc::kInvalidArgument, "no such level"}) : Status();
}

/// The program is there until it is `gone`.
Status isThere(const IConfig& config, std::string_view key) {
  const auto program = config.getString(key);
  return program.starts_with("gone") ? Status(Error{errc::kUnavailable, "it is not there"})
                                     : Status();
}

const std::vector<ConfigKey> kLiveKeys{
    {"listen.port", ConfigType::kInteger, "4700", ""},
    {"appUrl", ConfigType::kString, "", ""},
    {"log.level", ConfigType::kString, "info", "", isLevel},
    {"program", ConfigType::kString, "gone by default", "", isThere},
    // Two modules may declare the same key.
    {"appUrl", ConfigType::kString, "", ""},
    {"plugins.overrides.*", ConfigType::kJson, "", ""},
};

class LiveConfigTest : public ::testing::Test {
 protected:
  using Outcome = IConfigChanges::Outcome;

  Result<Outcome> reload(Result<std::string> file) {
    file_ = std::move(file);
    std::optional<Result<Outcome>> answer;
    config_.reload([&answer](Result<Outcome> outcome) { answer = std::move(outcome); });
    EXPECT_FALSE(answer) << "it answers on the main thread";
    main_.runAll();
    return answer.value();
  }

  Handle listen(std::vector<std::string> keys) {
    return config_.add({.keys = std::move(keys), .apply = [this](const IConfig& now) {
                          seen_.push_back(now.getString("appUrl"));
                          EXPECT_EQ(config_.getString("appUrl"), now.getString("appUrl"));
                        }});
  }

  Result<std::string> file_ = std::string();
  svc::test::FakeMainExecutor main_;
  std::vector<std::string> seen_;
  std::vector<std::string> reports_;
  ConfigSources sources_{.flags = {{"listen.port", "1"}},
                         .environment = {},
                         .file_name = "config.json",
                         .file_text = R"({"appUrl":"https://a"})"};
  LiveConfig config_{Config::create(kLiveKeys, sources_).value(), sources_,
                     [this] { return file_; }, main_,
                     [this](const Result<Outcome>& outcome) {
                       reports_.push_back(outcome ? "ok" : outcome.error().message);
                     }};
};

TEST_F(LiveConfigTest, TellsWhenSomethingWasApplied) {
  const auto listener = listen({"appUrl"});
  int told = 0;
  auto handle = config_.onApplied([this, &told] {
    ++told;
    EXPECT_EQ(seen_.size(), 1U) << "when all listeners have it";
  });
  ASSERT_TRUE(reload(std::string(R"({"appUrl":"https://a","log":{"level":"debug"}})")));
  EXPECT_EQ(told, 0) << "what needs a restart is not applied";
  ASSERT_FALSE(reload(std::string("{")));
  EXPECT_EQ(told, 0);
  ASSERT_TRUE(reload(std::string(R"({"appUrl":"https://b"})")));
  EXPECT_EQ(told, 1);
  handle.reset();
  ASSERT_TRUE(reload(std::string(R"({"appUrl":"https://c"})")));
  EXPECT_EQ(told, 1);
}

TEST_F(LiveConfigTest, AppliesWhatAListenerHas) {
  const auto listener = listen({"appUrl"});
  const auto outcome = reload(std::string(R"({"appUrl":"https://b","log":{"level":"debug"}})"));
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome.value().applied, ElementsAre("appUrl"));
  EXPECT_THAT(outcome.value().need_restart, ElementsAre("log.level"));
  EXPECT_THAT(seen_, ElementsAre("https://b"));
  EXPECT_EQ(config_.getString("log.level"), "debug");
  EXPECT_THAT(reports_, ElementsAre("ok"));
}

TEST_F(LiveConfigTest, WhatDidNotChangeCallsNobody) {
  const auto listener = listen({"appUrl"});
  const auto outcome = reload(std::string(R"({"appUrl":"https://a"})"));
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome.value().applied, IsEmpty());
  EXPECT_THAT(outcome.value().need_restart, IsEmpty());
  EXPECT_THAT(seen_, IsEmpty());
}

TEST_F(LiveConfigTest, AValueThatIsGoneIsTheDefaultAgain) {
  const auto listener = listen({"appUrl"});
  ASSERT_TRUE(reload(std::string()));
  EXPECT_THAT(seen_, ElementsAre(""));
}

TEST_F(LiveConfigTest, FlagsStayAboveTheFile) {
  const auto outcome = reload(std::string(R"({"appUrl":"https://a","listen":{"port":2}})"));
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome.value().need_restart, IsEmpty());
  EXPECT_EQ(config_.getInteger("listen.port"), 1);
}

TEST_F(LiveConfigTest, OneRefusalLeavesEverythingAsItWas) {
  const auto listener = listen({"appUrl"});
  const auto outcome = reload(std::string(R"({"appUrl":"https://b","log":{"level":"loud"}})"));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "log.level: no such level (from config.json)");
  EXPECT_THAT(seen_, IsEmpty());
  EXPECT_EQ(config_.getString("appUrl"), "https://a");
  EXPECT_THAT(reports_, ElementsAre("log.level: no such level (from config.json)"));
}

TEST_F(LiveConfigTest, WhatIsMissingIsRefusedOnlyWhenItIsNew) {
  ASSERT_TRUE(reload(std::string(R"({"log":{"level":"debug"}})"))) << "it was missing before";
  EXPECT_EQ(reload(std::string(R"({"program":"gone too"})")).error().message,
            "program: it is not there (from config.json)");
  EXPECT_TRUE(reload(std::string(R"({"program":"there"})")));
}

TEST_F(LiveConfigTest, AFileThatIsWrongOrUnreadableChangesNothing) {
  EXPECT_THAT(reload(std::string(R"({"apUrl":"x"})")).error().message,
              HasSubstr("did you mean \"appUrl\""));
  EXPECT_THAT(reload(std::string("{")).error().message, HasSubstr("config.json"));
  EXPECT_EQ(reload(Error{errc::kUnavailable, "cannot read it"}).error().message, "cannot read it");
  EXPECT_EQ(config_.getString("appUrl"), "https://a");
}

TEST_F(LiveConfigTest, AListenerThatHasGoneIsNotCalled) {
  listen({"appUrl"}).reset();
  const auto outcome = reload(std::string());
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome.value().need_restart, ElementsAre("appUrl"));
  EXPECT_THAT(seen_, IsEmpty());
}

}  // namespace
}  // namespace svc::kernel
