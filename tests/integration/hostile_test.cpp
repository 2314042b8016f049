// Plugins that do every wrong thing at once, beside good ones: none of the good ones fails a call, and each culprit's
// record names what it did.
#include <atomic>
#include <fstream>
#include <iterator>
#include <thread>

#include <Poco/Exception.h>

#include "harness/server.h"

namespace svc::test {
namespace {

using common::Json;
using ::testing::HasSubstr;

constexpr const char* kModules =
    "storage-memory,http,jsruntime,plugins,rpc,realtime,cli,metrics,installs";

std::string hostileSource() {
  std::ifstream file(std::filesystem::path(SVC_TEST_SOURCE_DIR) /
                     "tests/fixtures/hostile/server.ts");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Calls one plugin after another on a connection of its own until it is stopped.
class Calls {
 public:
  Calls(std::uint16_t port, std::vector<std::string> plugins)
      : thread_([this, port, plugins = std::move(plugins)] { run(port, plugins); }) {}
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  ~Calls() { stop(); }

  void stop() {
    stopping_ = true;
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  [[nodiscard]] int made() const { return made_; }
  /// Valid after stop().
  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }

 private:
  void run(std::uint16_t port, const std::vector<std::string>& plugins) {
    try {
      Http http(port);
      while (!stopping_) {
        for (const auto& plugin : plugins) {
          const auto answer = http.rpc(plugin, "get");
          ++made_;
          if (answer.body != R"({"ok":true,"result":"good"})") {
            failures_.push_back(plugin + ": " + answer.body);
          }
        }
      }
    } catch (const Poco::Exception& failure) {
      failures_.push_back(failure.displayText());
    }
  }

  std::atomic<bool> stopping_ = false;
  std::atomic<int> made_ = 0;
  std::vector<std::string> failures_;
  std::thread thread_;
};

/// Processes of the whole system that were started with this argument.
std::size_t processesWith(const std::string& argument) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    for (std::string word; std::getline(file, word, '\0');) {
      count += word == argument ? 1 : 0;
    }
  }
  return count;
}

class HostileTest : public ::testing::Test {
 protected:
  explicit HostileTest(std::vector<std::string> limits = {"--plugins.heapMiB", "96"})
      : server(kModules, std::move(limits)) {
    for (int at = 1; at <= 5; ++at) {
      const auto id = "good-" + std::to_string(at);
      directories.push_back(std::make_unique<PluginDir>(id, answering(R"("good")")));
      EXPECT_EQ(server.install(directories.back()->path())["status"].asString(), "running");
      good.push_back(id);
    }
    calls.emplace(server.port(), good);
  }
  void TearDown() override {
    calls->stop();
    EXPECT_THAT(calls->failures(), ::testing::IsEmpty());
    EXPECT_GT(calls->made(), 0);
    const auto answer = server.http().get("/healthz");
    EXPECT_EQ(answer.status, 200);
    for (const auto& id : good) {
      const auto record = server.record(id);
      EXPECT_EQ(record["status"].asString(), "running") << record.dump();
      EXPECT_EQ(record["counters"]["terminations"].asInteger(), 0) << record.dump();
      EXPECT_TRUE(record["lastError"].isNull()) << record.dump();
    }
  }

  void install(const std::string& crime) {
    directories.push_back(std::make_unique<PluginDir>(crime, hostileSource()));
    EXPECT_EQ(server.install(directories.back()->path())["status"].asString(), "running") << crime;
  }
  Answer commit(const std::string& crime) const { return server.rpc(crime, "misbehave"); }
  struct Culprit {
    const char* id;
    const char* message;
  };
  /// All at once; each record says what its plugin did.
  void expectTerminations(const std::vector<Culprit>& culprits) {
    for (const auto& culprit : culprits) {
      install(culprit.id);
    }
    std::vector<std::thread> threads;
    for (const auto& culprit : culprits) {
      threads.emplace_back([this, id = culprit.id] { static_cast<void>(commit(id)); });
    }
    for (auto& thread : threads) {
      thread.join();
    }
    for (const auto& [id, message] : culprits) {
      const auto record = server.awaitRecord(
          id, [](const Json& r) { return r["counters"]["terminations"].asInteger() == 1; });
      EXPECT_THAT(record["lastError"]["message"].asString(), HasSubstr(message)) << id;
    }
  }
  /// What ended by force is loaded again.
  void expectComesBack(const std::string& crime) {
    server.awaitRecord(crime, [](const Json& r) { return r["status"].asString() == "running"; });
    expectAnswers(crime);
  }
  void expectAnswers(const std::string& crime) const {
    EXPECT_EQ(server.rpc(crime, "answer").body, R"({"ok":true,"result":"fine"})") << crime;
  }

  Server server;
  std::vector<std::unique_ptr<PluginDir>> directories;
  std::vector<std::string> good;
  std::optional<Calls> calls;
};

/// Loops are ended soon.
class EndlessTest : public HostileTest {
 protected:
  EndlessTest() : HostileTest({"--plugins.watchdogMs", "1000", "--plugins.terminateMs", "3000"}) {}
};

TEST_F(EndlessTest, NamesThePlaceThatBlocksAndLoadsThePluginAgain) {
  const std::vector<Culprit> culprits{
      {"endless-loop", "the event loop did not answer"},
      {"endless-microtasks", "the event loop did not answer"},
      {"endless-regexp", "the event loop did not answer"},
  };
  expectTerminations(culprits);
  EXPECT_THAT(server.record("endless-loop")["lastError"]["stack"].asString(),
              HasSubstr("server.ts:"));
  for (const auto& culprit : culprits) {
    expectComesBack(culprit.id);
  }
}

TEST_F(HostileTest, TerminatesOnlyTheCulpritsAndNamesWhatTheyDid) {
  expectTerminations({
      {"heap-bomb", "the JavaScript heap reached its limit of 96 MiB"},
      {"buffer-bomb", "the memory of Buffers reached its limit of 192 MiB"},
      {"exits", "the plugin called process.exit(7)"},
      {"aborts", "the plugin called process.abort()"},
      {"kills-itself", "the plugin sent SIGTERM to its own process"},
      {"signals-its-group", "the plugin sent SIGTERM to its own process"},
  });
  for (const char* id : {"heap-bomb", "buffer-bomb"}) {
    expectComesBack(id);
  }
  for (const char* id : {"exits", "aborts", "kills-itself", "signals-its-group"}) {
    EXPECT_EQ(server.record(id)["status"].asString(), "error") << id;
  }
  const auto top = server.http().get("/api/v1/plugins/top").json["plugins"];
  for (const auto& row : top.items()) {
    EXPECT_EQ(row["restarts"].asInteger() > 0, row["id"].asString().ends_with("-bomb"))
        << row.dump();
  }
}

TEST_F(HostileTest, CountsWhatFailsOutsideOfCalls) {
  install("throwing-timers");
  install("many-rejections");
  EXPECT_EQ(commit("throwing-timers").status, 200);
  EXPECT_EQ(commit("many-rejections").status, 200);
  const auto timers = server.awaitRecord("throwing-timers", [](const Json& r) {
    return r["counters"]["outOfBandErrors"].asInteger() == 10'000;
  });
  EXPECT_THAT(timers["lastError"]["message"].asString(), HasSubstr("one of many timers"));
  const auto rejections = server.awaitRecord("many-rejections", [](const Json& r) {
    return r["counters"]["outOfBandErrors"].asInteger() == 1000;
  });
  EXPECT_EQ(rejections["lastError"]["source"].asString(), "rejection");
  expectAnswers("throwing-timers");
  expectAnswers("many-rejections");
}

TEST_F(HostileTest, KeepsTheProcessFromHarm) {
  for (const char* crime : {"kills-from-worker", "deep-recursion", "closes-standard-streams",
                            "changes-process", "output-flood"}) {
    install(crime);
  }
  EXPECT_EQ(commit("kills-from-worker").json["result"].asInteger(), 137);
  EXPECT_EQ(commit("deep-recursion").code(), "handler_error");
  EXPECT_EQ(server.record("deep-recursion")["lastError"]["source"].asString(), "rpc:misbehave");
  EXPECT_EQ(commit("closes-standard-streams").status, 200);
  EXPECT_EQ(commit("changes-process").json["result"].dump(),
            R"(["ERR_WORKER_UNSUPPORTED_OPERATION","ERR_WORKER_UNSUPPORTED_OPERATION",)"
            R"("ERR_WORKER_UNSUPPORTED_OPERATION","ERR_INVALID_MODULE"])");
  EXPECT_EQ(commit("output-flood").status, 200);
  for (const char* crime : {"kills-from-worker", "deep-recursion", "closes-standard-streams",
                            "changes-process", "output-flood"}) {
    expectAnswers(crime);
  }
  const auto logs = server.dataDir() / "plugins/output-flood/logs";
  for (const auto& entry : std::filesystem::directory_iterator(logs)) {
    EXPECT_LT(entry.file_size(), 6UL << 20) << entry.path();
  }
}

TEST_F(HostileTest, LeavesTheDescriptorsOfTheServerAlone) {
  install("closes-every-descriptor");
  install("takes-every-descriptor");
  EXPECT_EQ(commit("closes-every-descriptor").json["result"].dump(),
            R"({"closed":1,"again":["EBADF"]})");
  EXPECT_EQ(commit("takes-every-descriptor").json["result"].dump(), "[]");
  expectAnswers("closes-every-descriptor");
  expectAnswers("takes-every-descriptor");
}

TEST_F(HostileTest, TamperedGlobalsEndWithTheLoad) {
  install("tampers-with-globals");
  static_cast<void>(commit("tampers-with-globals"));
  EXPECT_EQ(server.reload("tampers-with-globals").status, 200);
  expectAnswers("tampers-with-globals");
}

TEST_F(HostileTest, TakesBackProcessesAndDescriptors) {
  const auto descriptors = [this] {
    const std::filesystem::directory_iterator all("/proc/" + std::to_string(server.pid()) + "/fd");
    return std::distance(begin(all), end(all));
  };
  install("many-children");
  install("descriptor-leak");
  const auto before = descriptors();
  EXPECT_EQ(commit("many-children").status, 200);
  EXPECT_EQ(commit("descriptor-leak").status, 200);
  EXPECT_TRUE(
      eventually([] { return processesWith("98761") >= 10 && processesWith("98762") >= 10; }));
  EXPECT_GE(descriptors(), before + 300);
  for (const char* crime : {"many-children", "descriptor-leak"}) {
    EXPECT_EQ(server.http().post(std::string("/api/v1/plugins/") + crime + "/disable", "{}").status,
              200);
  }
  EXPECT_TRUE(eventually([] { return processesWith("98761") + processesWith("98762") == 0; }));
  EXPECT_TRUE(eventually([&] { return descriptors() <= before; }));
}

TEST_F(HostileTest, ShowsMetricsOfEveryInstalledPluginAndOfNoOther) {
  const auto has = [this](const std::string& plugin) {
    return server.http()
               .get("/metrics")
               .body.find("svc_plugin_heap_bytes{plugin=\"" + plugin + "\"}") != std::string::npos;
  };
  install("exits");
  EXPECT_TRUE(has("good-1"));
  EXPECT_TRUE(has("exits"));
  EXPECT_EQ(server.http().send({.method = "DELETE", .target = "/api/v1/plugins/exits"}).status,
            200);
  EXPECT_FALSE(has("exits"));
}

}  // namespace
}  // namespace svc::test
