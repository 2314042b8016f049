// Backup and restore of a whole server that is being written to.
#include <cstdlib>
#include <fstream>
#include <thread>

#include <Poco/Exception.h>
#include <Poco/SHA2Engine.h>
#include <sqlite3.h>

#include "harness/server.h"

namespace svc::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class BackupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(server.install(example("todo"))["status"].asString(), "running");
    ASSERT_EQ(server.install(fixture("ledger"))["status"].asString(), "running");
  }
  Answer system(const std::string& action, const fs::path& file) {
    return server.http().post("/api/v1/system/" + action, R"({"file":")" + file.string() + R"("})");
  }
  void add(const std::string& title) const {
    ASSERT_EQ(server.rpc("todo", "todos_add", R"({"title":")" + title + R"("})").status, 200);
  }
  [[nodiscard]] std::vector<std::string> titles() const {
    std::vector<std::string> out;
    const auto list = server.rpc("todo", "todos_list").json;
    for (const auto& todo : list["result"]["todos"].items()) {
      out.push_back(todo["title"].asString());
    }
    return out;
  }
  [[nodiscard]] std::string total() const {
    return server.rpc("ledger", "total").json["result"].dump();
  }
  [[nodiscard]] std::string token() const {
    return server.http().post("/api/v1/plugins/todo/token", "{}").json["token"].asString();
  }
  /// The process starts itself again: the next ready line has the new port.
  void awaitRestart() {
    server.awaitReady();
    for (const auto* id : {"todo", "ledger"}) {
      server.awaitRecord(
          id, [](const common::Json& record) { return record["status"].asString() == "running"; });
    }
  }

  TempDir directory;
  Server server;
  const fs::path archive = directory.path() / "server.svcbackup";
};

TEST_F(BackupTest, ARestoreBringsBackEverythingAndKeepsWhatItReplaced) {
  add("before");
  ASSERT_EQ(server.rpc("ledger", "add", "[1,2]").status, 200);
  const auto old_token = token();
  const auto backup = system("backup", archive);
  ASSERT_EQ(backup.status, 200) << backup.body;
  EXPECT_EQ(backup.json["backup"]["plugins"].dump(), R"(["ledger","todo"])");
  add("after");
  ASSERT_EQ(server.rpc("ledger", "add", "[10]").status, 200);
  ASSERT_EQ(server.http().post("/api/v1/plugins/todo/token", R"({"rotate":true})").status, 200);
  const auto pid = server.pid();

  const auto restore = system("restore", archive);
  ASSERT_EQ(restore.status, 202) << restore.body;
  const fs::path replaced = restore.json["restore"]["replaced"].asString();
  EXPECT_EQ(replaced, server.dataDir().string() + ".before-restore");
  awaitRestart();

  EXPECT_EQ(server.pid(), pid);
  EXPECT_EQ(titles(), std::vector<std::string>{"before"});
  EXPECT_EQ(total(), "3");
  EXPECT_EQ(token(), old_token);
  EXPECT_TRUE(fs::exists(replaced / "svc.db"));
  EXPECT_FALSE(fs::exists(server.dataDir().string() + ".restore"));
  add("again");
  EXPECT_EQ(server.stop().exit_code, 0);
}

TEST_F(BackupTest, ADataDirectoryBehindALinkIsRestoredWhereItIs) {
  add("before");
  ASSERT_EQ(server.stop().exit_code, 0);
  const auto disk = directory.path() / "disk";
  fs::rename(server.dataDir(), disk);
  fs::create_directory_symlink(disk, server.dataDir());
  server.start();
  ASSERT_EQ(system("backup", archive).status, 200);
  add("after");
  const auto restore = system("restore", archive);
  ASSERT_EQ(restore.status, 202) << restore.body;
  EXPECT_EQ(restore.json["restore"]["replaced"].asString(), disk.string() + ".before-restore");
  awaitRestart();
  EXPECT_EQ(titles(), std::vector<std::string>{"before"});
  EXPECT_EQ(fs::read_symlink(server.dataDir()), disk);
  EXPECT_FALSE(fs::is_symlink(disk));
}

TEST_F(BackupTest, APluginThatWantsItsDatabaseForItselfIsInTheBackup) {
  const PluginDir jealous("jealous", R"js(
const any = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };
export default (svc: any) => {
  const db = svc.storage.database();
  db.exec("PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE IF NOT EXISTS t (a); INSERT INTO t VALUES (1)");
  svc.rpc.register({ count: { input: any, output: any } }, { count: () => db.prepare("SELECT count(*) FROM t").pluck().get() });
};)js");
  ASSERT_EQ(server.install(jealous.path())["status"].asString(), "running");
  const auto backup = system("backup", archive);
  EXPECT_EQ(backup.status, 200) << backup.body;
  EXPECT_EQ(server.rpc("jealous", "count").json["result"].dump(), "1");
}

TEST_F(BackupTest, WhatBacksUpRestoresWhateverLinksThereAre) {
  fs::create_directories(server.dataDir() / "skills");
  fs::create_symlink("/tmp/x", server.dataDir() / "skills/mine");
  fs::create_symlink("/etc/hosts", server.dataDir() / "plugins/todo/hosts");
  const auto backup = system("backup", archive);
  ASSERT_EQ(backup.status, 200) << backup.body;
  EXPECT_EQ(backup.json["backup"]["leftOut"].items().size(), 2U) << backup.body;
  const auto restore = system("restore", archive);
  ASSERT_EQ(restore.status, 202) << restore.body;
  EXPECT_EQ(restore.json["restore"]["leftOut"].dump(), backup.json["backup"]["leftOut"].dump());
  awaitRestart();
  EXPECT_FALSE(fs::is_symlink(server.dataDir() / "skills/mine"));
}

TEST_F(BackupTest, APluginThatKeepsItsDatabaseLockedIsTheOnlyOneWithoutABackup) {
  const PluginDir jealous("jealous", R"js(
export default (svc: any) => {
  const db = svc.storage.database();
  db.exec("PRAGMA journal_mode = DELETE; CREATE TABLE IF NOT EXISTS t (a); BEGIN EXCLUSIVE");
};)js");
  ASSERT_EQ(server.install(jealous.path())["status"].asString(), "running");
  const auto backup = system("backup", archive);
  ASSERT_EQ(backup.status, 200) << backup.body;
  const auto& left_out = backup.json["backup"]["leftOut"].items();
  ASSERT_EQ(left_out.size(), 1U) << backup.body;
  EXPECT_EQ(left_out[0]["path"].asString(), "plugins/jealous/data.db");
  EXPECT_EQ(backup.json["backup"]["plugins"].items().size(), 3U);
}

TEST_F(BackupTest, AStopEndsABackupThatRuns) {
  // Longer than a stop may take: reading and compressing 4 GiB takes far longer than the bound of a stop.
  const auto big = server.dataDir() / "themes/big.css";
  fs::create_directories(big.parent_path());
  std::ofstream(big) << "";
  fs::resize_file(big, 4ULL << 30U);
  std::thread caller([&] {
    try {
      EXPECT_NE(system("backup", archive).status, 200);
    } catch (const Poco::Exception&) {
      // The connection may go before the answer.
    }
  });
  const auto partial = archive.string() + ".partial";
  EXPECT_TRUE(eventually(
      [&] { return server.http().get("/healthz").status == 200 && fs::exists(partial); }));
  const auto outcome = server.stop();
  caller.join();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, ::testing::Not(HasSubstr("the process ends now")));
  EXPECT_FALSE(fs::exists(archive));
  EXPECT_FALSE(fs::exists(partial));
  EXPECT_FALSE(fs::exists(server.dataDir() / "backups/.backup"));
}

TEST_F(BackupTest, NamesOutsideAsciiAreInTheBackup) {
  const std::vector<std::string> names{"café.css", "日本.txt", "raw-\xff"};
  fs::create_directories(server.dataDir() / "themes");
  for (const auto& name : names) {
    std::ofstream(server.dataDir() / "themes" / name) << name;
  }
  const auto backup = system("backup", archive);
  ASSERT_EQ(backup.status, 200) << backup.body;
  fs::remove_all(server.dataDir() / "themes");
  ASSERT_EQ(system("restore", archive).status, 202);
  awaitRestart();
  for (const auto& name : names) {
    EXPECT_TRUE(fs::exists(server.dataDir() / "themes" / name)) << name;
  }
}

TEST_F(BackupTest, ABackupUnderWritesIsConsistent) {
  std::atomic<bool> over = false;
  std::vector<std::string> acknowledged;
  std::thread writer([&] {
    auto http = server.http();
    for (int i = 0; !over; ++i) {
      const auto title = std::to_string(i);
      if (http.rpc("todo", "todos_add", R"({"title":")" + title + R"("})").status == 200) {
        acknowledged.push_back(title);
      }
      EXPECT_EQ(http.rpc("ledger", "add", "[1,1]").status, 200);
    }
  });
  auto socket = server.socket();
  EXPECT_TRUE(socket.awaitSignal("todo", "todos-changed", R"({"count":10})"));
  const auto backup = system("backup", archive);
  over = true;
  writer.join();
  ASSERT_EQ(backup.status, 200) << backup.body;
  ASSERT_EQ(system("restore", archive).status, 202);
  awaitRestart();
  const auto kept = titles();
  ASSERT_GE(kept.size(), 10U);
  ASSERT_LE(kept.size(), acknowledged.size());
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), acknowledged.begin()));
  // Each transaction of the ledger adds two.
  EXPECT_EQ(std::stol(total()) % 2, 0);
}

TEST_F(BackupTest, WhatCannotBeRestoredChangesNothing) {
  add("kept");
  ASSERT_EQ(system("backup", archive).status, 200);
  EXPECT_EQ(system("backup", archive).code(), "conflict");
  EXPECT_EQ(system("restore", directory.path() / "nothing").code(), "not_found");
  fs::resize_file(archive, fs::file_size(archive) / 2);
  const auto damaged = system("restore", archive);
  EXPECT_EQ(damaged.status, 400) << damaged.body;
  EXPECT_THAT(damaged.message(), HasSubstr("not a complete backup"));
  EXPECT_EQ(titles(), std::vector<std::string>{"kept"});
  EXPECT_FALSE(fs::exists(server.dataDir().string() + ".restore"));
  server.restart();
  server.awaitRecord(
      "todo", [](const common::Json& record) { return record["status"].asString() == "running"; });
  EXPECT_EQ(titles(), std::vector<std::string>{"kept"});
}

std::string bytesOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string digestOf(const fs::path& file) {
  Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
  const auto bytes = bytesOf(file);
  engine.update(bytes.data(), static_cast<unsigned>(bytes.size()));
  return Poco::DigestEngine::digestToHex(engine.digest());
}

/// The same archive with a core database in which `sql` has run; its manifest is right.
void changeDatabaseOf(const fs::path& archive, const char* sql) {
  const TempDir unpacked;
  const auto directory = unpacked.path().string();
  ASSERT_EQ(std::system(("tar -xzf " + archive.string() + " -C " + directory).c_str()), 0);
  const auto core = unpacked.path() / "svc.db";
  const auto before = digestOf(core);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(core.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  ASSERT_EQ(sqlite3_close(database), SQLITE_OK);
  auto manifest = bytesOf(unpacked.path() / "manifest.json");
  manifest.replace(manifest.find(before), before.size(), digestOf(core));
  std::ofstream(unpacked.path() / "manifest.json") << manifest;
  ASSERT_EQ(std::system(("cd " + directory + " && find . ! -type d -printf '%P\\n' | tar -czf " +
                         archive.string() + " -T -")
                            .c_str()),
            0);
}

TEST_F(BackupTest, ADatabaseWithoutATableIsNoticedBeforeAnythingIsReplaced) {
  add("kept");
  ASSERT_EQ(system("backup", archive).status, 200);
  changeDatabaseOf(archive, "DROP TABLE plugin_kv");
  const auto refused = system("restore", archive);
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_THAT(refused.message(), HasSubstr("no such table: plugin_kv"));
  EXPECT_EQ(titles(), std::vector<std::string>{"kept"});
  EXPECT_FALSE(fs::exists(server.dataDir().string() + ".restore"));
  EXPECT_FALSE(fs::exists(server.dataDir().string() + ".restore.partial"));
}

TEST_F(BackupTest, AnArchiveThatSomebodyElseHasPackedIsRestored) {
  add("before");
  ASSERT_EQ(system("backup", archive).status, 200);
  changeDatabaseOf(archive, "PRAGMA journal_mode=WAL");
  add("after");
  const auto restore = system("restore", archive);
  ASSERT_EQ(restore.status, 202) << restore.body;
  awaitRestart();
  EXPECT_EQ(titles(), std::vector<std::string>{"before"});
}

TEST(MemoryBackupTest, AServerWithoutADatabaseSaysSo) {
  const TempDir directory;
  const Server server(kMemoryModules);
  const auto answer = server.http().post(
      "/api/v1/system/backup", R"({"file":")" + (directory.path() / "b").string() + R"("})");
  EXPECT_EQ(answer.code(), "unavailable");
  EXPECT_THAT(answer.message(), HasSubstr("no core database"));
}

}  // namespace
}  // namespace svc::test
