#include "sqlite_store.h"

#include <fstream>
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

Status set(IKeyValueStore& store, const std::string& key, const std::string& text) {
  return testing::await<void>(
      [&](auto done) { store.set("todo", key, common::RawJson(text), std::move(done)); });
}

Result<Value> get(IKeyValueStore& store, const std::string& key) {
  return testing::await<Value>([&](auto done) { store.get("todo", key, std::move(done)); });
}

std::filesystem::perms mode(const std::filesystem::path& path) {
  return std::filesystem::status(path).permissions();
}

TEST(SqliteStoreTest, KeepsEverythingAcrossARestart) {
  StoreFixture fixture;
  ASSERT_TRUE(set(fixture.keyValues(), "list", "[1]").ok());
  PluginRow row;
  row.id = "todo";
  ASSERT_TRUE(fixture.plugins().put(row).ok());
  fixture.close();
  ASSERT_TRUE(fixture.open().ok());
  EXPECT_EQ(get(fixture.keyValues(), "list").value()->text(), "[1]");
  EXPECT_EQ(fixture.plugins().find("todo").value(), row);
}

TEST(SqliteStoreTest, KeepsKeyValueDataOfARemovedPlugin) {
  StoreFixture fixture;
  PluginRow row;
  row.id = "todo";
  ASSERT_TRUE(fixture.plugins().put(row).ok());
  ASSERT_TRUE(set(fixture.keyValues(), "list", "[1]").ok());
  ASSERT_TRUE(fixture.plugins().remove("todo").ok());
  EXPECT_EQ(get(fixture.keyValues(), "list").value()->text(), "[1]");
}

TEST(SqliteStoreTest, KeepsItsFilesPrivate) {
  StoreFixture fixture;
  ASSERT_TRUE(set(fixture.keyValues(), "list", "[1]").ok());
  EXPECT_EQ(mode(fixture.file()), std::filesystem::perms{0600});
  EXPECT_EQ(mode(fixture.file().string() + "-wal"), std::filesystem::perms{0600});
  fixture.close();
  std::filesystem::permissions(fixture.file(), std::filesystem::perms{0644});
  ASSERT_TRUE(fixture.open().ok());
  EXPECT_EQ(mode(fixture.file()), std::filesystem::perms{0600});
}

TEST(SqliteStoreTest, LeavesNoLogBehindWhenClosed) {
  StoreFixture fixture;
  ASSERT_TRUE(set(fixture.keyValues(), "list", "[1]").ok());
  fixture.close();
  EXPECT_FALSE(std::filesystem::exists(fixture.file().string() + "-wal"));
}

TEST(SqliteStoreTest, FinishesWaitingWritesWhenClosed) {
  StoreFixture fixture;
  testing::Awaited<void> waiting;
  {
    Gate gate(fixture.keyValues());
    fixture.keyValues().set("todo", "list", common::RawJson("[1]"), waiting.completion());
  }
  fixture.close();
  EXPECT_TRUE(waiting.get().ok());
  ASSERT_TRUE(fixture.open().ok());
  EXPECT_EQ(get(fixture.keyValues(), "list").value()->text(), "[1]");
}

TEST(SqliteStoreTest, AnswersUnavailableAfterItIsStopped) {
  StoreFixture fixture;
  fixture.store().stop();
  EXPECT_EQ(set(fixture.keyValues(), "list", "[1]").error().code, errc::kUnavailable);
  EXPECT_EQ(fixture.plugins().list().error().code, errc::kUnavailable);
}

TEST(SqliteStoreTest, SharesOneSyncAmongWaitingWrites) {
  FaultyVfs vfs;
  StoreFixture fixture;
  ASSERT_TRUE(set(fixture.keyValues(), "warm", "1").ok());
  const int before = vfs.syncs();
  testing::Awaited<void> last;
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

TEST(SqliteStoreTest, AnswersReadsOfOtherNamespacesBeforeWaitingWrites) {
  StoreFixture fixture;
  std::vector<std::string> order;
  testing::Awaited<void> flushed;
  {
    const Gate gate(fixture.keyValues());
    fixture.keyValues().set("todo", "k", common::RawJson("1"),
                            [&](const Status&) { order.push_back("set todo"); });
    fixture.keyValues().get("todo", "k", [&](const Result<Value>& value) {
      order.push_back("get todo " + value.value()->text());
    });
    fixture.keyValues().get("other", "k", [&](const auto&) { order.push_back("get other"); });
    fixture.store().flush(flushed.completion());
  }
  ASSERT_TRUE(flushed.get().ok());
  EXPECT_THAT(order, ElementsAre("get other", "set todo", "get todo 1"));
}

TEST(SqliteStoreTest, RefusesAFileThatIsNoDatabaseAndLeavesItAlone) {
  StoreFixture fixture;
  fixture.close();
  const std::string text(4096, 'x');
  std::ofstream(fixture.file(), std::ios::trunc) << text;
  const auto status = fixture.open();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, errc::kUnavailable);
  EXPECT_THAT(status.error().message,
              AllOf(HasSubstr(fixture.file().string()), HasSubstr("damaged"),
                    HasSubstr("move the file away"), HasSubstr(fixture.backups().string())));
  std::ifstream in(fixture.file());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text);
}

TEST(SqliteStoreTest, ReportsADamagedPageAsAFailedRequest) {
  StoreFixture fixture;
  const auto text = '[' + std::string(500, ' ') + ']';
  for (int index = 0; index < 200; ++index) {
    fixture.keyValues().set("todo", std::to_string(index), common::RawJson(text), {});
  }
  fixture.close();
  {
    // The pages after the schema, all of them.
    std::fstream out(fixture.file(), std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(4096 * 8);
    out << std::string(std::filesystem::file_size(fixture.file()) - 4096UL * 8, '\xAA');
  }
  ASSERT_TRUE(fixture.open().ok());
  int failures = 0;
  for (int index = 0; index < 200; ++index) {
    const auto value = get(fixture.keyValues(), std::to_string(index));
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
