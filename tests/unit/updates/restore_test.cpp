// Archives that this program would not write: what a restore takes of them.

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"

#include "backup.h"
#include "backup_archive.h"
#include "fakes/fake_clock.h"
#include "sqlite_connection.h"
#include "unit/plugins/temp_directory.h"

namespace svc::updates {
namespace {

namespace fs = std::filesystem;
using common::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Return;

class MockStartCheck : public storage::IStartCheck {
 public:
  MOCK_METHOD(Status, check, (const fs::path& data), (override));
};

/// What an archive has beside its core database.
struct Contents {
  std::vector<std::string> files{};
  std::vector<std::pair<std::string, std::string>> links{};
  std::vector<std::string> empty_directories{};
};

void makeCoreDatabase(const fs::path& file) {
  const auto connection = openSqlite(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).value();
  for (const auto* sql :
       {"CREATE TABLE schema_migrations (id INTEGER)", "INSERT INTO schema_migrations VALUES (6)",
        "CREATE TABLE plugins (id TEXT, root_dir TEXT)"}) {
    ASSERT_TRUE(runSqlite(connection.get(), sql, {}).ok()) << sql;
  }
}

class RestoreTest : public ::testing::Test {
 protected:
  RestoreTest() {
    fs::create_directories(data());
    makeCoreDatabase(data() / "svc.db");
    ON_CALL(check_, check).WillByDefault(Return(Status()));
  }

  [[nodiscard]] fs::path data() const { return directory_.path() / "data"; }
  [[nodiscard]] fs::path staged() const { return directory_.path() / "data.restore"; }

  [[nodiscard]] Result<BackupInfo> restore(const Contents& contents) {
    const auto archive = directory_.path() / "made.svcbackup";
    auto writer = ArchiveWriter::create(archive).value();
    EXPECT_TRUE(writer->addFile("svc.db", data() / "svc.db").ok());
    const auto text = directory_.write("text", "x");
    for (const auto& path : contents.files) {
      EXPECT_TRUE(writer->addFile(path, text).ok());
    }
    for (const auto& [path, target] : contents.links) {
      EXPECT_TRUE(writer->addLink(path, target).ok());
    }
    EXPECT_TRUE(writer->finish(manifestOf(writer->files(), contents).dump()).ok());
    return Backup(data(), "0.43.0", clock_, &check_).prepareRestore(archive);
  }

  svc::test::TempDirectory directory_;
  svc::test::FakeClock clock_;
  ::testing::NiceMock<MockStartCheck> check_;

 private:
  static Json manifestOf(const std::vector<ArchivedFile>& files, const Contents& contents) {
    auto listed = Json::array();
    for (const auto& file : files) {
      auto entry = Json::object().set("path", file.path).set("sha256", file.sha256);
      listed.push(std::move(entry.set("link", file.link)));
    }
    auto directories = Json::array();
    for (const auto& path : contents.empty_directories) {
      directories.push(Json::object().set("path", path));
    }
    return Json::object()
        .set("format", "svc-backup")
        .set("formatVersion", 1)
        .set("files", std::move(listed))
        .set("emptyDirectories", std::move(directories));
  }
};

std::vector<std::string> leftOutOf(const BackupInfo& info) {
  std::vector<std::string> out;
  for (const auto& each : info.left_out) {
    EXPECT_EQ(each.reason, "no part of a backup: the server makes it anew") << each.path;
    out.push_back(each.path);
  }
  return out;
}

TEST_F(RestoreTest, LeavesOutWhatABackupLeavesOutAndTells) {
  const auto restored =
      restore({.files = {"access-cookie", "server.json", "logs/old/server.log", "svc.db-wal",
                         "plugins/toolchain-1/esbuild", "plugins/todo/notes.txt"},
               .links = {{"server.lock", "svc.db"}},
               .empty_directories = {"hostd/tmp", "access-cookie.tmp", "hostd/personal"}});
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_THAT(leftOutOf(restored.value()),
              ElementsAre("access-cookie", "server.json", "logs/old/server.log", "svc.db-wal",
                          "plugins/toolchain-1/esbuild", "server.lock"));
  EXPECT_EQ(restored.value().files, 2U);
  std::vector<std::string> there;
  for (const auto& entry : fs::recursive_directory_iterator(staged())) {
    there.push_back(entry.path().lexically_relative(staged()).string());
  }
  EXPECT_THAT(there, ::testing::UnorderedElementsAre("svc.db", "hostd", "hostd/personal", "plugins",
                                                     "plugins/todo", "plugins/todo/notes.txt",
                                                     "manifest.json"));
}

TEST_F(RestoreTest, WhatItLeavesOutIsCheckedLikeEverythingElse) {
  const auto archive = directory_.path() / "made.svcbackup";
  auto writer = ArchiveWriter::create(archive).value();
  ASSERT_TRUE(writer->addFile("access-cookie", directory_.write("text", "x")).ok());
  ASSERT_TRUE(
      writer->finish(R"({"format":"svc-backup","files":[{"path":"access-cookie","sha256":"00"}]})")
          .ok());
  const auto restored = Backup(data(), "0.43.0", clock_, &check_).prepareRestore(archive);
  ASSERT_FALSE(restored.ok());
  EXPECT_THAT(restored.error().message, HasSubstr("access-cookie is damaged"));
}

TEST_F(RestoreTest, ADirectoryBehindALinkIsRefused) {
  for (const auto* path : {"here/access-cookie", "here", "plugins/up/access-cookie"}) {
    const auto restored =
        restore({.links = {{"here", "."}, {"plugins/up", ".."}}, .empty_directories = {path}});
    ASSERT_FALSE(restored.ok()) << path;
    EXPECT_EQ(restored.error().code, errc::kInvalidInput);
    EXPECT_THAT(restored.error().message,
                HasSubstr("the directory \"" + std::string(path) + "\" has no place in it"));
    EXPECT_FALSE(fs::exists(staged()));
  }
}

TEST_F(RestoreTest, IsTriedOutBeforeAnythingIsInPlace) {
  EXPECT_CALL(check_, check).WillOnce([this](const fs::path& unpacked) {
    EXPECT_TRUE(fs::exists(unpacked / "svc.db"));
    EXPECT_TRUE(fs::exists(unpacked / "plugins/todo/notes.txt"));
    EXPECT_FALSE(fs::exists(staged()));
    return Status();
  });
  EXPECT_TRUE(restore({.files = {"plugins/todo/notes.txt"}}).ok());
  EXPECT_TRUE(fs::exists(staged()));
}

TEST_F(RestoreTest, OfADatabaseThatNoServerStartsOnIsRefused) {
  EXPECT_CALL(check_, check).WillOnce(Return(Error{errc::kInternal, "no such table: plugin_kv"}));
  const auto restored = restore({});
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, errc::kInvalidInput);
  EXPECT_EQ(restored.error().message,
            (directory_.path() / "made.svcbackup").string() +
                " is not a complete backup: the server would not start on its database: no such "
                "table: plugin_kv; nothing was changed: restore another backup");
  EXPECT_FALSE(fs::exists(staged()));
  EXPECT_FALSE(fs::exists(staged().string() + ".partial"));
}

TEST_F(RestoreTest, AFullDiskIsNoFaultOfTheArchive) {
  EXPECT_CALL(check_, check).WillOnce(Return(Error{errc::kUnavailable, "disk full"}));
  const auto restored = restore({});
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, errc::kUnavailable);
  EXPECT_THAT(
      restored.error().message,
      HasSubstr("cannot be restored: the server would not start on its database: disk full"));
  EXPECT_FALSE(fs::exists(staged()));
}

}  // namespace
}  // namespace svc::updates
