// What a plugin pays for SQLite: the same statements from JavaScript and from C++, in one process, one after the other.
// Prints microseconds for each operation and the ratio. Usage: database_bench <share folder>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include "svc/common/json.h"
#include "svc/common/limits/plugins.h"

#include "database_part.h"
#include "memory_account.h"
#include "runtime.h"

namespace {

using namespace svc;

constexpr int kRows = 100'000;
constexpr int kCommits = 20'000;
constexpr int kRounds = 5;

constexpr const char* kSchema =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; DROP TABLE IF EXISTS t;"
    "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, score REAL, note TEXT)";
constexpr const char* kInsert = "INSERT INTO t (name, score, note) VALUES (?, ?, ?)";
constexpr const char* kSelect = "SELECT id, name, score, note FROM t WHERE id = ?";
constexpr const char* kSelectAll = "SELECT id, name, score, note FROM t";

struct Times {
  double insert = 0;
  double commit = 0;
  double get = 0;
  double all = 0;
};

double microseconds(int count, const std::function<void()>& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  return took.count() / count;
}

class Statement {
 public:
  Statement(sqlite3* db, const char* sql) { sqlite3_prepare_v2(db, sql, -1, &handle_, nullptr); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(handle_); }
  void insert(int number) const {
    const auto name = "name " + std::to_string(number);
    sqlite3_bind_text(handle_, 1, name.c_str(), static_cast<int>(name.size()), SQLITE_TRANSIENT);
    sqlite3_bind_double(handle_, 2, number * 0.5);
    sqlite3_bind_text(handle_, 3, "a short note", -1, SQLITE_STATIC);
    sqlite3_step(handle_);
    sqlite3_reset(handle_);
  }
  /// Reads what is there; how many rows.
  [[nodiscard]] int read() const {
    int rows = 0;
    for (; sqlite3_step(handle_) == SQLITE_ROW; ++rows) {
      static_cast<void>(sqlite3_column_int64(handle_, 0));
      static_cast<void>(sqlite3_column_text(handle_, 1));
      static_cast<void>(sqlite3_column_double(handle_, 2));
      static_cast<void>(sqlite3_column_text(handle_, 3));
    }
    sqlite3_reset(handle_);
    return rows;
  }
  void get(int id) const {
    sqlite3_bind_int(handle_, 1, id);
    static_cast<void>(read());
  }

 private:
  sqlite3_stmt* handle_ = nullptr;
};

Times measureSqlite(const std::string& path) {
  sqlite3* db = nullptr;
  sqlite3_open_v2(path.c_str(), &db,
                  SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  sqlite3_exec(db, kSchema, nullptr, nullptr, nullptr);
  Times result;
  {
    const Statement insert(db, kInsert);
    const Statement select(db, kSelect);
    const Statement select_all(db, kSelectAll);
    result.insert = microseconds(kRows, [&] {
      sqlite3_exec(db, "BEGIN", nullptr, nullptr, nullptr);
      for (int i = 0; i < kRows; ++i) {
        insert.insert(i);
      }
      sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr);
    });
    result.get = microseconds(kRows, [&] {
      for (int i = 1; i <= kRows; ++i) {
        select.get(i);
      }
    });
    result.all = microseconds(kRows, [&] { static_cast<void>(select_all.read()); });
    result.commit = microseconds(kCommits, [&] {
      for (int i = 0; i < kCommits; ++i) {
        insert.insert(i);
      }
    });
  }
  sqlite3_close(db);
  return result;
}

/// The same in JavaScript; answers the four numbers as JSON.
std::string scriptText() {
  return std::string(R"(exports.default = (runtime, api) => {
  const [rows, commits] = [)") +
         std::to_string(kRows) + ", " + std::to_string(kCommits) + R"(];
  const measure = (count, body) => {
    const begin = performance.now();
    body();
    return ((performance.now() - begin) * 1000) / count;
  };
  runtime.handle('measure', () => {
    const db = api.svc.storage.database();
    db.exec(')" +
         kSchema + R"(');
    const insert = db.prepare(')" +
         kInsert + R"(');
    const select = db.prepare(')" +
         kSelect + R"(');
    const selectAll = db.prepare(')" +
         kSelectAll + R"(');
    const fill = (count) => {
      for (let i = 0; i < count; i++) insert.run('name ' + i, i * 0.5, 'a short note');
    };
    const result = [
      measure(rows, () => db.transaction(fill)(rows)),
      measure(commits, () => {}),
      measure(rows, () => { for (let i = 1; i <= rows; i++) select.get(i); }),
      measure(rows, () => selectAll.all()),
    ];
    result[1] = measure(commits, () => fill(commits));
    return JSON.stringify(result);
  });
};)";
}

constexpr const char* kApi = R"(exports.default = (runtime, api) => Object.assign(api, {
  svc: { storage: {} }, guard: (member, fn) => fn, setRegistration() {},
});)";

class Silent final : public script::IScriptObserver {
 public:
  void onUncaughtError(const script::ScriptError&, const std::string&) override {}
  void onConsole(const std::string&, const std::string&) override {}
  void onStall(std::chrono::milliseconds, const std::string&) override {}
  void onEnded(const script::Termination&) override {}
};

Times measureScript(const std::shared_ptr<script::IScriptInstance>& instance) {
  std::promise<Result<std::string>> answered;
  instance->invoke(
      {.function = "measure", .meta = "", .body = ""},
      [&answered](Result<std::string> answer) { answered.set_value(std::move(answer)); });
  const auto answer = answered.get_future().get();
  if (!answer) {
    std::fprintf(stderr, "%s\n", answer.error().message.c_str());
    std::exit(1);  // NOLINT(concurrency-mt-unsafe)
  }
  const auto json = common::Json::parse(answer.value());
  const auto& numbers = json.value().items();
  return {numbers[0].asNumber(), numbers[1].asNumber(), numbers[2].asNumber(),
          numbers[3].asNumber()};
}

void print(const char* what, const std::vector<Times>& script, const std::vector<Times>& native,
           double Times::*member) {
  const auto median = [member](std::vector<Times> results) {
    std::sort(results.begin(), results.end(), [member](const Times& left, const Times& right) {
      return left.*member < right.*member;
    });
    return results.at(results.size() / 2).*member;
  };
  const auto ours = median(script);
  const auto raw = median(native);
  std::printf("%-28s %8.2f us %8.2f us %6.2f\n", what, ours, raw, ours / raw);
}

}  // namespace

[[gnu::visibility("default")]] int main(int argc, char** argv) {
  std::string folder = "/tmp/svc-database-bench-XXXXXX";
  if (argc != 2 || mkdtemp(folder.data()) == nullptr) {
    std::fprintf(stderr, "usage: database_bench <share folder>\n");
    return 2;
  }
  if (!database::MemoryAccount::install()) {
    return 1;
  }
  std::filesystem::create_directories(folder + "/plugins");
  const auto part = database::databasePart(folder);
  const auto text = scriptText();
  script::InstanceOptions options;
  options.name = "bench";
  options.root = folder;
  options.parts = {{"api", kApi}, {part.name, part.script}, {"bench", text}};
  options.functions = part.functions({});
  options.limits.database_bytes = limits::kPluginDatabaseMiB << 20U;
  options.natives = part.natives({}, options.limits);
  options.observer = std::make_shared<Silent>();
  options.limits.watchdog = options.limits.terminate = std::chrono::minutes(10);
  jsruntime::Runtime runtime({.share = argv[1], .keep_spare = false});
  std::promise<std::shared_ptr<script::IScriptInstance>> created;
  runtime.create(std::move(options),
                 [&created](Result<std::shared_ptr<script::IScriptInstance>> instance) {
                   created.set_value(instance ? std::move(instance).value() : nullptr);
                 });
  const auto instance = created.get_future().get();
  if (!instance) {
    return 1;
  }
  std::vector<Times> script;
  std::vector<Times> native;
  for (int round = 0; round < kRounds; ++round) {
    script.push_back(measureScript(instance));
    native.push_back(measureSqlite(folder + "/raw.db"));
  }
  std::printf("%-28s %11s %11s %6s\n", "", "plugin", "SQLite", "ratio");
  print("insert in a transaction", script, native, &Times::insert);
  print("insert, each committed", script, native, &Times::commit);
  print("get by key, 4 columns", script, native, &Times::get);
  print("all(), each row", script, native, &Times::all);
  runtime.shutDown(std::chrono::seconds(5));
  std::filesystem::remove_all(folder);
  return 0;
}
