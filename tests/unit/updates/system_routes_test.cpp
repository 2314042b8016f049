#include "system_routes.h"

#include <fstream>

#include "fixture.h"
#include "mocks/recorded_exchange.h"
#include "sqlite_connection.h"

namespace svc::updates {
namespace {

namespace fs = std::filesystem;
using svc::test::RecordedExchange;

class SystemRoutesTest : public UpdatesFixture {
 protected:
  SystemRoutesTest() {
    fs::create_directories(data());
    const auto core =
        openSqlite(data() / "svc.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).value();
    for (const auto* sql :
         {"CREATE TABLE schema_migrations (id INTEGER)", "INSERT INTO schema_migrations VALUES (6)",
          "CREATE TABLE plugins (id TEXT, root_dir TEXT)"}) {
      EXPECT_TRUE(runSqlite(core.get(), sql, {}).ok());
    }
    EXPECT_TRUE(routes_.attach(server_).ok());
  }

  [[nodiscard]] fs::path data() const { return directory_.path() / "data"; }
  [[nodiscard]] std::string fileBody() const {
    return R"({"file":")" + (directory_.path() / "b").string() + R"("})";
  }
  std::shared_ptr<RecordedExchange> begin(const std::string& route, const std::string& body) {
    http::Request request;
    request.body = body;
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call("POST /api/v1/system/" + route, exchange);
    main_.runAll();
    return exchange;
  }
  std::shared_ptr<RecordedExchange> call(const std::string& route, const std::string& body) {
    auto exchange = begin(route, body);
    settle();
    return exchange;
  }

  int restarts_ = 0;
  std::shared_ptr<Activity> activity_ = std::make_shared<Activity>();
  svc::test::RecordedRoutes server_;
  SystemRoutes routes_{{main_, workers_},
                       std::make_shared<Backup>(data(), "0.43.0", clock_, nullptr),
                       activity_,
                       [this] { ++restarts_; }};
};

TEST_F(SystemRoutesTest, ABackupSaysWhatItWrote) {
  const auto exchange = call("backup", fileBody());
  EXPECT_EQ(exchange->status(), 200U);
  const auto backup = exchange->json()["backup"];
  EXPECT_EQ(backup["file"].asString(), (directory_.path() / "b").string());
  EXPECT_EQ(backup["version"].asString(), "0.43.0");
  EXPECT_EQ(backup["files"].asInteger(), 1);
  EXPECT_EQ(restarts_, 0);
}

TEST_F(SystemRoutesTest, ARestoreAnswersAndThenRestarts) {
  call("backup", fileBody());
  const auto exchange = call("restore", fileBody());
  EXPECT_EQ(exchange->status(), 202U);
  EXPECT_EQ(exchange->json()["restore"]["replaced"].asString(),
            data().string() + ".before-restore");
  EXPECT_EQ(restarts_, 1);
  EXPECT_EQ(call("backup", fileBody())->errorCode(), "conflict");
}

TEST_F(SystemRoutesTest, AFailedRestoreRestartsNothing) {
  EXPECT_EQ(call("restore", fileBody())->errorCode(), "not_found");
  EXPECT_EQ(restarts_, 0);
  EXPECT_EQ(call("backup", fileBody())->status(), 200U);
}

TEST_F(SystemRoutesTest, OneWorksAtATime) {
  const auto first = begin("backup", fileBody());
  const auto second = begin("backup", fileBody());
  EXPECT_EQ(second->errorCode(), "conflict");
  settle();
  EXPECT_EQ(first->status(), 200U);
}

TEST_F(SystemRoutesTest, ABackupThatNobodyWaitsForLeavesNothing) {
  const auto exchange = begin("backup", fileBody());
  exchange->disconnect();
  settle();
  EXPECT_FALSE(fs::exists(directory_.path() / "b"));
  EXPECT_FALSE(fs::exists(directory_.path() / "b.partial"));
  EXPECT_EQ(call("backup", fileBody())->status(), 200U);

  const auto restore = begin("restore", fileBody());
  restore->disconnect();
  settle();
  EXPECT_EQ(restarts_, 0);
  EXPECT_FALSE(fs::exists(data().string() + ".restore"));
}

TEST_F(SystemRoutesTest, AnUpdateGoesFirst) {
  activity_->update = true;
  EXPECT_EQ(call("backup", fileBody())->errorCode(), "conflict");
  EXPECT_EQ(call("restore", fileBody())->errorCode(), "conflict");
  activity_->update = false;
  EXPECT_EQ(call("backup", fileBody())->status(), 200U);
}

TEST_F(SystemRoutesTest, ABodyNamesAFileAndWhatIsUnknownIsIgnored) {
  EXPECT_EQ(call("backup", "{}")->errorCode(), "invalid_input");
  EXPECT_EQ(call("restore", R"({"more":1})")->errorCode(), "invalid_input");
  EXPECT_EQ(call("restore", R"({"file":"/x","more":1})")->errorCode(),
            call("restore", R"({"file":"/x"})")->errorCode());
}

}  // namespace
}  // namespace svc::updates
