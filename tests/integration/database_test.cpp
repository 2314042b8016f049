// The plugin's own SQLite database on a real server.
#include <sys/stat.h>

#include "harness/server.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class DatabaseTest : public ServerTest {
 protected:
  void SetUp() override {
    const auto record = server.install(fixture("ledger"));
    ASSERT_EQ(record["status"].asString(), "running") << record.dump();
  }
  std::string result(const std::string& method, const std::string& input = "null") {
    return server.rpc("ledger", method, input).json["result"].dump();
  }
  /// How many descriptors the server has open on the database and its log.
  [[nodiscard]] int openFiles() const {
    int count = 0;
    for (const auto& entry :
         fs::directory_iterator("/proc/" + std::to_string(server.pid()) + "/fd")) {
      std::error_code ignored;
      const auto target = fs::read_symlink(entry.path(), ignored).string();
      count += target.starts_with(file.string()) ? 1 : 0;
    }
    return count;
  }
  bool eventuallyOpen(int least, int most) {
    auto http = server.http();
    return eventually([&] {
      const int open = http.get("/healthz").status == 200 ? openFiles() : -1;
      return open >= least && open <= most;
    });
  }

  const fs::path file = server.dataDir() / "plugins/ledger/data.db";
  static constexpr int kPerConnection = 3;  // database, log, index of the log
};

TEST_P(DatabaseTest, KeepsWhatWasCommitted) {
  EXPECT_EQ(result("add", "[1,2,3]"), "3");
  EXPECT_EQ(server.rpc("ledger", "add", "[4,0]").code(), "handler_error");
  EXPECT_EQ(result("total"), "6");
  ASSERT_EQ(server.reload("ledger").status, 200);
  EXPECT_EQ(result("total"), "6");
}

TEST(DatabaseRestartTest, KeepsWhatWasCommitted) {
  Server server;
  ASSERT_EQ(server.install(fixture("ledger"))["status"].asString(), "running");
  const auto total = [&server] { return server.rpc("ledger", "total").json["result"].dump(); };
  ASSERT_EQ(server.rpc("ledger", "add", "[1,2,3]").status, 200);
  server.restart();
  EXPECT_EQ(total(), "6");
  ASSERT_EQ(server.rpc("ledger", "add", "[4]").status, 200);
  server.kill();
  server.start();
  EXPECT_EQ(total(), "10");
}

TEST_P(DatabaseTest, TheFileIsThePluginsAlone) {
  EXPECT_EQ(result("file"), '"' + file.string() + '"');
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_P(DatabaseTest, AConstraintReachesTheCallerWithItsCode) {
  const auto answer = server.rpc("ledger", "add", "[0]");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.message(), "CHECK constraint failed: amount <> 0");
  EXPECT_EQ(answer.json["error"]["details"]["code"].asString(), "SQLITE_CONSTRAINT_CHECK");
}

TEST_P(DatabaseTest, DisposalClosesEveryHandle) {
  ASSERT_TRUE(eventuallyOpen(kPerConnection, kPerConnection)) << openFiles();
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(server.reload("ledger").status, 200);
  }
  // SQLite keeps one descriptor for the next connection: closing it would drop the locks of the open one.
  EXPECT_TRUE(eventuallyOpen(kPerConnection, kPerConnection + 1)) << openFiles();
  ASSERT_EQ(server.cli({"plugin", "disable", "ledger"}).exit_code, 0);
  EXPECT_TRUE(eventuallyOpen(0, 0)) << openFiles();
}

TEST_P(DatabaseTest, AReloadEndsATransactionThatWasLeftOpen) {
  ASSERT_EQ(result("add", "[5]"), "1");
  ASSERT_EQ(result("hold"), "true");
  ASSERT_EQ(server.reload("ledger").status, 200);
  EXPECT_EQ(result("total"), "5");
  EXPECT_EQ(result("add", "[7]"), "1");
  EXPECT_EQ(result("total"), "12");
}

TEST_P(DatabaseTest, AFailedLoadClosesItsHandles) {
  const PluginDir broken("broken",
                         "export default (svc: any) => {"
                         "  svc.storage.database().exec('CREATE TABLE t (a)');"
                         "  throw new Error('no good');"
                         "};");
  EXPECT_EQ(server.install(broken.path())["status"].asString(), "error");
  const auto path = (server.dataDir() / "plugins/broken/data.db").string();
  EXPECT_TRUE(fs::exists(path));
  auto http = server.http();
  EXPECT_TRUE(eventually([&] {
    const auto fds = fs::directory_iterator("/proc/" + std::to_string(server.pid()) + "/fd");
    return http.get("/healthz").status == 200 &&
           std::none_of(fs::begin(fds), fs::end(fds), [&](const fs::directory_entry& entry) {
             std::error_code ignored;
             return fs::read_symlink(entry.path(), ignored).string().starts_with(path);
           });
  }));
}

TEST_P(DatabaseTest, AChangedMigrationFailsTheLoadAndNamesIt) {
  const auto source = [](const std::string& second) {
    return "export default (svc: any) => svc.storage.migrate(svc.storage.database(), "
           "['CREATE TABLE a (x)', '" +
           second + "']);";
  };
  const PluginDir plugin("moving", source("CREATE TABLE b (x)"));
  ASSERT_EQ(server.install(plugin.path())["status"].asString(), "running");
  plugin.write(source("CREATE TABLE b (y)"));
  const auto answer = server.reload("moving");
  EXPECT_EQ(answer.code(), "load_failed");
  EXPECT_THAT(answer.message(), HasSubstr("storage.migrate: statement 1 differs"));
}

TEST_P(DatabaseTest, AStatementThatBlocksIsEndedWithThePlugin) {
  auto socket = server.socket();
  std::thread caller([&] { EXPECT_NE(server.rpc("ledger", "spin").status, 200); });
  ASSERT_TRUE(socket.awaitSignal("ledger", "state", "\"spinning\""));
  // Neither the drain nor the hooks of a blocked environment end by themselves; the end of the server is bounded.
  EXPECT_EQ(server.stop().exit_code, 0);
  caller.join();
}

TEST_P(DatabaseTest, RemovingKeepsTheDatabaseAndPurgingDoesNot) {
  ASSERT_EQ(result("add", "[5]"), "1");
  const auto kept = server.cli({"plugin", "remove", "ledger", "--yes"});
  EXPECT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_THAT(kept.out, HasSubstr("data.db: "));
  EXPECT_TRUE(fs::exists(file));
  ASSERT_EQ(server.install(fixture("ledger"))["status"].asString(), "running");
  EXPECT_EQ(result("total"), "5");
  EXPECT_EQ(server.cli({"plugin", "remove", "ledger", "--purge", "--yes"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(file));
}

constexpr const char* kHoarder = R"js(
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const method = { input: any, output: any };
export default (svc) => {
  const Database = svc.storage.database().constructor;
  const hoard = [];
  svc.rpc.register({ hoard: method, connect: method, clear: method }, {
    hoard: () => {
      for (;;) {
        hoard.push(new Database(":memory:"));
        hoard.at(-1).exec("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(16 << 20))");
      }
    },
    connect: () => { for (;;) hoard.push(new Database(":memory:")); },
    clear: () => {
      hoard.splice(0).forEach((db) => db.close());
      return svc.storage.database().prepare("SELECT 7").pluck().get();
    },
  });
};
)js";

TEST_P(DatabaseTest, APluginThatHoardsDatabasesInMemoryIsRefusedAndTheOthersGoOn) {
  const PluginDir plugin("hoarder", kHoarder);
  ASSERT_EQ(server.install(plugin.path())["status"].asString(), "running");
  const auto refused = server.rpc("hoarder", "hoard");
  EXPECT_EQ(refused.status, 500);
  EXPECT_THAT(refused.message(), HasSubstr("the databases of the plugin hoarder use 2"));
  EXPECT_THAT(refused.message(), HasSubstr("the limit is plugins.databaseMiB = 256"));
  EXPECT_EQ(refused.json["error"]["details"]["code"].asString(), "SQLITE_NOMEM");

  EXPECT_EQ(result("add", "[1,2,3]"), "3");
  EXPECT_EQ(result("total"), "6");
  const auto record = server.record("hoarder");
  EXPECT_EQ(record["status"].asString(), "running");
  EXPECT_EQ(record["lastError"]["message"].asString(), refused.message());
  constexpr std::int64_t kMiB = 1 << 20;
  EXPECT_GT(record["resources"]["databaseBytes"].asInteger(), 200 * kMiB);
  EXPECT_LE(record["resources"]["databaseBytes"].asInteger(), 256 * kMiB);
  EXPECT_GT(record["resources"]["databaseConnections"].asInteger(), 10);
  const auto own = server.record("ledger")["resources"];
  EXPECT_LT(own["databaseBytes"].asInteger(), 16 * kMiB);
  EXPECT_EQ(own["databaseConnections"].asInteger(), 1);
  EXPECT_THAT(server.cli({"plugin", "top", "--once"}).out, HasSubstr("DATABASES"));

  EXPECT_EQ(server.rpc("hoarder", "clear").json["result"].asInteger(), 7);
  EXPECT_LT(server.record("hoarder")["resources"]["databaseBytes"].asInteger(), 16 * kMiB);
  EXPECT_THAT(server.rpc("hoarder", "connect").message(),
              HasSubstr("the plugin hoarder has 128 database connections open, the limit is 128"));
  EXPECT_EQ(server.rpc("hoarder", "clear").json["result"].asInteger(), 7);
}

SVC_FOR_EACH_STORAGE(DatabaseTest);

}  // namespace
}  // namespace svc::test
