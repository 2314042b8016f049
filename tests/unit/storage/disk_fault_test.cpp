#include <map>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "contract/storage/await.h"
#include "unit/storage/faulty_vfs.h"
#include "unit/storage/gate.h"
#include "unit/storage/store_fixture.h"

namespace svc::storage {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Eq;
using ::testing::HasSubstr;
using Value = std::optional<common::RawJson>;

constexpr const char* kAbsent = "absent";

std::string get(IKeyValueStore& store, const std::string& key) {
  const auto value =
      test::await<Value>([&](auto done) { store.get("todo", key, std::move(done)); });
  if (!value) {
    return "error:" + value.error().message;
  }
  return value.value() ? value.value()->text() : kAbsent;
}

Status set(IKeyValueStore& store, const std::string& key, const std::string& text) {
  return test::await<void>(
      [&](auto done) { store.set("todo", key, common::RawJson(text), std::move(done)); });
}

/// What a key may hold: the last acknowledged value, or one of the attempts since.
class Model {
 public:
  void record(const std::string& key, const std::string& value, const Status& status) {
    auto& allowed = allowed_.try_emplace(key, std::set<std::string>{kAbsent}).first->second;
    if (status) {
      allowed = {value};
      acknowledged_[key] = value;
    } else {
      EXPECT_THAT(status.error().code, AnyOf(Eq(errc::kUnavailable), Eq(errc::kInternal)))
          << status.error().message;
      EXPECT_FALSE(status.error().message.empty());
      allowed.insert(value);
    }
  }
  [[nodiscard]] std::string acknowledged(const std::string& key) const {
    const auto found = acknowledged_.find(key);
    return found == acknowledged_.end() ? kAbsent : found->second;
  }
  void check(IKeyValueStore& store) const {
    for (const auto& [key, allowed] : allowed_) {
      EXPECT_THAT(allowed, Contains(get(store, key))) << "key " << key;
    }
  }

 private:
  std::map<std::string, std::set<std::string>> allowed_;
  std::map<std::string, std::string> acknowledged_;
};

// Writes, overwrites and removes, checking after each step that a failed one left no trace in this process.
void work(StoreFixture& fixture, Model& model) {
  auto& store = fixture.keyValues();
  for (int step = 0; step < 8; ++step) {
    const auto key = "k" + std::to_string(step % 3);
    if (step % 5 == 4) {
      const auto removed =
          test::await<void>([&](auto done) { store.remove("todo", key, std::move(done)); });
      model.record(key, kAbsent, removed);
    } else {
      const auto text = '"' + std::string(1000, 'v') + std::to_string(step) + '"';
      model.record(key, text, set(store, key, text));
    }
    EXPECT_THAT(get(store, key), AnyOf(model.acknowledged(key), HasSubstr("error:")));
  }
}

class DiskFaultTest : public ::testing::TestWithParam<int> {
 protected:
  FaultyVfs vfs_;
};

TEST_P(DiskFaultTest, LosesNoAcknowledgedWriteWhicheverChangeFails) {
  int survived = 0;
  bool failed = true;
  for (int n = 1; failed && !HasFailure(); ++n) {
    SCOPED_TRACE("change " + std::to_string(n));
    StoreFixture fixture;
    Model model;
    vfs_.failOnce(n, GetParam());
    work(fixture, model);
    fixture.close();
    failed = vfs_.failed();
    vfs_.heal();
    ASSERT_TRUE(fixture.open().ok());
    model.check(fixture.keyValues());
    survived = n;
  }
  EXPECT_GT(survived, 20);
}

TEST_P(DiskFaultTest, OpensAgainWhicheverChangeOfTheFirstStartFails) {
  bool failed = true;
  for (int n = 1; failed && !HasFailure(); ++n) {
    SCOPED_TRACE("change " + std::to_string(n));
    const TempDir dir;
    const FixedClock clock;
    const SqliteStoreOptions options{.file = dir.path() / "svc.db",
                                     .backups = dir.path() / "backups"};
    vfs_.failOnce(n, GetParam());
    {
      const auto store = SqliteStore::open(options, clock, silentLog());
      if (!store) {
        EXPECT_EQ(store.error().code, errc::kUnavailable) << store.error().message;
        EXPECT_THAT(store.error().message, HasSubstr("svc.db"));
      }
    }
    failed = vfs_.failed();
    vfs_.heal();
    const auto store = SqliteStore::open(options, clock, silentLog());
    ASSERT_TRUE(store.ok()) << store.error().message;
    EXPECT_TRUE(set(store.value()->keyValues(), "k", "1").ok());
  }
}

TEST_P(DiskFaultTest, FailsTheWholeBatchAndWorksAgainWhenTheDiskDoes) {
  StoreFixture fixture;
  auto& store = fixture.keyValues();
  ASSERT_TRUE(set(store, "a", "1").ok());
  test::Awaited<void> first;
  test::Awaited<void> second;
  test::Awaited<Value> read;
  {
    const Gate gate(store);
    vfs_.failFrom(1, GetParam());
    store.set("todo", "a", common::RawJson("2"), first.completion());
    store.set("other", "b", common::RawJson("2"), second.completion());
    store.get("todo", "a", read.completion());
  }
  const auto refused = first.get();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, errc::kUnavailable);
  EXPECT_THAT(refused.error().message,
              HasSubstr(GetParam() == SQLITE_FULL ? "disk full" : "input/output error"));
  EXPECT_EQ(second.get().error().code, errc::kUnavailable);
  EXPECT_EQ(read.get().error().code, errc::kUnavailable);
  EXPECT_EQ(get(store, "a"), "1");
  vfs_.heal();
  EXPECT_TRUE(set(store, "a", "3").ok());
  fixture.close();
  ASSERT_TRUE(fixture.open().ok());
  EXPECT_EQ(get(fixture.keyValues(), "a"), "3");
}

TEST_P(DiskFaultTest, AWriteThatIsTriedFailsAsARealOneAndChangesNothing) {
  const TempDir dir;
  const FixedClock clock;
  const auto opened = Database::open(dir.path() / "svc.db");
  ASSERT_TRUE(opened.ok());
  auto& database = *opened.value();
  ASSERT_TRUE(database.makeDurable().ok());
  ASSERT_TRUE(database.execute("PRAGMA user_version = 7").ok());
  EXPECT_TRUE(database.tryWrite().ok());
  vfs_.failFrom(1, GetParam());
  EXPECT_EQ(database.tryWrite().error().code, errc::kUnavailable);
  EXPECT_FALSE(database.active());
  vfs_.heal();
  EXPECT_TRUE(database.tryWrite().ok());
  Statement version(database.handle(), "PRAGMA user_version");
  auto rows = version.run();
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.integer(0), 7);
}

INSTANTIATE_TEST_SUITE_P(Codes, DiskFaultTest,
                         ::testing::Values(SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC));

TEST(DiskFullTest, RefusesWritesUntilThereIsSpaceAgain) {
  const TempDir dir;
  const FixedClock clock;
  auto opened = Database::open(dir.path() / "svc.db");
  ASSERT_TRUE(migrate(*opened.value(), coreMigrations(), dir.path() / "backups", clock).ok());
  auto& database = *opened.value();
  ASSERT_TRUE(database.execute("PRAGMA max_page_count=80").ok());
  auto reader = Database::openReader(database.file());
  SqliteStore store(std::move(opened).value(), std::move(reader).value(), StoreLimits{}, clock,
                    silentLog());

  const auto value = '"' + std::string(10'000, 'v') + '"';
  ASSERT_TRUE(set(store.keyValues(), "small", "1").ok());
  int written = 0;
  Status status;
  while (status && written < 30) {
    status = set(store.keyValues(), "k" + std::to_string(written), value);
    written += status ? 1 : 0;
  }
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, errc::kUnavailable);
  EXPECT_THAT(status.error().message, HasSubstr("disk full"));
  EXPECT_EQ(get(store.keyValues(), "k" + std::to_string(written)), kAbsent);
  EXPECT_EQ(get(store.keyValues(), "k0"), value);

  const auto removed = test::await<void>(
      [&](auto done) { store.keyValues().remove("todo", "k0", std::move(done)); });
  ASSERT_TRUE(removed.ok());
  EXPECT_TRUE(set(store.keyValues(), "k0", value).ok());
  ASSERT_TRUE(database.execute("PRAGMA max_page_count=1000").ok());
  EXPECT_TRUE(set(store.keyValues(), "more", value).ok());
  EXPECT_EQ(get(store.keyValues(), "small"), "1");
}

}  // namespace
}  // namespace svc::storage
