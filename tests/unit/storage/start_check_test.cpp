#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "sqlite_start_check.h"
#include "unit/storage/store_fixture.h"

namespace svc::storage {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class StartCheckTest : public ::testing::Test {
 protected:
  StartCheckTest() { EXPECT_TRUE(check_.check(dir_.path()).ok()); }

  [[nodiscard]] fs::path file() const { return dir_.path() / "svc.db"; }
  void change(const std::string& sql) const {
    ASSERT_TRUE(Database::open(file()).value()->execute(sql.c_str()).ok()) << sql;
  }
  [[nodiscard]] std::vector<std::string> tables() const {
    const auto database = Database::open(file()).value();
    Statement query(
        database->handle(),
        "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite%'");
    std::vector<std::string> out;
    for (auto rows = query.run(); rows.next();) {
      out.emplace_back(rows.text(0));
    }
    return out;
  }

  TempDir dir_;
  FixedClock clock_;
  SqliteStartCheck check_{clock_, silentLog()};
};

TEST_F(StartCheckTest, AWholeDatabasePassesAndIsClosed) {
  EXPECT_TRUE(check_.check(dir_.path()).ok());
  EXPECT_FALSE(fs::exists(file().string() + "-wal"));
}

TEST_F(StartCheckTest, NoTableMayBeMissing) {
  const auto whole = dir_.path() / "whole.db";
  fs::copy_file(file(), whole);
  const auto names = tables();
  EXPECT_GT(names.size(), 20U);
  for (const auto& name : names) {
    fs::copy_file(whole, file(), fs::copy_options::overwrite_existing);
    change("DROP TABLE " + name);
    EXPECT_FALSE(check_.check(dir_.path()).ok()) << name;
  }
}

TEST_F(StartCheckTest, SaysWhichTableIsMissing) {
  change("DROP TABLE plugin_kv");
  const auto status = check_.check(dir_.path());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, errc::kInternal);
  EXPECT_THAT(status.error().message, HasSubstr("no such table: plugin_kv"));
}

TEST_F(StartCheckTest, NamesOfPluginsAreNoPaths) {
  const auto add = [this](const std::string& id) {
    change(
        "INSERT INTO plugins(id, source, source_kind, provenance, root_dir, version, enabled, "
        "generation, "
        "installed_at, updated_at) VALUES('" +
        id + "', 'path:/x', 'path', 'path', '/x', '1.0.0', 1, 1, 0, 0)");
  };
  add("todo-2");
  EXPECT_TRUE(check_.check(dir_.path()).ok());
  add("../../outside");
  const auto status = check_.check(dir_.path());
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message,
              HasSubstr("a plugin \"../../outside\", which none can be called"));
}

TEST_F(StartCheckTest, AMigrationThatCannotRunIsTold) {
  change("DELETE FROM schema_migrations WHERE id > 1");
  const auto status = check_.check(dir_.path());
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("failed and was undone"));
}

TEST_F(StartCheckTest, TheSchemaIsUpToDateAfterItWithACopyOfTheOlderOne) {
  fs::remove(file());
  {
    const auto old = Database::open(file()).value();
    ASSERT_TRUE(migrate(*old, coreMigrations().first(1), dir_.path() / "unused", clock_).ok());
  }
  ASSERT_TRUE(check_.check(dir_.path()).ok());
  EXPECT_TRUE(fs::exists(dir_.path() / "backups/pre-migration-2.db"));
  const auto database = Database::open(file()).value();
  Statement query(database->handle(), "SELECT max(id) FROM schema_migrations");
  auto rows = query.run();
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.integer(0), static_cast<std::int64_t>(coreMigrations().size()));
}

}  // namespace
}  // namespace svc::storage
