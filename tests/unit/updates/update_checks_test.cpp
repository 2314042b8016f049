#include "update_checks.h"

#include "svc/common/limits/installs.h"

#include "fixture.h"
#include "mocks/mock_service_settings.h"

namespace svc::updates {
namespace {

using common::Json;
using ::testing::_;
using ::testing::ElementsAre;

installs::Candidate candidate(const std::string& version) {
  return {version, "npm:svc-plugin-todo@" + version, "", ""};
}

struct OutcomeCase {
  std::string name;
  installs::Resolution found;
  std::string outcome;
};

class UpdateOutcomeTest : public ::testing::TestWithParam<OutcomeCase> {};

TEST_P(UpdateOutcomeTest, FollowsFromWhatTheSourceOffers) {
  const auto check = updateCheck(rowOf("1.0.0"), GetParam().found, 5);
  EXPECT_EQ(check["outcome"].asString(), GetParam().outcome);
  EXPECT_EQ(check["id"].asString(), "todo");
  EXPECT_EQ(check["installed"]["version"].asString(), "1.0.0");
  EXPECT_EQ(check["checkedAt"].asInteger(), 5);
}

INSTANTIATE_TEST_SUITE_P(
    Offers, UpdateOutcomeTest,
    ::testing::Values(
        OutcomeCase{"Nothing", {}, "current"},
        OutcomeCase{"TheInstalledVersion",
                    {.candidate = candidate("1.0.0"), .blocked = {}, .blocked_reasons = {}},
                    "current"},
        OutcomeCase{"ANewerVersion",
                    {.candidate = candidate("1.1.0"), .blocked = {}, .blocked_reasons = {}},
                    "update-available"},
        OutcomeCase{"OnlyABlockedOne",
                    {.candidate = candidate("1.0.0"),
                     .blocked = candidate("2.0.0"),
                     .blocked_reasons = {"why"}},
                    "incompatible"},
        OutcomeCase{"ANewerAndABlockedOne",
                    {.candidate = candidate("1.1.0"),
                     .blocked = candidate("2.0.0"),
                     .blocked_reasons = {"why"}},
                    "update-available"},
        OutcomeCase{
            "OneVersion",
            {.pinned = true, .candidate = candidate("1.0.0"), .blocked = {}, .blocked_reasons = {}},
            "pinned"}),
    [](const auto& each) { return each.param.name; });

TEST(UpdateCheckTest, ASourceThatCannotBeAskedIsUnavailableAndSaysWhy) {
  const auto check = updateCheck(rowOf("1.0.0"), Error{errc::kUnavailable, "no route"}, 5);
  EXPECT_EQ(check["outcome"].asString(), "unavailable");
  EXPECT_EQ(check["detail"].asString(), "no route");
}

TEST(UpdateCheckTest, CandidateAndBlockedAreNamed) {
  installs::Resolution found;
  found.candidate = candidate("1.1.0");
  found.blocked = candidate("2.0.0");
  found.blocked_reasons = {"it needs svc >=9"};
  const auto check = updateCheck(rowOf("1.0.0"), found, 5);
  EXPECT_EQ(check["candidate"]["version"].asString(), "1.1.0");
  EXPECT_EQ(check["blocked"].dump(), R"({"version":"2.0.0","reasons":["it needs svc >=9"]})");
  EXPECT_EQ(updateState(check).dump(),
            R"({"outcome":"update-available","availableVersion":"1.1.0",)"
            R"("availableSource":"npm:svc-plugin-todo@1.1.0","blockedVersion":"2.0.0",)"
            R"("blockedReasons":["it needs svc >=9"],"lastCheckAt":5})");
}

class UpdateChecksTest : public UpdatesFixture {
 protected:
  UpdateChecksTest() {
    ON_CALL(settings_, get).WillByDefault([this](const std::string&) {
      return Result<std::optional<std::string>>(stored_);
    });
    ON_CALL(settings_, set).WillByDefault([this](const std::string&, const std::string& value) {
      stored_ = value;
      return Status();
    });
    ON_CALL(switches_, setUpdateState)
        .WillByDefault([this](const std::string& id, const Json& state) { states_[id] = state; });
    rows_or_ = [this] { return Result<std::vector<storage::PluginRow>>(rows_); };
    make();
  }
  ~UpdateChecksTest() override { checks_->stop(); }

  void make() {
    checks_ = std::make_shared<UpdateChecks>(UpdateChecks::Context{
        {main_, workers_}, clock_, switches_, sources_, settings_, log_, [this] {
          return enabled_;
        }});
  }
  Answer<Json> check(const std::string& id = {}) {
    const Answer<Json> answer;
    checks_->check(id, answer.completion());
    settle();
    return answer;
  }
  static std::vector<std::string> idsIn(const Json& results) {
    std::vector<std::string> ids;
    for (const auto& result : results["results"].items()) {
      ids.push_back(result["id"].asString());
    }
    return ids;
  }
  void addRow(const std::string& id, const std::string& kind = "npm") {
    auto row = rowOf("1.0.0");
    row.id = id;
    row.source_kind = kind;
    rows_.push_back(row);
  }

  ::testing::NiceMock<storage::MockServiceSettings> settings_;
  std::optional<std::string> stored_;
  std::map<std::string, Json> states_;
  std::vector<storage::PluginRow> rows_;
  bool enabled_ = true;
  std::shared_ptr<UpdateChecks> checks_;
};

TEST_F(UpdateChecksTest, AllAreAskedAndAnsweredById) {
  addRow("b");
  addRow("a", "path");
  const auto answer = check();
  EXPECT_THAT(idsIn(answer.value()), ElementsAre("a", "b"));
  EXPECT_EQ(answer.value()["results"].items()[0]["outcome"].asString(), "pinned");
  EXPECT_EQ(answer.value()["results"].items()[1]["outcome"].asString(), "update-available");
  EXPECT_EQ(states_.at("b")["outcome"].asString(), "update-available");
}

TEST_F(UpdateChecksTest, OneIsAskedAlone) {
  addRow("a");
  addRow("b");
  EXPECT_CALL(sources_, resolve(::testing::Field(&storage::PluginRow::id, "b"), _, _)).Times(1);
  EXPECT_CALL(sources_, resolve(::testing::Field(&storage::PluginRow::id, "a"), _, _)).Times(0);
  check("b");
}

TEST_F(UpdateChecksTest, AnUnknownOneIsUnknown) {
  EXPECT_EQ(check("nobody").error().code, errc::kUnknownPlugin);
}

TEST_F(UpdateChecksTest, WithoutPluginsTheAnswerIsEmpty) {
  EXPECT_TRUE(check().value()["results"].items().empty());
}

TEST_F(UpdateChecksTest, OnlySoManySourcesAreAskedAtATime) {
  std::vector<Completion<installs::Resolution>> asked;
  ON_CALL(sources_, resolve).WillByDefault([&](const auto&, auto, auto done) {
    asked.push_back(std::move(done));
  });
  for (const auto* id : {"a", "b", "c", "d", "e", "f"}) {
    addRow(id);
  }
  const auto answer = check();
  EXPECT_EQ(asked.size(), limits::kUpdateParallel);
  for (std::size_t index = 0; index < 6; ++index) {
    EXPECT_FALSE(answer.fired());
    asked.at(index)(found_);
    settle();
  }
  EXPECT_EQ(answer.value()["results"].items().size(), 6U);
}

TEST_F(UpdateChecksTest, ResultsSurviveARestart) {
  addRow("a");
  check();
  states_.clear();
  make();
  ASSERT_TRUE(checks_->load().ok());
  EXPECT_THAT(idsIn(checks_->results()), ElementsAre("a"));
  EXPECT_EQ(states_.at("a")["outcome"].asString(), "update-available");
}

TEST_F(UpdateChecksTest, ResultsOfRemovedPluginsGo) {
  addRow("a");
  check();
  rows_.clear();
  check();
  EXPECT_TRUE(idsIn(checks_->results()).empty());
}

TEST_F(UpdateChecksTest, ChecksRunAtStartAndAgainAndAgain) {
  addRow("a");
  EXPECT_CALL(sources_, resolve).Times(3);
  checks_->open();
  settle();
  advance(limits::kUpdateCheck);
  advance(limits::kUpdateCheck);
}

TEST_F(UpdateChecksTest, WithoutBackgroundChecksOnlyARequestAsks) {
  enabled_ = false;
  addRow("a");
  EXPECT_CALL(sources_, resolve).Times(1);
  checks_->open();
  advance(limits::kUpdateCheck);
  check();
}

TEST_F(UpdateChecksTest, AfterTheStopWaitingRequestsAreAnswered) {
  std::vector<Completion<installs::Resolution>> asked;
  ON_CALL(sources_, resolve).WillByDefault([&](const auto&, auto, auto done) {
    asked.push_back(std::move(done));
  });
  addRow("a");
  const Answer<Json> answer;
  checks_->check("", answer.completion());
  settle();
  checks_->stop();
  asked.clear();
  EXPECT_EQ(answer.error().code, errc::kAborted);
}

}  // namespace
}  // namespace svc::updates
