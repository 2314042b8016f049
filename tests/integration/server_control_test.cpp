// `svc server …`: a server in the background, found and ended through its data directory.
#include <fstream>

#include "harness/server.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ServerControlTest : public ::testing::Test {
 protected:
  ~ServerControlTest() override { static_cast<void>(svc({"server", "stop"})); }

  Outcome svc(std::vector<std::string> arguments) { return svcOn(data_, std::move(arguments)); }
  Outcome svcOn(const TempDir& data, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {SVC_TEST_SVC, "--data-dir", data.path().string()});
    // `svc up` takes no address.
    return runCommand({.argv = std::move(arguments),
                       .directory = data_.path(),
                       .environment = {{"SVC_LISTEN_PORT", "0"}}});
  }

  TempDir data_;
};

TEST_F(ServerControlTest, StartsFindsAndStops) {
  EXPECT_EQ(svc({"server", "stop"}).exit_code, 69);
  const auto started = svc({"server", "start", "--listen", "127.0.0.1:0"});
  ASSERT_EQ(started.exit_code, 0) << started.err;
  EXPECT_THAT(started.out, StartsWith("svcd is running at http://127.0.0.1:"));
  EXPECT_EQ(svc({"status"}).exit_code, 0);
  for (const auto& same : {std::vector<std::string>{"server", "start"},
                           std::vector<std::string>{"server", "start", "--listen=127.0.0.1:0"}}) {
    EXPECT_THAT(svc(same).out, StartsWith("svcd already runs at http://127.0.0.1:"));
  }
  const auto other = svc({"server", "start", "--log.level", "debug"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("--log.level=debug took no effect"));
  EXPECT_THAT(svc({"server", "logs", "-n", "5"}).out, HasSubstr("\"level\""));
  const auto stopped = svc({"server", "stop"});
  EXPECT_EQ(stopped.exit_code, 0) << stopped.err;
  EXPECT_EQ(svc({"status"}).exit_code, 69);
}

TEST_F(ServerControlTest, ACopyOfItsDirectoryNamesNoServer) {
  ASSERT_EQ(svc({"server", "start"}).exit_code, 0);
  const TempDir copy;
  for (const auto* file : {"server.json", "server.lock"}) {
    std::filesystem::copy_file(data_.path() / file, copy.path() / file);
  }
  for (const auto& words :
       {std::vector<std::string>{"status"}, {"restore", "--yes", "/none"}, {"server", "stop"}}) {
    const auto answer = svcOn(copy, words);
    EXPECT_EQ(answer.exit_code, 69) << answer.out;
    EXPECT_THAT(answer.err, HasSubstr(copy.path().string()));
  }
  EXPECT_EQ(svc({"status"}).exit_code, 0);
}

TEST_F(ServerControlTest, UpStartsAServerOnceAndLeadsToItsWindow) {
  const auto first = svc({"up"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, StartsWith("svcd is running at http://127.0.0.1:"));
  EXPECT_THAT(first.out, HasSubstr("/api/v1/access/enter?code="));
  EXPECT_THAT(first.err, HasSubstr("Next steps:"));
  ASSERT_EQ(svc({"plugin", "install", example("todo").string(), "--yes"}).exit_code, 0);
  const auto second = svc({"up"});
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_THAT(second.out, StartsWith("svcd already runs at http://127.0.0.1:"));
  EXPECT_THAT(second.out, HasSubstr("1 plugin runs."));
  ASSERT_EQ(svc({"server", "stop"}).exit_code, 0);
  // Its plugins have been loaded when it returns.
  const auto third = svc({"up", "--no-open"});
  EXPECT_THAT(third.out, HasSubstr("1 plugin runs.")) << third.err;
}

TEST_F(ServerControlTest, RestartsWithTheSameArguments) {
  ASSERT_EQ(
      svc({"server", "start", "--listen", "127.0.0.1:0", "--modules", kMemoryModules}).exit_code,
      0);
  const auto restarted = svc({"server", "restart"});
  ASSERT_EQ(restarted.exit_code, 0) << restarted.err;
  const auto status = svc({"status"});
  EXPECT_EQ(status.exit_code, 0) << status.err;
  EXPECT_THAT(status.out, HasSubstr("storage-memory"));
}

TEST_F(ServerControlTest, PluginsRunWhenTheStartIsOver) {
  ASSERT_EQ(svc({"server", "start", "--listen", "127.0.0.1:0"}).exit_code, 0);
  ASSERT_EQ(svc({"plugin", "install", example("todo").string(), "--yes"}).exit_code, 0);
  const auto restarted = svc({"server", "restart"});
  ASSERT_EQ(restarted.exit_code, 0) << restarted.err;
  EXPECT_EQ(restarted.err, "");
  EXPECT_THAT(svc({"plugin", "show", "todo"}).out, HasSubstr("todo@0.1.0  running"));
}

TEST_F(ServerControlTest, AConfigurationThatCannotStartStopsNothing) {
  const TempDir directory;
  const auto file = directory.path() / "config.json";
  std::ofstream(file) << "{}";
  ASSERT_EQ(svc({"server", "start", "--listen", "127.0.0.1:0", "--modules", kMemoryModules,
                 "--config", file.string()})
                .exit_code,
            0);
  const auto set = svc({"settings", "set", "timezone", "Mars/Base"});
  EXPECT_EQ(set.exit_code, 2);
  EXPECT_THAT(set.err, HasSubstr("timezone: \"Mars/Base\" is not a time zone"));
  EXPECT_THAT(set.err, HasSubstr(file.string()));

  std::ofstream(file) << R"({"log": {"level": "loud"}, "plugins": {"heapMiB": 3}})";
  const auto restarted = svc({"server", "restart"});
  EXPECT_EQ(restarted.exit_code, 1);
  EXPECT_THAT(restarted.err, HasSubstr("log.level: expected trace, debug"));
  EXPECT_EQ(svc({"status"}).exit_code, 0) << "the server runs on";
  EXPECT_THAT(svc({"doctor"}).out, HasSubstr("plugins.heapMiB: expected a number from 16"));

  // One at a time: what is wrong elsewhere does not keep a value from being corrected.
  const auto corrected = svc({"settings", "set", "log.level", "debug"});
  EXPECT_EQ(corrected.exit_code, 0) << corrected.err;
  EXPECT_THAT(corrected.err, HasSubstr("Warning: plugins.heapMiB"));
  EXPECT_EQ(svc({"settings", "set", "plugins.heapMiB", "64"}).exit_code, 0);
  const auto again = svc({"server", "restart"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

TEST_F(ServerControlTest, ShowsWhyAServerDoesNotStart) {
  const auto failed = svc({"server", "start", "--listen.prot=1"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, HasSubstr("listen.port"));
}

}  // namespace
}  // namespace svc::test
