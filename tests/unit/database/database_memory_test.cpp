// What the databases of one plugin may take, and what it is told when that is not enough.
#include <sqlite3.h>

#include "database_fixture.h"
#include "databases.h"

namespace svc::database {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t kLimit = 8UL << 20;
constexpr std::size_t kConnections = 4;

/// Its environments see `fill(db)`, which puts 16 MiB into a table, and `caught(fn)`: what `fn` throws, as text.
class DatabaseMemoryTest : public DatabaseFixture {
 protected:
  DatabaseMemoryTest() { options.natives = {{"database", databases}}; }

  std::string resultOf(const std::string& body) { return DatabaseFixture::resultOf(kTools + body); }
  /// What `attempt` throws, "fine" when nothing; and what a query on another connection answers after it.
  std::string failureOf(const std::string& attempt) {
    return resultOf(
        "const db = new Database(':memory:'); const other = new Database(':memory:');"
        "const failure = caught(() => {" +
        attempt + "}); return failure + ' ' + other.prepare('SELECT 7').pluck().get();");
  }
  [[nodiscard]] script::ScriptStats held() const {
    script::ScriptStats stats;
    databases->report(stats);
    return stats;
  }

  const std::shared_ptr<Databases> databases =
      std::make_shared<Databases>(DatabaseBudget{.plugin_id = "hoarder",
                                                 .bytes = kLimit,
                                                 .setting = "plugins.databaseMiB",
                                                 .connections = kConnections});

  static constexpr const char* kTools = R"(
    const kMiB = 1 << 20;
    const caught = (fn) => { try { fn(); return 'fine'; } catch (error) { return `${error.name} ${error.code} ${error.message}`; } };
    const fill = (db) => {
      db.exec('CREATE TABLE IF NOT EXISTS t (a)');
      for (let i = 0; i < 64; i++) db.prepare('INSERT INTO t VALUES (randomblob(262144))').run();
    };
  )";
};

TEST_F(DatabaseMemoryTest, ADatabaseInMemoryIsRefusedByNameAndItsRoomComesBack) {
  EXPECT_THAT(failureOf("fill(db);"),
              AllOf(HasSubstr("SqliteError SQLITE_NOMEM the databases of the plugin hoarder use "),
                    HasSubstr(", the limit is plugins.databaseMiB = 8: "),
                    HasSubstr("plugins.overrides"), HasSubstr(" 7\"")));
  EXPECT_EQ(resultOf("const full = new Database(':memory:'); caught(() => fill(full));"
                     "full.close(); const db = new Database(':memory:');"
                     "db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(4 << 20))');"
                     "return db.prepare('SELECT length(a) FROM t').pluck().get() / kMiB;"),
            "4");
}

TEST_F(DatabaseMemoryTest, EveryWayToHoardIsRefused) {
  for (const char* attempt : {
           "db.prepare('SELECT ?').bind(Buffer.alloc(16 * kMiB))",
           "db.prepare('SELECT ?').bind('x'.repeat(16 * kMiB))",
           "db.prepare('SELECT ?').get(Buffer.alloc(16 * kMiB))",
           "const all = []; for (;;) all.push(db.prepare('SELECT ?').bind(Buffer.alloc(kMiB)))",
           "const all = []; for (;;) all.push(db.prepare(`SELECT 1 /*${'x'.repeat(kMiB)}*/`))",
           "db.exec(`SELECT 1 /*${'x'.repeat(16 * kMiB)}*/; CREATE TABLE t (a)`); db.exec(`CREATE "
           "TABLE u (a CHECK (a <> '${'x'.repeat(16 * kMiB)}'))`)",
           "db.prepare('SELECT zeroblob(16 << 20)').get()",
           "db.prepare('SELECT hex(zeroblob(6 << 20))').get()",
           "db.exec('PRAGMA temp_store = MEMORY; CREATE TEMP TABLE t (a)'); fill(db)",
           "db.exec('PRAGMA journal_mode = OFF; PRAGMA cache_size = -1000000'); fill(db)",
           "db.exec(\"ATTACH 'file:m?mode=memory&cache=shared' AS m; CREATE TABLE m.t (a)\"); "
           "fill(db)",
           "db.function('f', () => 'x'.repeat(16 * kMiB)); db.prepare('SELECT f()').get()",
           "db.function('f', () => Buffer.alloc(16 * kMiB)); db.prepare('SELECT f()').get()",
           "db.function('f', (a) => a.length); db.prepare('SELECT f(zeroblob(16 << 20))').get()",
           "db.prepare('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100) "
           "SELECT group_concat(hex(zeroblob(65536 + i))) FROM n').get()",
           "new Database(Buffer.alloc(16 * kMiB))",
           "db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(5 << 20))'); "
           "db.serialize()",
       }) {
    EXPECT_THAT(failureOf(attempt),
                AllOf(HasSubstr("SqliteError SQLITE_NOMEM the databases of the plugin hoarder use"),
                      HasSubstr(" 7\"")))
        << attempt;
  }
}

TEST_F(DatabaseMemoryTest, TheCacheOfAFileGivesWay) {
  EXPECT_EQ(resultOf("const db = svc.storage.database(); db.pragma('cache_size = -1000000');"
                     "fill(db); const sum = db.prepare('SELECT sum(length(a)) FROM t').pluck();"
                     "return [sum.get() / kMiB, db.prepare('SELECT count(*) FROM t').pluck().get(),"
                     "db.prepare('SELECT length(zeroblob(1 << 20))').pluck().get() / kMiB];"),
            "[16,64,1]");
}

TEST_F(DatabaseMemoryTest, NoPragmaGoesAroundTheAccount) {
  EXPECT_EQ(resultOf("const db = svc.storage.database(); db.exec('CREATE TABLE t (a)');"
                     "db.pragma('hard_heap_limit = 1'); db.pragma('soft_heap_limit = 1');"
                     "db.exec('INSERT INTO t VALUES (randomblob(100000))');"
                     "return [db.pragma('mmap_size = 1000000000', { simple: true }) ?? 0,"
                     "db.pragma('threads = 8') && db.pragma('threads', { simple: true }),"
                     "caught(() => db.pragma(\"temp_store_directory = '/tmp'\")),"
                     "db.pragma('temp_store_directory', { simple: true }) ?? ''];"),
            R"([0,0,"SqliteError SQLITE_ERROR not a writable directory",""])");
  void* other = sqlite3_malloc(1 << 20);
  EXPECT_NE(other, nullptr);
  sqlite3_free(other);
}

TEST_F(DatabaseMemoryTest, HeapLimitPragmasSayWhatHoldsAndReachNobodyElse) {
  EXPECT_EQ(resultOf("const db = new Database(':memory:'); const told = [];"
                     "for (const sql of ['hard_heap_limit = 1000000', 'Soft_Heap_Limit(1000000)',"
                     "'hard_heap_limit', 'soft_heap_limit']) {"
                     "told.push(Object.values(db.pragma(sql)[0])[0]); }"
                     "db.exec('PRAGMA soft_heap_limit = 1000000; /* */ pragma hard_heap_limit=1');"
                     "return told"),
            fmt::format("[{0},0,{0},0]", kLimit));
  EXPECT_EQ(sqlite3_soft_heap_limit64(-1), 0);
  EXPECT_EQ(sqlite3_hard_heap_limit64(-1), 0);
}

TEST_F(DatabaseMemoryTest, OpenFilesAreDescriptorsOfThePlugin) {
  const auto instance = running(
      "const db = svc.storage.database(); db.exec('CREATE TABLE IF NOT EXISTS t (a)');"
      "new Database(':memory:').exec('CREATE TABLE t (a)');"
      "return 'open'");
  EXPECT_EQ(text(call(instance, "run")), "\"open\"");
  EXPECT_EQ(held().descriptors, 2U) << "the database and its log";
  EXPECT_TRUE(terminate(instance));
  EXPECT_EQ(held().descriptors, 0U);
}

TEST_F(DatabaseMemoryTest, ConnectionsBeyondTheLimitAreRefusedByName) {
  const std::string copy = (folder.path() / "copy.db").string();
  EXPECT_EQ(
      resultOf("const open = () => new Database(':memory:');"
               "const all = [open(), open(), open(), open()]; const failures = [caught(open)];"
               "all[3].close(); all[0].exec('CREATE TABLE t (a)'); let early;"
               "await all[0].backup('" +
               copy +
               "', { progress: () => { failures.push(caught(open)); throw 1; } }).catch(() => {});"
               "return [failures[0], failures[0] === failures[1], caught(open)];"),
      R"(["SqliteError SQLITE_CANTOPEN the plugin hoarder has 4 database connections open, )"
      R"(the limit is 4: close those that it does not need any more",true,"fine"])");
}

TEST_F(DatabaseMemoryTest, GarbageDoesNotCount) {
  // Each holds more than a third of the room, and V8 sees only a small object.
  EXPECT_EQ(resultOf("let sum = 0; for (let i = 0; i < 20; i++) {"
                     "  const db = new Database(':memory:');"
                     "  db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(3 << 20))');"
                     "  sum += db.prepare('SELECT count(*) FROM t').pluck().get();"
                     "  await new Promise((resolve) => setImmediate(resolve));"
                     "} return sum;"),
            "20");
}

TEST_F(DatabaseMemoryTest, TheFiguresOfTheEnvironmentSayWhatIsHeld) {
  const auto instance = create(std::string(kNames) + "const all = [];" +
                               handler("open",
                                       "const db = new Database(':memory:'); all.push(db);"
                                       "db.exec('CREATE TABLE t (a); INSERT INTO t VALUES "
                                       "(zeroblob(1 << 20))');") +
                               handler("close", "all.forEach((db) => db.close());"));
  ASSERT_TRUE(call(instance, "open").ok());
  ASSERT_TRUE(call(instance, "open").ok());
  EXPECT_GT(instance->stats().database_bytes, 2UL << 20);
  EXPECT_LT(instance->stats().database_bytes, 3UL << 20);
  EXPECT_EQ(instance->stats().database_connections, 2U);
  ASSERT_TRUE(call(instance, "close").ok());
  EXPECT_LT(instance->stats().database_bytes, 1UL << 20);
  EXPECT_EQ(instance->stats().database_connections, 0U);
}

TEST_F(DatabaseMemoryTest, TheEndGivesEverythingBack) {
  const auto instance = running(std::string(kTools) +
                                "globalThis.kept = [new Database(':memory:'), "
                                "svc.storage.database()]; caught(() => fill(kept[0]));");
  ASSERT_TRUE(call(instance, "run").ok());
  EXPECT_GT(held().database_bytes, kLimit / 2);
  EXPECT_TRUE(terminate(instance));
  EXPECT_EQ(held().database_bytes, 0U);
  EXPECT_EQ(held().database_connections, 0U);
}

}  // namespace
}  // namespace svc::database
