#include "backup.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/base/files.h"
#include "svc/base/run.h"
#include "svc/common/codes.h"

#include "backup_archive.h"
#include "backup_files.h"
#include "fakes/fake_clock.h"
#include "sqlite_connection.h"
#include "unit/plugins/temp_directory.h"

namespace svc::updates {
namespace {

constexpr std::size_t kAnyBackup = 1U << 30U;

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void run(const fs::path& file, std::initializer_list<const char*> statements) {
  const auto connection = openSqlite(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).value();
  for (const auto* sql : statements) {
    ASSERT_TRUE(runSqlite(connection.get(), sql, {}).ok()) << sql;
  }
}

std::string ask(const fs::path& file, const char* sql) {
  const auto connection = openSqlite(file, SQLITE_OPEN_READWRITE).value();
  std::string text;
  EXPECT_TRUE(runSqlite(connection.get(), sql, {}, [&](sqlite3_stmt* row) {
                text = reinterpret_cast<const char*>(sqlite3_column_text(row, 0));
              }).ok());
  return text;
}

class BackupTest : public ::testing::Test {
 protected:
  BackupTest() {
    fs::create_directories(data());
    run(data() / "svc.db",
        {"PRAGMA journal_mode=WAL", "CREATE TABLE schema_migrations (id INTEGER)",
         "INSERT INTO schema_migrations VALUES (6)",
         "CREATE TABLE plugins (id TEXT, root_dir TEXT)"});
    addPlugin("todo", data() / "plugins/cache/npm/todo/1.0.0");
    write("plugins/todo/secrets/.http-token", "abc");
    write("plugins/cache/npm/todo/1.0.0/server.ts", "export default () => {};");
  }

  [[nodiscard]] fs::path data() const { return directory_.path() / "data"; }
  [[nodiscard]] fs::path archive() const { return directory_.path() / "out.svcbackup"; }
  void write(const std::string& path, const std::string& text) const {
    directory_.write(fs::path("data") / path, text);
  }
  void addPlugin(const std::string& id, const fs::path& root) const {
    const auto connection = openSqlite(data() / "svc.db", SQLITE_OPEN_READWRITE).value();
    ASSERT_TRUE(
        runSqlite(connection.get(), "INSERT INTO plugins VALUES (?1, ?2)", {id, root.string()})
            .ok());
  }
  [[nodiscard]] Backup at(const fs::path& data) const { return {data, "0.43.0", clock_, nullptr}; }

  svc::test::TempDirectory directory_;
  svc::test::FakeClock clock_;
};

TEST_F(BackupTest, FilesAreThoseThatARestoreNeeds) {
  for (const auto* path :
       {"access-cookie", "access-cookie.tmp", "server.json", "server.lock", "logs/server.log",
        "backups/pre-migration-5.db", "plugins/todo/cache/abc.bin", "plugins/todo/data.db-wal",
        "plugins/snapshots/todo/x/state.json", "plugins/toolchain-1/esbuild",
        "skills-generated/plugin-commands/SKILL.md", "hostd/daemon.lock", "hostd/tmp/worker-1/x",
        "hostd/plugin-host-artifacts/todo/abc/host.mjs", "hostd/logs/daemon.log", "cache/scripts",
        "hostd/cache/scripts",
        // What a crash may leave of writing them.
        "plugins/todo/secrets/.new-apiKey", "plugins/todo/secrets/.new-.http-token",
        "plugins/todo/secrets.restore/apiKey", "plugins/todo/secrets.replaced/apiKey",
        "plugins/todo/data.db.restore", "hostd/auth.json.tmp", "server.json.tmp"}) {
    write(path, "x");
  }
  write("hostd/auth.json", "{}");
  write("hostd/plugin-data/todo/notes.txt", "x");
  write("plugins/todo/data.db", "");
  write("plugins/cache/npm/todo/1.0.0/fixture.db", "x");
  fs::create_symlink("server.ts", data() / "plugins/cache/npm/todo/1.0.0/link.ts");
  std::vector<std::string> paths;
  std::vector<std::string> databases;
  const auto listed = listBackupFiles(data()).value();
  for (const auto& file : listed) {
    paths.push_back(file.path);
    if (file.kind == BackupFile::Kind::kDatabase) {
      databases.push_back(file.path);
    }
  }
  EXPECT_THAT(paths, ElementsAre("hostd/auth.json", "hostd/plugin-data/todo/notes.txt",
                                 "plugins/cache/npm/todo/1.0.0/fixture.db",
                                 "plugins/cache/npm/todo/1.0.0/link.ts",
                                 "plugins/cache/npm/todo/1.0.0/server.ts", "plugins/todo/data.db",
                                 "plugins/todo/secrets/.http-token", "svc.db"));
  EXPECT_THAT(databases, ElementsAre("plugins/todo/data.db", "svc.db"));
}

TEST_F(BackupTest, OnlyABackupIsOverwrittenAndOnlyWhenAsked) {
  ASSERT_TRUE(at(data()).write(archive(), false).ok());
  const auto before = base::readFile(archive(), kAnyBackup).value();
  EXPECT_EQ(at(data()).write(archive(), false).error().code, errc::kConflict);
  EXPECT_EQ(base::readFile(archive(), kAnyBackup).value(), before);
  write("plugins/todo/notes.txt", "new");
  EXPECT_TRUE(at(data()).write(archive(), true).ok());
  EXPECT_NE(base::readFile(archive(), kAnyBackup).value(), before);

  const auto letter = directory_.path() / "letter.txt";
  const auto other = directory_.path() / "other.tar.gz";
  directory_.write("letter.txt", "dear");
  ASSERT_TRUE(ArchiveWriter::create(other).value()->finish(R"({"format":"other"})").ok());
  fs::create_directories(directory_.path() / "folder/sub");
  fs::create_symlink(archive(), directory_.path() / "link");
  for (const auto& target :
       {letter, other, directory_.path() / "folder", directory_.path() / "link"}) {
    const auto refused = at(data()).write(target, true);
    ASSERT_FALSE(refused.ok()) << target;
    EXPECT_EQ(refused.error().code, errc::kConflict);
    EXPECT_THAT(refused.error().message, HasSubstr(target.string() + " exists and is no backup"));
  }
  EXPECT_EQ(base::readFile(letter, kAnyBackup).value(), "dear");
  EXPECT_TRUE(fs::is_symlink(directory_.path() / "link"));

  directory_.write("empty", "");
  EXPECT_TRUE(at(data()).write(directory_.path() / "empty", true).ok());
}

TEST_F(BackupTest, OtherProgramsReadItWithoutAWord) {
  ASSERT_TRUE(at(data()).write(archive(), false).ok());
  const auto listed = base::run(
      {.program = {.argv = {"tar", "-tzf", archive().string()}}, .output_limit = kAnyBackup});
  ASSERT_TRUE(listed.ok()) << listed.error().message;
  EXPECT_EQ(listed.value().err, "");
}

TEST_F(BackupTest, AStopEndsItAndLeavesNothing) {
  write("big", std::string(300'000, 'x'));
  std::stop_source stopping;
  const Backup stopped(data(), "0.43.0", clock_, nullptr, stopping.get_token());
  ASSERT_TRUE(stopped.write(archive(), false).ok());
  stopping.request_stop();
  const auto other = directory_.path() / "other.svcbackup";
  const auto written = stopped.write(other, false);
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message, HasSubstr("shutting down"));
  EXPECT_FALSE(fs::exists(other));
  EXPECT_FALSE(fs::exists(other.string() + ".partial"));
  EXPECT_FALSE(fs::exists(data() / "backups/.backup"));

  const auto restored = stopped.prepareRestore(archive());
  ASSERT_FALSE(restored.ok());
  EXPECT_THAT(restored.error().message, HasSubstr("shutting down"));
  EXPECT_FALSE(fs::exists(directory_.path() / "data.restore"));
  EXPECT_FALSE(fs::exists(directory_.path() / "data.restore.partial"));
}

TEST_F(BackupTest, WhoAskedMayGiveItUp) {
  std::stop_source asker;
  ASSERT_TRUE(at(data()).write(archive(), false, asker.get_token()).ok());
  asker.request_stop();
  const auto other = directory_.path() / "other.svcbackup";
  EXPECT_FALSE(at(data()).write(other, false, asker.get_token()).ok());
  EXPECT_FALSE(fs::exists(other));
  EXPECT_FALSE(fs::exists(other.string() + ".partial"));
  EXPECT_FALSE(at(data()).prepareRestore(archive(), asker.get_token()).ok());
  EXPECT_FALSE(fs::exists(directory_.path() / "data.restore"));
}

TEST_F(BackupTest, IsNotWrittenIntoWhatItIsABackupOf) {
  fs::create_directories(data() / "mine");
  fs::create_directory_symlink(data() / "mine", directory_.path() / "elsewhere");
  for (const auto& target : {data() / "out", data() / "mine/out", data() / "backups/out",
                             data() / "mine/../out", directory_.path() / "elsewhere/out"}) {
    const auto refused = at(data()).write(target, false);
    ASSERT_FALSE(refused.ok()) << target;
    EXPECT_EQ(refused.error().code, errc::kInvalidInput);
    EXPECT_THAT(refused.error().message, HasSubstr("is in the data directory " + data().string()));
    EXPECT_THAT(refused.error().message, HasSubstr("choose a directory outside"));
    EXPECT_FALSE(fs::exists(target));
  }
  EXPECT_TRUE(at(data()).write(directory_.path() / "data-backup", false).ok());
}

TEST_F(BackupTest, NamesOfEveryKindComeBack) {
  const std::vector<std::string> names{"café.css", "日本.txt", "raw-\xff.bin"};
  for (const auto& name : names) {
    write("themes/" + name, name);
    fs::create_symlink(name, data() / "themes" / ("link to " + name));
  }
  const auto written = at(data()).write(archive(), false);
  ASSERT_TRUE(written.ok()) << written.error().message;
  const auto restored = at(data()).prepareRestore(archive());
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_EQ(restored.value().files, written.value().files);
  for (const auto& name : names) {
    const auto themes = directory_.path() / "data.restore/themes";
    EXPECT_EQ(base::readFile(themes / name, kAnyBackup).value(), name);
    EXPECT_EQ(fs::read_symlink(themes / ("link to " + name)), name);
  }
}

TEST_F(BackupTest, EmptyDirectoriesComeBack) {
  fs::create_directories(data() / "hostd/personal/env_1");
  fs::create_directories(data() / "hostd/worktrees/\xff/.git/refs/tags");
  fs::create_directories(data() / "hostd/tmp");
  ASSERT_TRUE(at(data()).write(archive(), false).ok());
  fs::remove_all(data() / "hostd");
  ASSERT_TRUE(at(data()).prepareRestore(archive()).ok());
  const auto staged = data().string() + ".restore";
  EXPECT_TRUE(fs::is_empty(staged + "/hostd/personal/env_1"));
  EXPECT_TRUE(fs::is_directory(staged + "/hostd/worktrees/\xff/.git/refs/tags"));
  EXPECT_FALSE(fs::exists(staged + "/hostd/tmp"));
}

TEST_F(BackupTest, ARestoreHasWhatTheBackupHad) {
  run(data() / "plugins/todo/data.db",
      {"PRAGMA journal_mode=WAL", "CREATE TABLE t (x TEXT)", "INSERT INTO t VALUES ('kept')"});
  const auto written = at(data()).write(archive(), false);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(written.value().files, 4U);
  EXPECT_THAT(written.value().plugins, ElementsAre("todo"));
  EXPECT_EQ(written.value().bytes, fs::file_size(archive()));
  run(data() / "plugins/todo/data.db", {"DELETE FROM t"});

  const auto restored = at(data()).prepareRestore(archive());
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_EQ(restored.value().created_at, clock_.nowMs());
  EXPECT_EQ(restored.value().version, "0.43.0");
  const auto next = directory_.path() / "data.restore";
  EXPECT_EQ(ask(next / "plugins/todo/data.db", "SELECT x FROM t"), "kept");
  EXPECT_EQ(base::readFile(next / "plugins/todo/secrets/.http-token", kAnyBackup).value(), "abc");
  EXPECT_EQ(fs::status(next).permissions(), fs::perms::owner_all);
  EXPECT_TRUE(fs::exists(next / "manifest.json")) << "by which the kernel knows that it is whole";
  EXPECT_FALSE(fs::exists(next.string() + ".partial"));
  EXPECT_FALSE(fs::exists(data() / "backups/.backup"));
}

TEST_F(BackupTest, WhatNoRestoreWouldTakeIsLeftOutAndTold) {
  write("skills/own/SKILL.md", "x");
  write("manifest.json", "mine");
  fs::create_symlink("/tmp/x", data() / "skills/mine");
  fs::create_symlink("../../../outside", data() / "plugins/todo/up");
  fs::create_symlink("own/SKILL.md", data() / "skills/inside");
  const auto written = at(data()).write(archive(), false);
  ASSERT_TRUE(written.ok()) << written.error().message;
  const auto paths = [](const BackupInfo& info) {
    std::vector<std::string> out;
    for (const auto& each : info.left_out) {
      EXPECT_NE(each.reason, "") << each.path;
      out.push_back(each.path);
    }
    return out;
  };
  EXPECT_THAT(paths(written.value()),
              ElementsAre("manifest.json", "plugins/todo/up", "skills/mine"));
  const auto restored = at(data()).prepareRestore(archive());
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_EQ(paths(restored.value()), paths(written.value()));
  EXPECT_EQ(restored.value().files, written.value().files);
  const auto next = directory_.path() / "data.restore";
  EXPECT_EQ(fs::read_symlink(next / "skills/inside"), "own/SKILL.md");
  for (const auto* path : {"skills/mine", "plugins/todo/up"}) {
    EXPECT_FALSE(fs::exists(fs::symlink_status(next / path))) << path;
  }
}

TEST_F(BackupTest, AnArchiveWithALinkThatLeadsOutIsRestoredWithoutIt) {
  const auto core = data() / "svc.db";
  run(core, {"PRAGMA journal_mode=DELETE"});
  auto writer = ArchiveWriter::create(archive()).value();
  ASSERT_TRUE(writer->addFile("svc.db", core).ok());
  ASSERT_TRUE(writer->addLink("skills/mine", "/tmp/x").ok());
  ASSERT_TRUE(
      writer
          ->finish(
              R"({"format":"svc-backup","formatVersion":1,"files":[{"path":"svc.db","sha256":")" +
              writer->files()[0].sha256 + R"("},{"path":"skills/mine","link":"/tmp/x"}]})")
          .ok());
  const auto restored = at(data()).prepareRestore(archive());
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  ASSERT_EQ(restored.value().left_out.size(), 1U);
  EXPECT_EQ(restored.value().left_out[0].path, "skills/mine");
  EXPECT_EQ(restored.value().files, 1U);
}

TEST_F(BackupTest, ADatabaseThatStaysLockedIsLeftOutAndTold) {
  const auto file = data() / "plugins/todo/data.db";
  run(file, {"PRAGMA journal_mode=DELETE", "CREATE TABLE t (x TEXT)"});
  const auto holder = openSqlite(file, SQLITE_OPEN_READWRITE).value();
  ASSERT_TRUE(runSqlite(holder.get(), "BEGIN EXCLUSIVE", {}).ok());
  const auto written = at(data()).write(archive(), false);
  ASSERT_TRUE(written.ok()) << written.error().message;
  ASSERT_EQ(written.value().left_out.size(), 1U);
  EXPECT_EQ(written.value().left_out[0].path, "plugins/todo/data.db");
  EXPECT_THAT(written.value().left_out[0].reason, HasSubstr("stayed locked"));
  ASSERT_TRUE(runSqlite(holder.get(), "ROLLBACK", {}).ok());

  const auto restored = at(data()).prepareRestore(archive());
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  ASSERT_EQ(restored.value().left_out.size(), 1U);
  EXPECT_EQ(restored.value().left_out[0].path, "plugins/todo/data.db");
  EXPECT_FALSE(fs::exists(directory_.path() / "data.restore/plugins/todo/data.db"));
}

TEST_F(BackupTest, WhatOnlyHasTheNameOfADatabaseIsAFileLikeAnyOther) {
  const std::string text(5000, 'x');
  write("plugins/todo/notes.db", text);
  ASSERT_TRUE(at(data()).write(archive(), false).ok());
  ASSERT_TRUE(at(data()).prepareRestore(archive()).ok());
  EXPECT_EQ(
      base::readFile(directory_.path() / "data.restore/plugins/todo/notes.db", kAnyBackup).value(),
      text);
}

TEST_F(BackupTest, ASlashAtTheEndIsTheSameDirectory) {
  const auto slash = at(data() / "");
  EXPECT_EQ(slash.replacement(), directory_.path() / "data.restore");
  EXPECT_EQ(slash.replaced(), directory_.path() / "data.before-restore");
}

TEST_F(BackupTest, PathsAreAbsolute) {
  EXPECT_EQ(at(data()).write("backup", false).error().code, errc::kInvalidInput);
  EXPECT_EQ(at(data()).prepareRestore("backup").error().code, errc::kInvalidInput);
}

TEST_F(BackupTest, WithoutACoreDatabaseThereIsNoBackup) {
  fs::remove(data() / "svc.db");
  EXPECT_EQ(at(data()).write(archive(), false).error().code, errc::kUnavailable);
  EXPECT_FALSE(fs::exists(archive()));
}

TEST_F(BackupTest, AMissingArchiveIsNotFound) {
  EXPECT_EQ(at(data()).prepareRestore(archive()).error().code, errc::kNotFound);
}

TEST_F(BackupTest, ADamagedArchiveChangesNothing) {
  ASSERT_TRUE(at(data()).write(archive(), false).ok());
  auto bytes = base::readFile(archive(), kAnyBackup).value();
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  directory_.write("out.svcbackup", bytes);
  EXPECT_EQ(at(data()).prepareRestore(archive()).error().code, errc::kInvalidInput);
  EXPECT_FALSE(fs::exists(directory_.path() / "data.restore"));
}

/// Archives with a manifest that the writer would not make.
class ForeignBackupTest : public BackupTest {
 protected:
  Error refusal(const std::string& manifest, const std::string& core_schema = "6") {
    const auto core = directory_.path() / "core.db";
    fs::remove(core);
    const auto insert = "INSERT INTO schema_migrations VALUES (" + core_schema + ")";
    run(core, {"CREATE TABLE schema_migrations (id INTEGER)", insert.c_str(),
               "CREATE TABLE plugins (id TEXT, root_dir TEXT)"});
    auto writer = ArchiveWriter::create(archive()).value();
    EXPECT_TRUE(writer->addFile("svc.db", core).ok());
    auto text = manifest;
    if (const auto at = text.find("DIGEST"); at != std::string::npos) {
      text.replace(at, 6, writer->files().front().sha256);
    }
    EXPECT_TRUE(writer->finish(text).ok());
    const auto restored = at(data()).prepareRestore(archive());
    EXPECT_FALSE(restored.ok());
    EXPECT_FALSE(fs::exists(directory_.path() / "data.restore"));
    return restored.ok() ? Error{errc::kInternal, ""} : restored.error();
  }
};

TEST_F(ForeignBackupTest, WithoutAManifestIsRefused) {
  EXPECT_EQ(refusal("").code, errc::kInvalidInput);
  EXPECT_EQ(refusal(R"({"format":"other"})").code, errc::kInvalidInput);
}

TEST_F(ForeignBackupTest, OfALaterFormatIsIncompatible) {
  const auto error =
      refusal(R"({"format":"svc-backup","formatVersion":2,"serviceVersion":"9.0.0","files":[]})");
  EXPECT_EQ(error.code, errc::kIncompatible);
  EXPECT_THAT(error.message, HasSubstr("9.0.0"));
}

TEST_F(ForeignBackupTest, OfALaterSchemaIsIncompatible) {
  const auto error = refusal(
      R"({"format":"svc-backup","formatVersion":1,"serviceVersion":"9.0.0","files":[{"path":"svc.db","sha256":"DIGEST"}]})",
      "7");
  EXPECT_EQ(error.code, errc::kIncompatible);
  EXPECT_THAT(error.message, HasSubstr("its schema is 7"));
}

TEST_F(ForeignBackupTest, WithAnotherDigestIsRefused) {
  const auto error = refusal(
      R"({"format":"svc-backup","formatVersion":1,"files":[{"path":"svc.db","sha256":"00"}]})");
  EXPECT_EQ(error.code, errc::kInvalidInput);
  EXPECT_THAT(error.message, HasSubstr("svc.db is damaged"));
}

TEST_F(ForeignBackupTest, WithANameThatIsNoneIsRefused) {
  for (const auto* name : {"abc", "zz"}) {
    const auto error = refusal(
        std::string(
            R"({"format":"svc-backup","formatVersion":1,"files":[{"sha256":"DIGEST","pathHex":")") +
        name + R"("}]})");
    EXPECT_EQ(error.code, errc::kInvalidInput) << error.message;
  }
}

TEST_F(ForeignBackupTest, WithADirectoryElsewhereIsRefused) {
  for (const auto* path : {"../out", "/tmp/out", "a/../../out", ""}) {
    const auto error = refusal(
        std::string(
            R"({"format":"svc-backup","formatVersion":1,"files":[{"path":"svc.db","sha256":"DIGEST"}],"emptyDirectories":[{"path":")") +
        path + R"("}]})");
    EXPECT_EQ(error.code, errc::kInvalidInput) << path;
    EXPECT_THAT(error.message, HasSubstr("has no place in it"));
  }
}

TEST_F(ForeignBackupTest, WithFilesTooManyOrTooFewIsRefused) {
  EXPECT_THAT(refusal(R"({"format":"svc-backup","formatVersion":1,"files":[]})").message,
              HasSubstr("does not list svc.db"));
  EXPECT_THAT(
      refusal(
          R"({"format":"svc-backup","formatVersion":1,"files":[{"path":"svc.db","sha256":"DIGEST"},{"path":"x","sha256":"0"}]})")
          .message,
      HasSubstr("x is missing"));
}

}  // namespace
}  // namespace svc::updates
