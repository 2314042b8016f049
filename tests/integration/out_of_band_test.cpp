// Failures that escape from callbacks belong to their plugin; nobody else notices.
#include "harness/server.h"

namespace svc::test {
namespace {

using common::Json;
using ::testing::HasSubstr;

class OutOfBandTest : public ServerTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(server.install(fixture("probe"))["status"].asString(), "running");
    ASSERT_EQ(server.install(example("todo"))["status"].asString(), "running");
  }
  void expectOthersServe() {
    EXPECT_EQ(server.rpc("todo", "todos_list").body, R"({"ok":true,"result":{"todos":[]}})");
    EXPECT_EQ(server.record("todo")["counters"]["outOfBandErrors"].asInteger(), 0);
    EXPECT_TRUE(server.record("todo")["lastError"].isNull());
  }
  /// Makes the plugin fail and returns its record once the failure is in it.
  Json provoke(const std::string& method) {
    EXPECT_EQ(server.rpc("probe", method).status, 200);
    return server.awaitRecord(
        "probe", [](const Json& r) { return r["counters"]["outOfBandErrors"].asInteger() == 1; });
  }
};

TEST_P(OutOfBandTest, AttributesAThrowInATimer) {
  const auto record = provoke("throw_in_timer");
  EXPECT_EQ(record["status"].asString(), "running");
  EXPECT_EQ(record["lastError"]["source"].asString(), "timer");
  EXPECT_THAT(record["lastError"]["message"].asString(), HasSubstr("thrown in a timer"));
  EXPECT_THAT(record["lastError"]["stack"].asString(), HasSubstr("server.ts:"));
  EXPECT_EQ(server.rpc("probe", "echo", "1").status, 200);
  expectOthersServe();
}

TEST_P(OutOfBandTest, AttributesADetachedRejection) {
  const auto record = provoke("reject_detached");
  EXPECT_EQ(record["status"].asString(), "running");
  EXPECT_EQ(record["lastError"]["source"].asString(), "rejection");
  EXPECT_THAT(record["lastError"]["message"].asString(), HasSubstr("rejected and detached"));
  EXPECT_EQ(server.rpc("probe", "echo", "1").status, 200);
  expectOthersServe();
}

TEST_P(OutOfBandTest, WritesTheFailureToThePluginsLog) {
  provoke("throw_in_timer");
  const auto log = server.http().get("/api/v1/plugins/probe/logs?level=error");
  EXPECT_EQ(log.status, 200);
  EXPECT_THAT(log.body, HasSubstr("thrown in a timer"));
  EXPECT_THAT(log.body, HasSubstr("server.ts:"));
}

TEST_P(OutOfBandTest, EndsOnlyThePluginThatExits) {
  auto socket = server.socket();
  const auto answer = server.rpc("probe", "exit");
  EXPECT_EQ(answer.status, 503) << answer.body;
  EXPECT_EQ(answer.code(), "plugin_not_running");
  EXPECT_TRUE(socket.awaitStatus("probe", "error"));
  EXPECT_THAT(server.record("probe")["statusDetail"].asString(), HasSubstr("process.exit"));
  EXPECT_EQ(server.rpc("probe", "echo").code(), "plugin_not_running");
  expectOthersServe();
  ASSERT_EQ(server.reload("probe").status, 200);
  EXPECT_EQ(server.rpc("probe", "echo", "1").status, 200);
}

TEST_P(OutOfBandTest, CountsHandlerErrorsWithoutTouchingTheStatus) {
  const auto answer = server.rpc("probe", "fail");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.code(), "handler_error");
  EXPECT_EQ(answer.message(), "failed as asked");
  EXPECT_EQ(answer.json["error"]["details"]["code"].asString(), "fixture_code");
  EXPECT_TRUE(answer.json["error"]["details"]["retryable"].asBool());
  const auto record = server.record("probe");
  EXPECT_EQ(record["status"].asString(), "running");
  EXPECT_EQ(record["lastError"]["source"].asString(), "rpc:fail");
  EXPECT_THAT(record["lastError"]["message"].asString(), HasSubstr("failed as asked"));
  EXPECT_THAT(record["lastError"]["stack"].asString(), HasSubstr("server.ts:"));
  EXPECT_EQ(record["handlerStats"]["errorCount"].asInteger(), 1);
  expectOthersServe();
}

TEST_P(OutOfBandTest, RefusesAResultThatIsNotJson) {
  const auto answer = server.rpc("probe", "not_json");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.code(), "non_json_result");
}

SVC_WITH_STORAGE_ON_DISK(OutOfBandTest);

}  // namespace
}  // namespace svc::test
