#include "migrator.h"

#include <array>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/data_schema.h"

#include "unit/storage/store_fixture.h"

namespace svc::storage {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::array kSteps{
    Migration{1, "first", "CREATE TABLE one (x TEXT) STRICT; INSERT INTO one VALUES ('kept')"},
    Migration{2, "second", "CREATE TABLE two (x TEXT) STRICT; UPDATE one SET x = 'changed'"},
    Migration{3, "third", "CREATE TABLE three (x TEXT) STRICT"},
};
constexpr std::array kBrokenSteps{
    kSteps[0], kSteps[1],
    Migration{3, "broken", "CREATE TABLE three (x TEXT) STRICT; INSERT INTO missing VALUES (1)"}};

class MigratorTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return dir_.path() / "svc.db"; }
  [[nodiscard]] std::filesystem::path backups() const { return dir_.path() / "backups"; }

  Status migrateTo(std::span<const Migration> migrations) {
    auto database = Database::open(file());
    return database ? migrate(*database.value(), migrations, backups(), clock_)
                    : Status{database.error()};
  }

  // First column of the first row, or "error:<message>".
  static std::string query(const std::filesystem::path& path, const char* sql) {
    auto database = Database::open(path);
    auto answer = noThrowQuery(*database.value(), sql);
    return answer ? answer.value() : "error:" + answer.error().message;
  }
  static Result<std::string> noThrowQuery(Database& database, const char* sql) {
    return guarded([&]() -> Result<std::string> {
      Statement statement(database.handle(), sql);
      auto rows = statement.run();
      return rows.next() ? rows.text(0) : "";
    });
  }
  static std::string version(const std::filesystem::path& path) {
    return query(path, "SELECT group_concat(id || ':' || name) FROM schema_migrations");
  }

  TempDir dir_;
  FixedClock clock_;
};

TEST_F(MigratorTest, BuildsANewDatabaseWithoutACopy) {
  ASSERT_TRUE(migrateTo(kSteps).ok());
  EXPECT_EQ(version(file()), "1:first,2:second,3:third");
  EXPECT_EQ(query(file(), "SELECT x FROM one"), "changed");
  EXPECT_EQ(query(file(), "SELECT applied_at FROM schema_migrations"), "1700000000000");
  EXPECT_FALSE(std::filesystem::exists(backups()));
}

TEST_F(MigratorTest, ChangesNothingWhenTheSchemaIsCurrent) {
  ASSERT_TRUE(migrateTo(kSteps).ok());
  ASSERT_TRUE(migrateTo(kSteps).ok());
  EXPECT_EQ(version(file()), "1:first,2:second,3:third");
  EXPECT_FALSE(std::filesystem::exists(backups()));
}

TEST_F(MigratorTest, CopiesTheDatabaseBeforeItChangesTheSchema) {
  ASSERT_TRUE(migrateTo(std::span(kSteps).first(1)).ok());
  ASSERT_TRUE(migrateTo(kSteps).ok());
  EXPECT_EQ(query(file(), "SELECT x FROM one"), "changed");
  const auto copy = backups() / "pre-migration-2.db";
  EXPECT_EQ(std::filesystem::status(copy).permissions(), std::filesystem::perms{0600});
  EXPECT_EQ(std::filesystem::status(backups()).permissions(), std::filesystem::perms{0700});
  EXPECT_EQ(version(copy), "1:first");
  EXPECT_EQ(query(copy, "SELECT x FROM one"), "kept");
}

TEST_F(MigratorTest, UndoesEveryPendingStepWhenOneFails) {
  ASSERT_TRUE(migrateTo(std::span(kSteps).first(1)).ok());
  const auto status = migrateTo(kBrokenSteps);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message,
              AllOf(HasSubstr("migration 3 (broken)"), HasSubstr("missing")));
  EXPECT_EQ(version(file()), "1:first");
  EXPECT_EQ(query(file(), "SELECT x FROM one"), "kept");
  ASSERT_TRUE(migrateTo(kSteps).ok());
  EXPECT_EQ(version(file()), "1:first,2:second,3:third");
  EXPECT_EQ(version(backups() / "pre-migration-2.db"), "1:first");
}

TEST_F(MigratorTest, ChangesNothingWhenTheCopyCannotBeWritten) {
  ASSERT_TRUE(migrateTo(std::span(kSteps).first(1)).ok());
  std::ofstream(backups()) << "a file where the folder belongs";
  const auto status = migrateTo(kSteps);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("pre-migration-2.db"));
  EXPECT_EQ(version(file()), "1:first");
}

TEST_F(MigratorTest, RefusesADatabaseOfANewerProgram) {
  ASSERT_TRUE(migrateTo(kSteps).ok());
  const auto status = migrateTo(std::span(kSteps).first(2));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, errc::kIncompatible);
  EXPECT_THAT(status.error().message, AllOf(HasSubstr(file().string()), HasSubstr("newer"),
                                            HasSubstr("schema is 3"), HasSubstr("up to 2")));
  EXPECT_EQ(version(file()), "1:first,2:second,3:third");
}

TEST_F(MigratorTest, RefusesADatabaseOfAnotherProgram) {
  {
    auto database = Database::open(file());
    ASSERT_TRUE(database.value()->execute("CREATE TABLE theirs (x)").ok());
  }
  const auto status = migrateTo(kSteps);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message,
              AllOf(HasSubstr(file().string()), HasSubstr("another program")));
  EXPECT_EQ(query(file(), "SELECT count(*) FROM sqlite_master"), "1");
}

TEST_F(MigratorTest, ATimeThatAPluginNamedIsNoLongerItsSenders) {
  ASSERT_TRUE(migrateTo(coreMigrations().first(12)).ok());
  {
    auto database = Database::open(file());
    ASSERT_TRUE(database.value()
                    ->execute(R"(INSERT INTO queued_messages VALUES
('a', 't', 'k', '', '', 0, 7, '{"kind":"plugin","pluginId":"p"}', '', 0, 0),
('b', 't', 'k', '', '', 0, 8, '{"kind":"time"}', '', 0, 0),
('c', 't', 'k', '', '', 0, 9, '', '', 0, 0))")
                    .ok());
  }
  ASSERT_TRUE(migrateTo(coreMigrations()).ok());
  EXPECT_EQ(query(file(), "SELECT group_concat(send_at) FROM queued_messages"), "0,8,9");
  EXPECT_EQ(query(file(), "SELECT waiting_on FROM queued_messages WHERE id='a'"),
            R"({"kind":"plugin","pluginId":"p","sendAt":7})");
}

TEST_F(MigratorTest, NumbersTheCoreSchemaWithoutGaps) {
  int expected = 0;
  for (const auto& migration : coreMigrations()) {
    EXPECT_EQ(migration.number, ++expected);
  }
  ASSERT_TRUE(migrateTo(coreMigrations()).ok());
  EXPECT_EQ(common::kCoreSchema, coreMigrations().size());
}

TEST_F(MigratorTest, TheSchemaIsInTheHeaderOfTheFile) {
  const auto stamp = [this] {
    std::ifstream in(file(), std::ios::binary);
    in.seekg(common::kSchemaOffset);
    std::array<char, 4> bytes{};
    in.read(bytes.data(), bytes.size());
    return std::string(bytes.data(), bytes.size());
  };
  ASSERT_TRUE(migrateTo(std::span(kSteps).first(1)).ok());
  EXPECT_EQ(stamp(), std::string("\0\0\0\1", 4));
  ASSERT_TRUE(migrateTo(kSteps).ok());
  EXPECT_EQ(stamp(), std::string("\0\0\0\3", 4));
}

TEST_F(MigratorTest, RowsOfPluginsFromBeforeTheirStatisticsHaveNone) {
  ASSERT_TRUE(migrateTo(coreMigrations().first(12)).ok());
  {
    auto database = Database::open(file());
    ASSERT_TRUE(database.value()
                    ->execute("INSERT INTO plugins (id, source, source_kind, provenance, root_dir, "
                              "version, enabled, generation, installed_at, updated_at) VALUES "
                              "('todo', '', 'path', 'direct', '/x', '1', 1, 1, 1, 1)")
                    .ok());
  }
  ASSERT_TRUE(migrateTo(coreMigrations()).ok());
  EXPECT_EQ(query(file(), "SELECT '<' || meters || '>' FROM plugins"), "<>");
}

}  // namespace
}  // namespace svc::storage
