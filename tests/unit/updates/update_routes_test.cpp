#include "update_routes.h"

#include "svc/common/limits/installs.h"

#include "fixture.h"
#include "mocks/mock_service_settings.h"
#include "mocks/recorded_exchange.h"

namespace svc::updates {
namespace {

using svc::test::RecordedExchange;

class UpdateRoutesTest : public UpdatesFixture {
 protected:
  UpdateRoutesTest() {
    ON_CALL(settings_, set).WillByDefault([](const auto&, const auto&) { return Status(); });
    EXPECT_TRUE(routes_.attach(server_).ok());
  }
  ~UpdateRoutesTest() override {
    updater_->stop();
    checks_->stop();
  }

  std::shared_ptr<RecordedExchange> call(const std::string& route, const std::string& body = {}) {
    http::Request request;
    request.body = body;
    request.path_parameters = {{"id", "todo"}};
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    settle();
    return exchange;
  }

  ::testing::NiceMock<storage::MockServiceSettings> settings_;
  svc::test::RecordedRoutes server_;
  std::shared_ptr<UpdateChecks> checks_ = std::make_shared<UpdateChecks>(UpdateChecks::Context{
      {main_, workers_}, clock_, switches_, sources_, settings_, log_, [] { return true; }});
  std::shared_ptr<Updater> updater_ =
      std::make_shared<Updater>(context(), std::make_shared<Activity>());
  UpdateRoutes routes_{main_, checks_, updater_};
};

TEST_F(UpdateRoutesTest, ACheckAnswersWithItsResultsAndTheyStay) {
  const auto checked = call("POST /api/v1/plugins/updates/check", R"({"id":"todo"})");
  EXPECT_EQ(checked->status(), 200U);
  EXPECT_EQ(checked->json()["results"].items().front()["outcome"].asString(), "update-available");
  const auto listed = call("GET /api/v1/plugins/updates");
  EXPECT_EQ(listed->json()["results"], checked->json()["results"]);
}

TEST_F(UpdateRoutesTest, ACheckNeedsNoBody) {
  EXPECT_EQ(call("POST /api/v1/plugins/updates/check")->json()["results"].items().size(), 1U);
}

TEST_F(UpdateRoutesTest, AWrongBodyIsRefused) {
  EXPECT_EQ(call("POST /api/v1/plugins/updates/check", R"({"id":1})")->errorCode(),
            "invalid_input");
  EXPECT_EQ(call("POST /api/v1/plugins/updates/check", "no")->errorCode(), "invalid_json");
  EXPECT_EQ(call("POST /api/v1/plugins/:id/update", "[]")->errorCode(), "invalid_input");
  EXPECT_EQ(call("POST /api/v1/plugins/:id/update", R"({"confirmedSource":1})")->errorCode(),
            "invalid_input");
}

TEST_F(UpdateRoutesTest, AnotherVersionThanTheConfirmedOneIsRefused) {
  const auto exchange = call("POST /api/v1/plugins/:id/update", R"({"confirmedSource":"npm:x@9"})");
  EXPECT_EQ(exchange->errorCode(), "update_refused");
}

TEST_F(UpdateRoutesTest, AnUpdateAnswersWhenItIsDecided) {
  const auto exchange = call("POST /api/v1/plugins/:id/update", "{}");
  EXPECT_EQ(exchange->answers, 0);
  advance(limits::kStabilise);
  EXPECT_EQ(exchange->answer->body,
            R"({"ok":true,"applied":true,"from":"1.0.0","to":"1.1.0","outcome":"updated"})");
}

TEST_F(UpdateRoutesTest, ARolledBackUpdateIsAnAnswerAndNotApplied) {
  plugin_.loads.emplace_back([](plugins::PluginRecord& record) {
    record.status = plugins::PluginStatus::kError;
    record.status_detail = "it broke";
  });
  const auto exchange = call("POST /api/v1/plugins/:id/update");
  EXPECT_EQ(exchange->answer->body,
            R"({"ok":true,"applied":false,"from":"1.0.0","to":"1.1.0","outcome":"rolled-back",)"
            R"("detail":"it broke"})");
}

TEST_F(UpdateRoutesTest, WithoutANewerVersionThereIsNoTo) {
  found_.candidate.reset();
  EXPECT_EQ(call("POST /api/v1/plugins/:id/update")->answer->body,
            R"({"ok":true,"applied":false,"from":"1.0.0","outcome":"current"})");
}

TEST_F(UpdateRoutesTest, ARefusalNamesThePluginAndTheReason) {
  found_.pinned = true;
  const auto exchange = call("POST /api/v1/plugins/:id/update");
  EXPECT_EQ(exchange->status(), 422U);
  EXPECT_EQ(exchange->errorCode(), "update_refused");
  EXPECT_EQ(exchange->json()["error"]["details"].dump(),
            R"({"reason":"pinned","pluginId":"todo"})");
}

TEST_F(UpdateRoutesTest, SaysWhatARollbackReturnsToAndDoesIt) {
  const auto kept = installPrevious();
  call("POST /api/v1/plugins/:id/update");
  advance(limits::kStabilise);
  const auto taken = std::to_string(store_.only().created_at);
  const auto until = std::to_string(store_.only().created_at + limits::kSnapshotKeep.count());
  EXPECT_EQ(call("GET /api/v1/plugins/:id/rollback")->answer->body,
            R"({"ok":true,"rollback":{"version":"1.0.0","resolved":")" + kept.resolved +
                R"(","takenAt":)" + taken + R"(,"keptUntil":)" + until + "}}");
  const auto done = call("POST /api/v1/plugins/:id/rollback", R"({"version":"1.0.0"})");
  EXPECT_EQ(done->status(), 200U);
  EXPECT_EQ(done->json()["from"].asString(), "1.1.0");
  EXPECT_EQ(done->json()["to"].asString(), "1.0.0");
  EXPECT_EQ(done->json()["plugin"]["status"].asString(), "running");
  EXPECT_EQ(call("GET /api/v1/plugins/:id/rollback")->json()["rollback"], common::Json());
}

TEST_F(UpdateRoutesTest, TheVersionRolledBackIsMarkedWhenItIsOfferedAgain) {
  installPrevious();
  call("POST /api/v1/plugins/:id/update");
  advance(limits::kStabilise);
  call("POST /api/v1/plugins/:id/rollback");
  const auto results = call("GET /api/v1/plugins/updates")->json()["results"];
  const auto& check = results.items().front();
  EXPECT_EQ(check["candidate"]["version"].asString(), "1.1.0");
  EXPECT_EQ(check["rolledBack"]["detail"].asString(), "rolled back by hand");
  EXPECT_EQ(updateState(check)["rolledBack"], check["rolledBack"]);
  // Another commit of a branch, with the same number.
  found_.candidate->resolved = "git:https://host/todo@2";
  const auto other = call("POST /api/v1/plugins/updates/check")->json()["results"];
  EXPECT_EQ(other.items().front()["candidate"]["version"].asString(), "1.1.0");
  EXPECT_EQ(other.items().front().find("rolledBack"), nullptr);
}

TEST_F(UpdateRoutesTest, ARollbackWithoutASnapshotSaysWhy) {
  const auto target = call("GET /api/v1/plugins/:id/rollback");
  EXPECT_EQ(target->json()["rollback"], common::Json());
  EXPECT_THAT(target->json()["reason"].asString(), ::testing::HasSubstr("7 days"));
  const auto exchange = call("POST /api/v1/plugins/:id/rollback", "{}");
  EXPECT_EQ(exchange->status(), 404U);
  EXPECT_EQ(exchange->json()["error"]["details"].dump(),
            R"({"reason":"no_snapshot","pluginId":"todo"})");
  EXPECT_EQ(call("POST /api/v1/plugins/:id/rollback", R"({"version":1})")->errorCode(),
            "invalid_input");
}

TEST_F(UpdateRoutesTest, AnUpdateAsksTheSourceAgainAfterwards) {
  call("POST /api/v1/plugins/:id/update");
  advance(limits::kStabilise);
  const auto listed = call("GET /api/v1/plugins/updates");
  EXPECT_EQ(listed->json()["results"].items().front()["outcome"].asString(), "current");
}

}  // namespace
}  // namespace svc::updates
