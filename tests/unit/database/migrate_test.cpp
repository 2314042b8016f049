// svc.storage.migrate(): append-only, all or nothing.
#include "database_fixture.h"

namespace svc::database {
namespace {

using ::testing::HasSubstr;

class MigrateTest : public DatabaseFixture {
 protected:
  /// What `list` (JavaScript) does; afterwards "<tables>|<applied ids>".
  std::string migrate(const std::string& list) {
    return resultOf(
        "const db = svc.storage.database();"
        "svc.storage.migrate(db, " +
        list + ");" + kState);
  }
  std::string state() {
    return resultOf(std::string("const db = svc.storage.database();") + kState);
  }

  static constexpr const char* kFirst = "['CREATE TABLE a (x)', 'CREATE TABLE b (x)']";

 private:
  static constexpr const char* kState =
      "const names = db.prepare(\"SELECT name FROM sqlite_master WHERE type = 'table' AND name != "
      "'_svc_migrations' ORDER BY name\").pluck().all();"
      "const has = db.prepare(\"SELECT count(*) FROM sqlite_master WHERE name = "
      "'_svc_migrations'\").pluck().get();"
      "return names.join() + '|' + (has ? db.prepare('SELECT id FROM _svc_migrations ORDER BY "
      "id').pluck().all() : 'none');";
};

TEST_F(MigrateTest, AppliesEachStatementOnce) {
  EXPECT_EQ(migrate(kFirst), "\"a,b|0,1\"");
  EXPECT_EQ(migrate(kFirst), "\"a,b|0,1\"");
  EXPECT_EQ(migrate("['CREATE TABLE a (x)', 'CREATE TABLE b (x)', 'CREATE TABLE c (x)']"),
            "\"a,b,c|0,1,2\"");
}

TEST_F(MigrateTest, NotesHashAndTime) {
  EXPECT_EQ(resultOf("const db = svc.storage.database(); const before = Date.now();"
                     "svc.storage.migrate(db, ['CREATE TABLE a (x)']);"
                     "const row = db.prepare('SELECT * FROM _svc_migrations').get();"
                     "return [Object.keys(row), /^[0-9a-f]{64}$/.test(row.hash),"
                     " row.applied_at >= before && row.applied_at <= Date.now()];"),
            R"([["id","hash","applied_at"],true,true])");
}

TEST_F(MigrateTest, AChangedStatementIsNamed) {
  ASSERT_EQ(migrate(kFirst), "\"a,b|0,1\"");
  EXPECT_THAT(migrate("['CREATE TABLE a (x)', 'CREATE TABLE b (y)', 'CREATE TABLE c (x)']"),
              HasSubstr("statement 1 differs"));
  EXPECT_EQ(state(), "\"a,b|0,1\"");
}

TEST_F(MigrateTest, AnotherOrderIsNamed) {
  ASSERT_EQ(migrate(kFirst), "\"a,b|0,1\"");
  EXPECT_THAT(migrate("['CREATE TABLE b (x)', 'CREATE TABLE a (x)']"),
              HasSubstr("statement 0 differs"));
}

TEST_F(MigrateTest, AMissingStatementIsNamed) {
  ASSERT_EQ(migrate(kFirst), "\"a,b|0,1\"");
  EXPECT_THAT(migrate("['CREATE TABLE a (x)']"),
              HasSubstr("statement 1 has been applied and is missing"));
  EXPECT_THAT(migrate("[]"), HasSubstr("statement 0 has been applied and is missing"));
}

TEST_F(MigrateTest, AFailingStatementRollsBackAllOfThem) {
  EXPECT_THAT(migrate("['CREATE TABLE a (x)', 'nonsense']"),
              HasSubstr("storage.migrate: statement 1 failed: near \"nonsense\""));
  EXPECT_EQ(state(), "\"|none\"");
  EXPECT_EQ(migrate("['CREATE TABLE a (x)']"), "\"a|0\"");
}

TEST_F(MigrateTest, AFailureKeepsItsCode) {
  EXPECT_EQ(resultOf("const db = svc.storage.database();"
                     "try { svc.storage.migrate(db, ['CREATE TABLE a (x NOT NULL); INSERT INTO a "
                     "VALUES (NULL)']); }"
                     "catch (error) { return [error.name, error.code, db.inTransaction]; }"),
            R"(["SqliteError","SQLITE_CONSTRAINT_NOTNULL",false])");
}

TEST_F(MigrateTest, AStatementCannotEndTheTransaction) {
  EXPECT_THAT(migrate("['CREATE TABLE a (x); COMMIT']"),
              HasSubstr("statement 0 ended the transaction"));
}

TEST_F(MigrateTest, NothingNewNeedsNoLock) {
  ASSERT_EQ(migrate(kFirst), "\"a,b|0,1\"");
  EXPECT_EQ(resultOf(std::string("const other = new Database(svc.storage.database().name);"
                                 "other.exec('BEGIN IMMEDIATE');"
                                 "const db = svc.storage.database();"
                                 "db.pragma('busy_timeout = 0');"
                                 "svc.storage.migrate(db, ") +
                     kFirst + "); return 'fine';"),
            "\"fine\"");
}

TEST_F(MigrateTest, ASettingOfTheConnectionDoesNotMatter) {
  EXPECT_EQ(migrate(kFirst), "\"a,b|0,1\"");
  EXPECT_EQ(resultOf(std::string("const db = svc.storage.database().defaultSafeIntegers();"
                                 "svc.storage.migrate(db, ") +
                     kFirst + "); return 1;"),
            "1");
}

TEST_F(MigrateTest, ArgumentsAreChecked) {
  EXPECT_THAT(resultOf("svc.storage.migrate({}, [])"),
              HasSubstr("storage.migrate: the first argument must be a database of "
                        "svc.storage.database(), is an object"));
  EXPECT_THAT(migrate("'CREATE TABLE a (x)'"),
              HasSubstr("the statements must be an array of SQL texts, is a string"));
  EXPECT_THAT(migrate("['CREATE TABLE a (x)', 3]"),
              HasSubstr("statement 1 must be SQL text, is a number"));
  EXPECT_THAT(migrate("['  ']"), HasSubstr("statement 0 must be SQL text, is blank"));
  EXPECT_THAT(
      resultOf("const db = svc.storage.database(); db.exec('BEGIN'); svc.storage.migrate(db, []);"),
      HasSubstr("a transaction is open on this database"));
}

TEST_F(MigrateTest, AClosedHandleIsRefused) {
  EXPECT_THAT(
      resultOf("const db = svc.storage.database(); db.close(); svc.storage.migrate(db, []);"),
      HasSubstr("The database connection is not open"));
}

}  // namespace
}  // namespace svc::database
