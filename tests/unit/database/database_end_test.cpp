// What becomes of connections and running statements when an environment, or only an object of it, ends.
#include <algorithm>

#include <sqlite3.h>

#include "database_fixture.h"
#include "text.h"

namespace svc::database {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// A statement that does not end by itself.
constexpr const char* kEndless =
    "'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'";

class DatabaseEndTest : public DatabaseFixture {
 protected:
  /// How many descriptors this process has open on files of the test.
  [[nodiscard]] long openFiles() const {
    const auto entries = fs::directory_iterator("/proc/self/fd");
    return std::count_if(fs::begin(entries), fs::end(entries),
                         [this](const fs::directory_entry& entry) {
                           std::error_code ignored;
                           return fs::read_symlink(entry.path(), ignored)
                               .string()
                               .starts_with(folder.path().string());
                         });
  }
  /// Starts `body` and waits until it has called `begun()`.
  Instance started(const std::string& body) {
    auto instance = create(std::string(kNames) + "const begun = () => console.log('begun');\n" +
                           handler("run", body));
    running_ = start(instance, "run");
    observer->waitFor([](const auto& seen) { return !seen.lines.empty(); });
    return instance;
  }
  std::string answer() {
    return running_.wait_for(jsruntime::kTooLong) == std::future_status::ready
               ? text(running_.get())
               : "no answer";
  }

 private:
  std::future<Result<std::string>> running_;
};

TEST_F(DatabaseEndTest, TerminationInterruptsAStatement) {
  const auto instance = started(std::string("const db = svc.storage.database(); begun();"
                                            "db.prepare(") +
                                kEndless + ").get();");
  EXPECT_TRUE(terminate(instance));
  EXPECT_THAT(answer(), HasSubstr("plugin_not_running"));
  EXPECT_EQ(openFiles(), 0);
}

TEST_F(DatabaseEndTest, TerminationInterruptsAScript) {
  const auto instance = started(std::string("const db = svc.storage.database(); begun();"
                                            "for (;;) { try { db.exec(") +
                                kEndless + ") } catch {} }");
  EXPECT_TRUE(terminate(instance));
  EXPECT_EQ(openFiles(), 0);
}

TEST_F(DatabaseEndTest, AHeapThatIsFullKeepsNeitherFileNorMemory) {
  options.limits.heap_bytes = 24UL << 20;
  const auto instance = started(
      "const db = svc.storage.database(); db.function('f', () => 1);"
      "db.exec('CREATE TABLE t (a); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');"
      "const open = db.prepare('SELECT a FROM t').iterate(); open.next();"
      "begun(); new Array(1e9).fill(0).length;");
  EXPECT_EQ(observer->waitForEnd().reason, script::TerminationReason::kHeapLimit);
  EXPECT_EQ(openFiles(), 0);
  EXPECT_EQ(instance->stats().database_bytes, 0U);
}

TEST_F(DatabaseEndTest, TheWatchdogEndsAStatement) {
  // Long enough for the start of the environment on a machine that is busy.
  options.limits.watchdog = std::chrono::milliseconds(1'000);
  options.limits.terminate = std::chrono::milliseconds(100);
  const auto instance = started(std::string("const db = svc.storage.database(); begun();"
                                            "db.prepare(") +
                                kEndless + ").all();");
  EXPECT_EQ(observer->waitForEnd().reason, script::TerminationReason::kWatchdog);
  EXPECT_TRUE(terminate(instance));
  EXPECT_EQ(openFiles(), 0);
}

TEST_F(DatabaseEndTest, TerminationEndsTheWaitForALock) {
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "PRAGMA journal_mode = WAL; CREATE TABLE t (a); BEGIN IMMEDIATE",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  const auto instance = started(
      "const db = svc.storage.database(); db.pragma('busy_timeout = 600000');"
      "begun(); db.exec('INSERT INTO t VALUES (1)');");
  EXPECT_TRUE(terminate(instance));
  sqlite3_close(other);
  EXPECT_EQ(openFiles(), 0);
}

TEST_F(DatabaseEndTest, TerminationEndsAFunctionCalledBySql) {
  const auto instance = started(
      "const db = svc.storage.database();"
      "db.function('spin', () => { begun(); for (;;); });"
      "db.prepare('SELECT spin()').get();");
  EXPECT_TRUE(terminate(instance));
  EXPECT_EQ(openFiles(), 0);
}

TEST_F(DatabaseEndTest, TheEndClosesWhatIsInUse) {
  const auto instance = running(R"(
    const db = svc.storage.database();
    db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)');
    db.aggregate('fold', { start: () => [], step: (list, a) => { list.push(a); }, result: String });
    globalThis.kept = [db.prepare('SELECT fold(a) FROM t GROUP BY a').iterate(), new Database(':memory:')];
    globalThis.kept[0].next();
    db.backup(')" + (folder.path() / "copy.db").string() +
                                R"(', { progress: () => 0 }).catch(() => {});
    db.prepare('SELECT 1').iterate().return();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  )");
  ASSERT_TRUE(call(instance, "run").ok());
  EXPECT_GT(openFiles(), 0);
  EXPECT_TRUE(terminate(instance));
  EXPECT_EQ(openFiles(), 0);
}

TEST_F(DatabaseEndTest, AnOpenTransactionIsRolledBack) {
  const auto instance = running(R"(
    const db = svc.storage.database();
    db.exec('CREATE TABLE t (a); BEGIN; INSERT INTO t VALUES (1)');
  )");
  ASSERT_TRUE(call(instance, "run").ok());
  EXPECT_TRUE(terminate(instance));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &other), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(
                other, "BEGIN IMMEDIATE; SELECT a FROM t; COMMIT",
                [](void*, int, char**, char**) { return 1; }, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(other);
}

TEST_F(DatabaseEndTest, ProcessExitClosesAConnectionInUse) {
  const auto instance = started(
      "const db = svc.storage.database();"
      "db.function('leave', () => { begun(); process.exit(3); });"
      "db.prepare('SELECT leave()').get();");
  EXPECT_EQ(observer->waitForEnd().exit_code, 3);
  EXPECT_TRUE(terminate(instance));
  EXPECT_EQ(openFiles(), 0);
}

/// `collect(done)` runs the garbage collector until `done()`, or gives up.
constexpr const char* kCollect = R"(
  const { gc } = runtime.native('collector');
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const collect = async (done) => {
    // What a WeakRef was asked for stays until the end of the turn.
    for (let i = 0; i < 100 && !done(); i++) { await turn(); gc(); await turn(); }
    return done();
  };
)";

class Collector final : public script::INativeExtension {
 public:
  void install(v8::Isolate* /*isolate*/, v8::Local<v8::Context> context,
               v8::Local<v8::Object> exports) override {
    const auto gc = v8::Function::New(context, [](const v8::FunctionCallbackInfo<v8::Value>& info) {
                      info.GetIsolate()->LowMemoryNotification();
                    }).ToLocalChecked();
    exports->Set(context, literal(context->GetIsolate(), "gc"), gc).Check();
  }
  void interrupt() override {}
  void close() override {}
};

class DatabaseCollectionTest : public DatabaseEndTest {
 protected:
  DatabaseCollectionTest() {
    options.natives.push_back({"collector", std::make_shared<Collector>()});
  }
};

TEST_F(DatabaseCollectionTest, AConnectionThatNobodyHasIsClosed) {
  const auto path = (folder.path() / "lost.db").string();
  const auto instance = create(kNames + handler("run", std::string(kCollect) + R"(
    const { readdirSync, readlinkSync } = require('fs');
    const link = (fd) => { try { return readlinkSync('/proc/self/fd/' + fd); } catch { return ''; } };
    const open = () => readdirSync('/proc/self/fd').filter((fd) => link(fd).startsWith(text)).length;
    (() => { const db = new Database(text); db.exec('CREATE TABLE t (a)'); db.prepare('SELECT a FROM t').all(); })();
    const before = open();
    const after = await collect(() => { svc.storage.database().prepare('SELECT 1'); return open() === 0; });
    return JSON.stringify([before > 0, after]);
  )"));
  EXPECT_EQ(text(call(instance, "run", path)), "[true,true]");
}

TEST_F(DatabaseCollectionTest, AnIteratorThatNobodyHasReleasesTheConnection) {
  const auto instance = create(kNames + handler("run", std::string(kCollect) + R"(
    const db = svc.storage.database();
    db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)');
    (() => { db.prepare('SELECT a FROM t').iterate().next(); })();
    const writable = () => { try { db.exec('DELETE FROM t'); return true; } catch { return false; } };
    return JSON.stringify([writable(), await collect(writable)]);
  )"));
  EXPECT_EQ(text(call(instance, "run")), "[false,true]");
}

TEST_F(DatabaseCollectionTest, ADatabaseThatKeepsItsStatementsIsCollected) {
  const auto path = (folder.path() / "cycle.db").string();
  const auto instance = create(kNames + handler("run", std::string(kCollect) + R"(
    const held = (() => {
      const db = new Database(text);
      db.cached = db.prepare('SELECT 1');
      db.transactions = db.transaction(() => db.cached.get());
      db.transactions();
      return new WeakRef(db);
    })();
    return JSON.stringify(await collect(() => held.deref() === undefined));
  )"));
  EXPECT_EQ(text(call(instance, "run", path)), "true");
}

TEST_F(DatabaseEndTest, AFunctionThatHoldsItsDatabaseGoesWithTheEnvironment) {
  const auto instance = running(
      "const db = svc.storage.database(); db.function('f', () => db.open);"
      "return db.prepare('SELECT 1').pluck().get();");
  EXPECT_EQ(text(call(instance, "run")), "1");
  EXPECT_TRUE(terminate(instance));
  EXPECT_EQ(openFiles(), 0);
}

}  // namespace
}  // namespace svc::database
