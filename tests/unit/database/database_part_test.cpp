// svc.storage.database(): which file, which handle, and what the end of a load does to it.
#include "database_part.h"

#include <sys/stat.h>

#include "svc/common/codes.h"

#include "database_fixture.h"
#include "mocks/mock_generation.h"

namespace svc::database {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Return;
using ::testing::StrictMock;

class DatabasePartTest : public DatabaseFixture {};

unsigned modeOf(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777U : 0;
}

TEST_F(DatabasePartTest, OpensTheFileOfThePluginForNobodyElse) {
  const auto instance = running(R"(
    const db = svc.storage.database();
    db.exec('CREATE TABLE t (a)');
    return [db.name, db.open, db.memory, db.readonly];
  )");
  EXPECT_EQ(text(call(instance, "run")), "[\"" + file.string() + "\",true,false,false]");
  EXPECT_EQ(modeOf(file), 0600U);
  EXPECT_EQ(modeOf(file.string() + "-wal"), 0600U);
}

TEST_F(DatabasePartTest, ConfiguresTheConnection) {
  EXPECT_EQ(resultOf("const db = svc.storage.database();"
                     "return ['foreign_keys', 'journal_mode', 'busy_timeout', 'synchronous']"
                     ".map((name) => db.pragma(name, { simple: true }));"),
            R"([1,"wal",5000,1])");
}

TEST_F(DatabasePartTest, GivesOneHandleUntilItIsClosed) {
  EXPECT_EQ(resultOf("const first = svc.storage.database();"
                     "const same = first === svc.storage.database();"
                     "first.close();"
                     "const second = svc.storage.database();"
                     "return [same, first === second, first.open, second.open];"),
            "[true,false,false,true]");
}

TEST_F(DatabasePartTest, RefusesToLoadExtensions) {
  EXPECT_THAT(resultOf("svc.storage.database().loadExtension('/tmp/x.so')"),
              HasSubstr("loading extensions is refused"));
  EXPECT_THAT(resultOf("svc.storage.database().prepare(\"SELECT load_extension('x')\").get()"),
              HasSubstr("not authorized"));
}

TEST_F(DatabasePartTest, AnExclusiveLockingModeIsAnsweredWithNormalAndShutsNobodyOut) {
  EXPECT_EQ(resultOf("const db = svc.storage.database(); db.exec('CREATE TABLE t (a)');"
                     "const told = [db.pragma('locking_mode = EXCLUSIVE', { simple: true }),"
                     "db.pragma('main.locking_mode(exclusive)', { simple: true })];"
                     "db.exec('PRAGMA Locking_Mode = exclusive; INSERT INTO t VALUES (1)');"
                     "db.exec('INSERT INTO t VALUES (2)');"
                     "const other = new Database(db.name, { timeout: 0 });"
                     "return [...told, db.pragma('locking_mode = normal', { simple: true }),"
                     "other.prepare('SELECT count(*) FROM t').pluck().get(),"
                     "db.prepare('PRAGMA locking_mode = EXCLUSIVE').source];"),
            R"(["normal","normal","normal",2,"PRAGMA locking_mode = EXCLUSIVE"])");
}

TEST_F(DatabasePartTest, SaysThatAFileIsNoDatabase) {
  folder.write("plugins/data.db", std::string(5000, 'x'));
  const auto instance = create(handler("run", "return api.svc.storage.database().name"));
  EXPECT_THAT(text(call(instance, "run")), HasSubstr(file.string() + ": file is not a database"));
}

TEST_F(DatabasePartTest, KeepsColumnsFromChangingThePrototypeOfARow) {
  EXPECT_EQ(resultOf("const row = svc.storage.database().prepare("
                     "'SELECT NULL AS \"__proto__\", 2 AS b').get();"
                     "return [Object.getPrototypeOf(row) === Object.prototype, row.b];"),
            "[true,2]");
}

// The package waits without an end, and with a whole core, in both of these.

TEST_F(DatabasePartTest, ABackupInATransactionOfItsOwnConnectionEndsWithAnError) {
  EXPECT_THAT(resultOf("const db = new Database(':memory:', { timeout: 60 });"
                       "db.exec('CREATE TABLE t (a); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');"
                       "const failure = await db.backup('" +
                       (folder.path() / "copy.db").string() +
                       "').catch((error) => error);"
                       "return [failure.name, failure.code, failure.message]"),
              AllOf(HasSubstr("SqliteError"), HasSubstr("SQLITE_BUSY"),
                    HasSubstr("made no progress for 60 ms"),
                    HasSubstr("this connection is in a transaction")));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "copy.db"));
}

TEST_F(DatabasePartTest, ABackupToALockedFileEndsWithAnError) {
  const auto target = (folder.path() / "target.db").string();
  EXPECT_THAT(
      resultOf(
          "const other = new Database('" + target +
          "'); other.exec('CREATE TABLE t (a); BEGIN EXCLUSIVE');"
          "const db = new Database(':memory:', { timeout: 60 }); db.exec('CREATE TABLE s (a)');"
          "const failure = await db.backup('" +
          target +
          "').catch((error) => error);"
          "other.exec('COMMIT'); const { remainingPages } = await db.backup('" +
          target +
          "');"
          "return [failure.code, failure.message, remainingPages]"),
      AllOf(HasSubstr("SQLITE_BUSY"), HasSubstr("keeps the source or the target locked"),
            EndsWith(",0]")));
}

TEST_F(DatabasePartTest, SurvivesAConnectionClosedWhileParametersAreRead) {
  EXPECT_THAT(resultOf("const db = svc.storage.database();"
                       "const statement = db.prepare('SELECT @a');"
                       "statement.get({ get a() { db.close(); return 1; } });"),
              HasSubstr("The database connection is not open"));
  EXPECT_THAT(resultOf("const db = svc.storage.database();"
                       "const statement = db.prepare('SELECT ? AS a UNION SELECT 2');"
                       "const list = []; let open;"
                       "Object.defineProperty(list, 0, { get() { open = "
                       "statement.bind(1).iterate(); open.next(); return 5; } });"
                       "statement.get(list);"),
              HasSubstr("This statement is busy executing a query"));
}

TEST_F(DatabasePartTest, TheEndOfALoadClosesEveryHandle) {
  const auto instance = create(std::string(kNames) + "let kept, statement, iterator, memory;" +
                               handler("open",
                                       "kept = svc.storage.database();"
                                       "statement = kept.prepare('SELECT 1 UNION SELECT 2');"
                                       "iterator = statement.iterate(); iterator.next();"
                                       "kept.exec; memory = new Database(':memory:');") +
                               handler("use", R"(
    const attempts = [() => kept.exec('SELECT 1'), () => statement.all(), () => memory.prepare('SELECT 1'),
      () => svc.storage.database(), () => new Database(':memory:')];
    return attempts.map((attempt) => { try { attempt(); return 'fine'; } catch (error) { return String(error); } })
      .concat(String(iterator.next().done), String(kept.open)).join('|');
  )"));
  ASSERT_TRUE(call(instance, "open").ok());
  ASSERT_TRUE(call(instance, "database.close").ok());
  const std::string closed = "TypeError: The database connection is not open|";
  EXPECT_EQ(text(call(instance, "use")), closed + closed + closed + closed + closed + "true|false");
}

TEST_F(DatabasePartTest, ALoadWithoutADatabaseHasNothingToClose) {
  const auto generation = std::make_shared<StrictMock<plugins::MockGeneration>>();
  EXPECT_CALL(*generation, registration("database")).WillOnce(Return(common::Json()));
  bool done = false;
  closeDatabases(generation, [&done](const Status& status) { done = status.ok(); });
  EXPECT_TRUE(done);
}

TEST_F(DatabasePartTest, AnEndedEnvironmentHasClosedThem) {
  const auto generation = std::make_shared<StrictMock<plugins::MockGeneration>>();
  EXPECT_CALL(*generation, registration("database")).WillOnce(Return(common::Json(true)));
  EXPECT_CALL(*generation, invoke("", Field(&script::Invocation::function, "database.close"), _))
      .WillOnce([](const std::string&, const script::Invocation&, Completion<std::string> answer) {
        answer(Error{errc::kPluginNotRunning, "ended"});
      });
  bool done = false;
  closeDatabases(generation, [&done](const Status& status) { done = status.ok(); });
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace svc::database
