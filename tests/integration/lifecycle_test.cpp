// Start, stop, and what must not start twice.
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <Poco/Exception.h>

#include "harness/server.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;

class LifecycleTest : public ServerTest {};

TEST_P(LifecycleTest, PublishesItselfWhileItRuns) {
  const auto file = server.dataDir() / "server.json";
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto parsed = common::Json::parse(text);
  ASSERT_TRUE(parsed.ok()) << text;
  EXPECT_EQ(parsed.value()["pid"].asInteger(), server.pid());
  EXPECT_EQ(parsed.value()["url"].asString(), server.url());
  EXPECT_EQ(parsed.value()["version"].asString(), "0.43.0");
  EXPECT_GT(parsed.value()["startedAt"].asInteger(), 0);
  const auto mode = std::filesystem::status(server.dataDir()).permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_all);
  EXPECT_EQ(server.stop().exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_P(LifecycleTest, ReportsItsHealth) {
  EXPECT_EQ(server.http().get("/healthz").body, "ok");
  server.install(fixture("throwing_factory"));
  const auto ready = server.http().get("/readyz");
  EXPECT_EQ(ready.status, 200) << ready.body;
  for (const std::string name : {"http", "jsruntime", "plugins", "rpc", "realtime", "cli"}) {
    EXPECT_THAT(ready.json["modules"].dump(), HasSubstr(R"("name":")" + name + R"(")"));
  }
  EXPECT_EQ(ready.json["plugins"].dump(), R"([{"id":"throwing-factory","status":"error"}])");
}

TEST_P(LifecycleTest, ASignalThatMeansNothingChangesNothing) {
  for (const int number : {SIGUSR1, SIGUSR2, SIGUSR1, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR,
                           SIGSTKFLT, SIGXFSZ, SIGRTMIN, SIGRTMAX}) {
    server.process().signal(number);
    EXPECT_EQ(server.http().get("/healthz").body, "ok");
  }
  const auto outcome = server.stop();
  EXPECT_EQ(outcome.exit_code, 0);
  // Node opens its inspector at the first of them where it gets it.
  EXPECT_THAT(outcome.err, ::testing::Not(HasSubstr("Debugger listening")));
}

TEST_P(LifecycleTest, SignalsAtOnceAreOneCleanStop) {
  const auto file = server.dataDir() / "server.json";
  server.process().signal(SIGTERM);
  server.process().signal(SIGINT);
  const auto outcome = server.process().wait(std::chrono::seconds(2) * 5);
  ASSERT_TRUE(outcome.has_value()) << server.process().errorText();
  EXPECT_EQ(outcome->exit_code, 0) << outcome->err;
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_P(LifecycleTest, EndsWithOpenSocketsAndACallInFlight) {
  ASSERT_EQ(server.install(fixture("probe"))["status"].asString(), "running");
  auto first = server.socket();
  auto second = server.socket();
  std::thread caller([&] {
    try {
      static_cast<void>(server.rpc("probe", "never"));
    } catch (const Poco::Exception&) {
      // An answer and a closed connection are both fine here; hanging is not.
    }
  });
  ASSERT_TRUE(first.awaitSignal("probe", "state", R"("never started")"));
  server.process().signal(SIGTERM);
  // Two seconds on an idle machine; the factor is for loaded and instrumented ones.
  const auto outcome = server.process().wait(std::chrono::seconds(2) * 5);
  ASSERT_TRUE(outcome.has_value()) << server.process().errorText();
  EXPECT_EQ(outcome->exit_code, 0) << outcome->err;
  EXPECT_EQ(first.awaitClose(), 1001);
  EXPECT_EQ(second.awaitClose(), 1001);
  caller.join();
}

TEST_P(LifecycleTest, RefusesASecondServerOnItsDirectory) {
  const auto second = runCommand({.argv = {SVC_TEST_SVCD, "--data-dir", server.dataDir().string(),
                                           "--listen", "127.0.0.1:0", "--modules", GetParam()}});
  EXPECT_NE(second.exit_code, 0);
  EXPECT_THAT(second.err, HasSubstr("pid " + std::to_string(server.pid())));
  EXPECT_EQ(server.http().get("/healthz").status, 200);
}

TEST_P(LifecycleTest, SaysThatAPortIsTaken) {
  const TempDir other;
  // What a server left that died: whoever has its address now must not be asked in its place.
  std::ofstream(other.path() / "server.json") << R"({"pid":1,"url":"http://127.0.0.1:1"})";
  std::filesystem::permissions(other.path(), std::filesystem::perms::owner_all);
  const auto address = "127.0.0.1:" + std::to_string(server.port());
  const auto second = runCommand({.argv = {SVC_TEST_SVCD, "--data-dir", other.path().string(),
                                           "--listen", address, "--modules", GetParam()}});
  EXPECT_NE(second.exit_code, 0);
  EXPECT_THAT(second.err, HasSubstr(address));
  EXPECT_FALSE(std::filesystem::exists(other.path() / "server.json"));
}

TEST_P(LifecycleTest, StartsAgainAfterAKill) {
  server.kill();
  server.start();
  EXPECT_EQ(server.http().get("/healthz").status, 200);
}

SVC_FOR_EACH_STORAGE(LifecycleTest);

}  // namespace
}  // namespace svc::test
