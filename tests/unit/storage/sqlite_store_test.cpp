#include "sqlite_store.h"

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "contract/storage/await.h"
#include "unit/storage/faulty_vfs.h"
#include "unit/storage/gate.h"
#include "unit/storage/store_fixture.h"

namespace svc::storage {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Value = std::optional<common::RawJson>;

Status setValue(IKeyValueStore& store, const std::string& key, const std::string& text) {
  return test::await<void>(
      [&](auto done) { store.set("todo", key, common::RawJson(text), std::move(done)); });
}

Result<Value> valueOf(IKeyValueStore& store, const std::string& key) {
  return test::await<Value>([&](auto done) { store.get("todo", key, std::move(done)); });
}

std::filesystem::perms mode(const std::filesystem::path& path) {
  return std::filesystem::status(path).permissions();
}

TEST(SqliteStoreTest, KeepsEverythingAcrossARestart) {
  StoreFixture fixture;
  ASSERT_TRUE(setValue(fixture.keyValues(), "list", "[1]").ok());
  PluginRow row;
  row.id = "todo";
  ASSERT_TRUE(fixture.plugins().put(row).ok());
  fixture.close();
  ASSERT_TRUE(fixture.open().ok());
  EXPECT_EQ(valueOf(fixture.keyValues(), "list").value()->text(), "[1]");
  EXPECT_EQ(fixture.plugins().find("todo").value(), row);
}

TEST(SqliteStoreTest, KeepsKeyValueDataOfARemovedPlugin) {
  StoreFixture fixture;
  PluginRow row;
  row.id = "todo";
  ASSERT_TRUE(fixture.plugins().put(row).ok());
  ASSERT_TRUE(setValue(fixture.keyValues(), "list", "[1]").ok());
  ASSERT_TRUE(fixture.plugins().remove("todo").ok());
  EXPECT_EQ(valueOf(fixture.keyValues(), "list").value()->text(), "[1]");
}

TEST(SqliteStoreTest, KeepsItsFilesPrivate) {
  StoreFixture fixture;
  ASSERT_TRUE(setValue(fixture.keyValues(), "list", "[1]").ok());
  EXPECT_EQ(mode(fixture.file()), std::filesystem::perms{0600});
  EXPECT_EQ(mode(fixture.file().string() + "-wal"), std::filesystem::perms{0600});
  fixture.close();
  std::filesystem::permissions(fixture.file(), std::filesystem::perms{0644});
  ASSERT_TRUE(fixture.open().ok());
  EXPECT_EQ(mode(fixture.file()), std::filesystem::perms{0600});
}

TEST(SqliteStoreTest, LeavesNoLogBehindWhenClosed) {
  StoreFixture fixture;
  ASSERT_TRUE(setValue(fixture.keyValues(), "list", "[1]").ok());
  fixture.close();
  EXPECT_FALSE(std::filesystem::exists(fixture.file().string() + "-wal"));
}

TEST(SqliteStoreTest, FinishesWaitingWritesWhenClosed) {
  StoreFixture fixture;
  test::Awaited<void> waiting;
  {
    Gate gate(fixture.keyValues());
    fixture.keyValues().set("todo", "list", common::RawJson("[1]"), waiting.completion());
  }
  fixture.close();
  EXPECT_TRUE(waiting.get().ok());
  ASSERT_TRUE(fixture.open().ok());
  EXPECT_EQ(valueOf(fixture.keyValues(), "list").value()->text(), "[1]");
}

TEST(SqliteStoreTest, AnswersUnavailableAfterItIsStopped) {
  StoreFixture fixture;
  fixture.store().stop();
  EXPECT_EQ(setValue(fixture.keyValues(), "list", "[1]").error().code, errc::kUnavailable);
  EXPECT_EQ(fixture.plugins().list().error().code, errc::kUnavailable);
}

TEST(SqliteStoreTest, SharesOneSyncAmongWaitingWrites) {
  FaultyVfs vfs;
  StoreFixture fixture;
  ASSERT_TRUE(setValue(fixture.keyValues(), "warm", "1").ok());
  const int before = vfs.syncs();
  test::Awaited<void> last;
  {
    const Gate gate(fixture.keyValues());
    for (int index = 0; index < 200; ++index) {
      fixture.keyValues().set("todo", std::to_string(index), common::RawJson("1"), {});
    }
    fixture.keyValues().set("todo", "last", common::RawJson("1"), last.completion());
  }
  ASSERT_TRUE(last.get().ok());
  EXPECT_EQ(vfs.syncs() - before, 1);
  fixture.close();
}

/// A store whose commits wait: every sync of its disk is held.
class SlowCommitTest : public ::testing::Test {
 protected:
  SlowCommitTest() {
    if (!setValue(store(), "settled", "1").ok() || !setValue(store(), "removed", "1").ok()) {
      throw std::runtime_error("the store takes no writes");
    }
  }
  ~SlowCommitTest() override {
    vfs_.releaseSyncs();
    fixture_.close();
  }

  IKeyValueStore& store() { return fixture_.keyValues(); }
  // Returns when the commit of a write of the namespace "todo" waits for the disk.
  void holdACommit(Completion<void> done) {
    vfs_.holdSyncs();
    store().set("todo", "written", common::RawJson("2"), std::move(done));
    vfs_.awaitHeldSync();
  }

  FaultyVfs vfs_;
  StoreFixture fixture_;
};

TEST_F(SlowCommitTest, AnswersReadsOfOthers) {
  ASSERT_TRUE(test::await<void>([&](auto done) {
                store().set("other", "k/1", common::RawJson("3"), std::move(done));
              }).ok());
  test::Awaited<void> written;
  holdACommit(written.completion());
  EXPECT_EQ(test::await<Value>([&](auto done) { store().get("other", "k/1", std::move(done)); })
                .value()
                ->text(),
            "3");
  EXPECT_THAT(test::await<std::vector<std::string>>([&](auto done) {
                store().list("other", "k/", std::move(done));
              }).value(),
              ElementsAre("k/1"));
  EXPECT_TRUE(fixture_.plugins().list().ok());
  EXPECT_TRUE(fixture_.settings().load("todo").ok());
  vfs_.releaseSyncs();
  EXPECT_TRUE(written.get().ok());
}

TEST_F(SlowCommitTest, ShowsAPluginItsOwnWrites) {
  test::Awaited<void> written;
  holdACommit(written.completion());
  test::Awaited<Value> value;
  test::Awaited<Value> removed;
  test::Awaited<std::vector<std::string>> keys;
  store().get("todo", "written", value.completion());
  store().remove("todo", "removed", {});
  store().get("todo", "removed", removed.completion());
  store().list("todo", "", keys.completion());
  vfs_.releaseSyncs();
  EXPECT_EQ(value.get().value()->text(), "2");
  EXPECT_FALSE(removed.get().value().has_value());
  EXPECT_THAT(keys.get().value(), ElementsAre("settled", "written"));
  EXPECT_TRUE(written.get().ok());
}

TEST_F(SlowCommitTest, FinishesWhatWaitsWhenClosed) {
  test::Awaited<void> written;
  holdACommit(written.completion());
  test::Awaited<void> second;
  test::Awaited<Value> read;
  store().set("todo", "second", common::RawJson("3"), second.completion());
  store().get("todo", "second", read.completion());
  vfs_.releaseSyncs();
  fixture_.close();
  EXPECT_TRUE(written.get().ok());
  EXPECT_TRUE(second.get().ok());
  EXPECT_EQ(read.get().value()->text(), "3");
}

TEST(DatabaseTest, StartsTheLogAnewWhenItIsFoldedAndNobodyReads) {
  const TempDir dir;
  const auto file = dir.path() / "svc.db";
  auto writer = Database::open(file);
  ASSERT_TRUE(writer.ok() && writer.value()->makeDurable().ok());
  ASSERT_TRUE(writer.value()->execute("CREATE TABLE t (text TEXT)").ok());
  auto reader = Database::openReader(file);
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  const auto write = [&] {
    return writer.value()->execute("INSERT INTO t VALUES (hex(randomblob(100000)))");
  };
  reader.value()->openSnapshot();
  ASSERT_TRUE(reader.value()->execute("SELECT count(*) FROM t").ok());
  for (int index = 0; index < 40; ++index) {
    ASSERT_TRUE(write().ok());
  }
  EXPECT_GT(writer.value()->logPages(), 1500U);
  reader.value()->closeSnapshot();
  writer.value()->foldLog();
  ASSERT_TRUE(write().ok());
  EXPECT_LT(writer.value()->logPages(), 100U);
}

TEST(DatabaseTest, RefusesAChangeThroughTheReader) {
  const TempDir dir;
  const auto file = dir.path() / "svc.db";
  const auto writer = Database::open(file);
  ASSERT_TRUE(writer.ok() && writer.value()->makeDurable().ok());
  const auto reader = Database::openReader(file);
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  EXPECT_FALSE(reader.value()->execute("CREATE TABLE t (text TEXT)").ok());
}

TEST(SqliteStoreTest, RefusesAFileThatIsNoDatabaseAndLeavesItAlone) {
  StoreFixture fixture;
  fixture.close();
  const std::string text(4096, 'x');
  std::ofstream(fixture.file(), std::ios::trunc) << text;
  for (const bool copies : {false, true}) {
    if (copies) {
      std::filesystem::create_directory(fixture.backups());
    }
    const auto status = fixture.open();
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, errc::kUnavailable);
    EXPECT_THAT(status.error().message,
                AllOf(HasSubstr(fixture.file().string()), HasSubstr("damaged"),
                      HasSubstr("move the file away"),
                      HasSubstr(copies ? fixture.backups().string() : "`svc restore`")));
  }
  std::ifstream in(fixture.file());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text);
}

TEST(SqliteStoreTest, ReportsADamagedPageAsAFailedRequest) {
  StoreFixture fixture;
  fixture.close();
  const auto schema = std::filesystem::file_size(fixture.file());
  ASSERT_TRUE(fixture.open().ok());
  const auto text = '[' + std::string(500, ' ') + ']';
  for (int index = 0; index < 200; ++index) {
    fixture.keyValues().set("todo", std::to_string(index), common::RawJson(text), {});
  }
  fixture.close();
  {
    // The pages after the schema, all of them.
    std::fstream out(fixture.file(), std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(schema));
    out << std::string(std::filesystem::file_size(fixture.file()) - schema, '\xAA');
  }
  ASSERT_TRUE(fixture.open().ok());
  int failures = 0;
  for (int index = 0; index < 200; ++index) {
    const auto value = valueOf(fixture.keyValues(), std::to_string(index));
    if (!value) {
      ++failures;
      EXPECT_EQ(value.error().code, errc::kUnavailable);
      EXPECT_THAT(value.error().message, HasSubstr("damaged"));
    }
  }
  EXPECT_GT(failures, 0);
}

TEST(SqliteStoreTest, NamesAFileItCannotOpen) {
  const TempDir dir;
  const FixedClock clock;
  const auto file = dir.path() / "missing" / "svc.db";
  const auto store = SqliteStore::open({.file = file, .backups = dir.path()}, clock, silentLog());
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code, errc::kUnavailable);
  EXPECT_THAT(store.error().message, HasSubstr(file.string()));
}

}  // namespace
}  // namespace svc::storage
