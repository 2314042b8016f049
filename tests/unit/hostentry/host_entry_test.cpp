// Built host entries in the real runtime, over the real socket.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <thread>

#include <gmock/gmock.h>

#include "svc/hostworkers/worker_protocol.h"

#include "databases.h"
#include "runtime.h"
#include "shared_code.h"
#include "worker_session.h"

namespace svc::hostentry {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kFrame = R"js(
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const entry = (handlers, more = {}) => ({ experimental_apiVersion: 1, handlers, experimental_signals: {}, ...more,
  contract: Object.fromEntries(Object.keys(handlers).map((name) => [name, { input: any, output: any }])) });
)js";

class HostEntryTest : public ::testing::Test {
 protected:
  HostEntryTest() {
    jsruntime::shareCompiledScripts();
    std::string pattern = (std::filesystem::temp_directory_path() / "svc-entry-XXXXXX").string();
    folder_ = std::filesystem::canonical(::mkdtemp(pattern.data()));
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    daemon_ = ends[0];
    worker_ = ends[1];
    const timeval patience{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(daemon_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~HostEntryTest() override {
    send(R"({"type":"dispose"})");
    while (nextLine() != "nothing" && !ended()) {
    }
    ::shutdown(daemon_, SHUT_RDWR);
    // The socket, which holds the session, hears that nobody is there.
    session_.reset();
    io_.stop();
    thread_.join();
    io_.restart();
    io_.run_for(2 * DaemonSocket::kPatience);
    ::close(daemon_);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  /// Begins with an entry that is written as JavaScript, and gives what the worker says first.
  std::string begin(std::string_view script, std::size_t heap_mib = 128) {
    const auto file = folder_ / "host.mjs";
    std::ofstream(file) << kFrame << script;
    WorkerOptions options{worker_, "todo", "g1", file, folder_, folder_, heap_mib * 1024 * 1024};
    options.natives.push_back({"database", std::make_shared<database::Databases>()});
    session_ = std::make_shared<WorkerSession>(
        std::move(options),
        WorkerSession::Surroundings{runtime_, io_,
                                    [this](bool error, std::string_view line) {
                                      const std::scoped_lock lock(mutex_);
                                      printed_.push_back((error ? "err: " : "out: ") +
                                                         std::string(line));
                                    },
                                    [this](WorkerEnd end) {
                                      const std::scoped_lock lock(mutex_);
                                      end_ = end;
                                      ::shutdown(daemon_, SHUT_RDWR);
                                    }});
    session_->start();
    thread_ = std::thread([this] {
      auto work = boost::asio::make_work_guard(io_);
      io_.run();
    });
    return nextLine();
  }
  void send(const std::string& line) {
    const auto text = line + "\n";
    (void)::send(daemon_, text.data(), text.size(), MSG_NOSIGNAL);
  }
  std::string nextLine() {
    for (;;) {
      if (const auto end = received_.find('\n'); end != std::string::npos) {
        auto line = received_.substr(0, end);
        received_.erase(0, end + 1);
        return line;
      }
      std::array<char, 4096> chunk{};
      const auto count = ::recv(daemon_, chunk.data(), chunk.size(), 0);
      if (count <= 0) {
        return "nothing";
      }
      received_.append(chunk.data(), static_cast<std::size_t>(count));
    }
  }
  std::string call(const std::string& method, const std::string& input = "null") {
    send(R"({"type":"call","callId":"1","method":")" + method + R"(","input":)" + input + "}");
    return nextLine();
  }
  static std::string result(const std::string& output) {
    return R"({"type":"result","callId":"1","ok":true,"output":)" + output + "}";
  }
  bool ended() {
    const std::scoped_lock lock(mutex_);
    return end_.has_value();
  }
  std::vector<std::string> printed() {
    const std::scoped_lock lock(mutex_);
    return printed_;
  }
  static inline const std::string kReady =
      R"({"type":"ready","protocolVersion":2,"pluginId":"todo","generation":"g1"})";

  std::filesystem::path folder_;
  int daemon_ = -1;
  int worker_ = -1;
  std::string received_;
  std::mutex mutex_;
  std::vector<std::string> printed_;
  std::optional<WorkerEnd> end_;
  // Outlives the environments, whose last words are posted to it.
  boost::asio::io_context io_{1};
  jsruntime::Runtime runtime_{
      jsruntime::RuntimeOptions{.share = SVC_TEST_SHARE, .keep_spare = false, .log = nullptr}};
  std::shared_ptr<WorkerSession> session_;
  std::thread thread_;
};

TEST_F(HostEntryTest, AnswersCalls) {
  ASSERT_EQ(begin("export default entry({ double: (n) => n * 2, nothing: () => undefined });"),
            kReady);
  EXPECT_EQ(call("double", "21"), result("42"));
  EXPECT_EQ(call("nothing"), R"({"type":"result","callId":"1","ok":true})");
  EXPECT_THAT(call("else"), HasSubstr(R"("code":"unknown_method")"));
}

TEST_F(HostEntryTest, AModuleThatThrowsTellsWhere) {
  EXPECT_THAT(
      begin("\nthrow new RangeError('at load');"),
      AllOf(HasSubstr("startup-error"), HasSubstr("RangeError: at load"), HasSubstr("host.mjs:6")));
}

TEST_F(HostEntryTest, SeesTheModulesOfNode22) {
  ASSERT_EQ(begin(R"js(
import { styleText } from "node:util";
import process from "node:process";
import { createRequire } from "node:module";
export default entry({ kinds: async () => [typeof styleText, typeof (await import("util")).parseEnv,
  typeof createRequire(import.meta.url)("node:sqlite").DatabaseSync, typeof process.getBuiltinModule("node:sqlite").backup,
  typeof Promise.withResolvers, typeof WebSocket, typeof (await import("node:sea")).isSea,
  typeof (await import("trace_events")).createTracing] });)js"),
            kReady);
  EXPECT_EQ(call("kinds"), result(R"(["function","function","function","function","function",)"
                                  R"("function","function","function"])"));
}

TEST_F(HostEntryTest, HasADatabase) {
  ASSERT_EQ(begin(R"js(
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
export default entry({ run: async (_input, { experimental_paths: { dataDir } }) => {
  const db = new DatabaseSync(join(dataDir, "x.db"));
  db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE, data BLOB)");
  const insert = db.prepare("INSERT INTO t (name, data) VALUES ($name, ?)");
  const pair = ({ lastInsertRowid, changes }) => [lastInsertRowid, changes];
  const out = [pair(insert.run({ $name: "a" }, new Uint8Array([1, 2]))), pair(insert.run({ name: "b" }))];
  const rows = db.prepare("SELECT * FROM t ORDER BY id").all();
  out.push(Object.getPrototypeOf(rows[0]), rows.map(({ id, name, data }) => [id, name, data && [...data], data?.constructor.name ?? null]));
  out.push(db.prepare("SELECT name FROM t WHERE id = ?").get(2).name, db.prepare("SELECT 1 WHERE 0").get() ?? "none");
  out.push([...db.prepare("SELECT id FROM t").iterate()].length, db.prepare("DELETE FROM t RETURNING id").run().changes);
  db.function("twice", (value) => value * 2);
  out.push(db.prepare("SELECT twice(21) AS x").get().x);
  try { insert.run({ name: "c" }); insert.run({ name: "c" }); } catch (error) { out.push([error.code, error.errcode, error.message]); }
  const big = db.prepare("SELECT 9007199254740993 AS x"); big.setReadBigInts(true); out.push(String(big.get().x));
  db.close();
  out.push(db.isOpen);
  try { db.exec("SELECT 1"); } catch (error) { out.push(error.code); }
  return out;
} });)js"),
            kReady);
  EXPECT_EQ(call("run"),
            result(R"([[1,1],[2,1],null,)"
                   R"([[1,"a",[1,2],"Uint8Array"],[2,"b",null,null]],"b","none",2,2,42,)"
                   R"(["ERR_SQLITE_ERROR",2067,"UNIQUE constraint failed: t.name"],)"
                   R"("9007199254740993",false,"ERR_INVALID_STATE"])"));
}

TEST_F(HostEntryTest, FailuresOutsideOfCallsArePrintedAndNothingElse) {
  // Timers of one delay fire in their order: the call goes on right behind the one that throws.
  ASSERT_EQ(begin(R"js(export default entry({
  fail: async () => { setTimeout(() => { throw new Error("in a timer"); }, 0); Promise.reject(new Error("detached"));
    await new Promise((resolve) => setTimeout(resolve, 0)); console.error("printed"); return "goes on"; } });)js"),
            kReady);
  EXPECT_EQ(call("fail"), result(R"("goes on")"));
  EXPECT_THAT(printed(), Contains(HasSubstr("err: \x1eUncaught: Error: in a timer")));
  EXPECT_THAT(printed(), Contains(HasSubstr("err: \x1eUnhandled rejection: Error: detached")));
  EXPECT_THAT(printed(), Contains("err: \x1eprinted"));
}

TEST_F(HostEntryTest, NativeAddonsAreRefused) {
  std::ofstream(folder_ / "x.node") << "x";
  ASSERT_EQ(begin(R"js(import { createRequire } from "node:module";
export default entry({ load: () => createRequire(import.meta.url)("./x.node") });)js"),
            kReady);
  EXPECT_THAT(call("load"), HasSubstr("ERR_DLOPEN_FAILED"));
}

TEST_F(HostEntryTest, TheVariablesOfTheRuntimeAreNotThoseOfTheEntry) {
  ::setenv("UV_THREADPOOL_SIZE", "8", 1);
  ASSERT_EQ(begin("export default entry({ names: () => Object.keys(process.env) });"), kReady);
  EXPECT_THAT(call("names"), Not(HasSubstr("UV_THREADPOOL_SIZE")));
}

TEST_F(HostEntryTest, AHandlerThatEndsTheProcessIsTheEnd) {
  ASSERT_EQ(begin("export default entry({ exit: () => process.exit(9) });"), kReady);
  EXPECT_EQ(call("exit"), "nothing");
  ASSERT_TRUE(ended());
  EXPECT_EQ(end_->code, 9);
}

TEST_F(HostEntryTest, TheHeapHasALimit) {
  ASSERT_EQ(begin(R"js(export default entry({ fill: async () => { const kept = [];
  for (;;) { kept.push(Array.from({ length: 100000 }, (_, index) => `${index} of ${kept.length}`)); await null; } } });)js",
                  32),
            kReady);
  EXPECT_EQ(call("fill"), "nothing");
  ASSERT_TRUE(ended());
  EXPECT_EQ(end_->code, hostworkers::kHeapLimitExit);
}

}  // namespace
}  // namespace svc::hostentry
