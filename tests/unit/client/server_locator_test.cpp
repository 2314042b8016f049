#include "server_locator.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "processes.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

class ServerLocatorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto pattern = (std::filesystem::temp_directory_path() / "svc-locator-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  Environment environment() {
    return {.variable =
                [this](const std::string& name) {
                  const auto found = variables.find(name);
                  return found == variables.end() ? std::nullopt : std::optional(found->second);
                },
            .working_dir = "/cwd",
            .program_dir = "/bin",
            .home = "/home/me"};
  }
  void writeRecord(const std::string& text) const {
    std::ofstream(directory / "server.json") << text;
  }

  /// Takes the lock of the data directory in the name of a process. Closed by letting it go.
  std::shared_ptr<void> lockAs(int pid) const { return lockDirectory(directory, pid); }

  std::filesystem::path directory;
  std::map<std::string, std::string> variables;
};

TEST_F(ServerLocatorTest, ChoosesTheDataDirectoryByPrecedence) {
  EXPECT_EQ(dataDir({}, environment()), "/home/me/.local/share/svc");
  variables["XDG_DATA_HOME"] = "/xdg";
  EXPECT_EQ(dataDir({}, environment()), "/xdg/svc");
  variables["SVC_DATA_DIR"] = "/env";
  EXPECT_EQ(dataDir({}, environment()), "/env");
  EXPECT_EQ(dataDir({.server = "", .data_dir = "rel/../flag"}, environment()), "/cwd/flag");
}

TEST_F(ServerLocatorTest, TheHomeDirectoryIsNotTheVariablesToSay) {
  variables = {{"HOME", ""}};
  EXPECT_EQ(dataDir({}, environment()), "/home/me/.local/share/svc");
}

TEST_F(ServerLocatorTest, TakesAnEmptyVariableAsUnset) {
  variables = {{"SVC_DATA_DIR", ""}, {"XDG_DATA_HOME", ""}};
  EXPECT_EQ(dataDir({}, environment()), "/home/me/.local/share/svc");
}

TEST_F(ServerLocatorTest, PrefersTheFlagThenTheVariableThenTheFile) {
  writeRecord(R"({"pid":12,"url":"http://127.0.0.1:1","version":"0.43.0","startedAt":1})");
  const auto lock = lockAs(12);
  variables = {{"SVC_DATA_DIR", directory.string()}};
  const auto from_file = locateServer({}, environment()).value();
  EXPECT_EQ(from_file.url, "http://127.0.0.1:1");
  EXPECT_EQ(from_file.record->pid, 12);
  variables["SVC_SERVER_URL"] = "http://127.0.0.1:2";
  EXPECT_EQ(locateServer({}, environment()).value().url, "http://127.0.0.1:2");
  EXPECT_EQ(
      locateServer({.server = "http://127.0.0.1:3", .data_dir = ""}, environment()).value().url,
      "http://127.0.0.1:3");
}

TEST_F(ServerLocatorTest, TheRecordOfAnotherDirectorysServerNamesNone) {
  // As in a copy of the directory of a server that runs, or after one was killed.
  writeRecord(R"({"pid":12,"url":"http://127.0.0.1:1"})");
  variables = {{"SVC_DATA_DIR", directory.string()}};
  const auto message = [this] {
    const auto found = locateServer({}, environment());
    return found ? found.value().url : found.error().message;
  };
  EXPECT_EQ(message(), "no server is running for " + directory.string() +
                           " (its server.json names pid 12, which has not got this directory: a "
                           "server that was killed, or the one of the directory that this is a "
                           "copy of)");
  {
    const auto starting = lockAs(13);
    EXPECT_NE(message().find("(pid 13) is starting or ending"), std::string::npos) << message();
  }
  const auto lock = lockAs(12);
  EXPECT_EQ(message(), "http://127.0.0.1:1");
}

TEST_F(ServerLocatorTest, OnlyTheServerOfTheDataDirectoryGetsItsToken) {
  writeRecord(R"({"pid":12,"url":"http://127.0.0.1:1","accessToken":"secret"})");
  const auto lock = lockAs(12);
  variables = {{"SVC_DATA_DIR", directory.string()}};
  EXPECT_EQ(locateServer({}, environment()).value().access_token, "secret");
  const auto named = [this](const std::string& url) {
    return locateServer({.server = url, .data_dir = ""}, environment()).value().access_token;
  };
  EXPECT_EQ(named("http://127.0.0.1:1"), "secret");
  EXPECT_EQ(named("http://127.0.0.1:2"), "");
  variables["SVC_SERVER_URL"] = "http://127.0.0.1:2";
  EXPECT_EQ(locateServer({}, environment()).value().access_token, "");
  variables["SVC_SERVER_URL"] = "http://127.0.0.1:1";
  EXPECT_EQ(locateServer({}, environment()).value().access_token, "secret");
}

TEST_F(ServerLocatorTest, WhoHasTheAddressOfAServerThatEndedGetsNoToken) {
  writeRecord(R"({"pid":12,"url":"http://127.0.0.1:1","accessToken":"secret"})");
  variables = {{"SVC_DATA_DIR", directory.string()}};
  const auto tokens = [this] {
    const auto own = locateServer({}, environment());
    return (own ? own.value().access_token : std::string()) +
           locateServer({.server = "http://127.0.0.1:1", .data_dir = ""}, environment())
               .value()
               .access_token;
  };
  EXPECT_EQ(tokens(), "");
  {
    const auto lock = lockAs(12);
    EXPECT_EQ(tokens(), "secretsecret");
  }
  EXPECT_EQ(tokens(), "");
  // Another server that has not written its address yet.
  const auto lock = lockAs(13);
  EXPECT_EQ(tokens(), "");
}

TEST_F(ServerLocatorTest, LetsTheDataDirectoryFlagWinOverTheVariable) {
  writeRecord(R"({"pid":12,"url":"http://127.0.0.1:1","version":"0.43.0"})");
  const auto lock = lockAs(12);
  variables = {{"SVC_SERVER_URL", "http://127.0.0.1:2"}};
  EXPECT_EQ(locateServer({.server = "", .data_dir = directory.string()}, environment()).value().url,
            "http://127.0.0.1:1");
}

TEST_F(ServerLocatorTest, ACommandForTheOwnServerWantsItsAddress) {
  variables = {{"SVC_DATA_DIR", directory.string()}};
  const auto allowed = [this](const std::string& url) {
    return requireOwnServer("server stop", {.server = url, .data_dir = ""}, environment()).ok();
  };
  EXPECT_TRUE(allowed(""));
  EXPECT_TRUE(allowed("http://127.0.0.1:1")) << "there is none to mistake for it";
  {
    const auto lock = lockAs(12);
    EXPECT_FALSE(allowed("http://127.0.0.1:1"));
    EXPECT_TRUE(allowed(""));
  }
  writeRecord(R"({"pid":12,"url":"http://127.0.0.1:1"})");
  EXPECT_TRUE(allowed(""));
  EXPECT_TRUE(allowed("http://127.0.0.1:1"));
  EXPECT_TRUE(allowed("http://localhost:1/"));
  EXPECT_FALSE(allowed("http://127.0.0.1:2"));
  EXPECT_FALSE(allowed("https://127.0.0.1:1"));
}

TEST_F(ServerLocatorTest, AServerWithoutItsRecordIsNamed) {
  variables = {{"SVC_DATA_DIR", directory.string()}};
  const auto lock = lockAs(12);
  const auto found = locateServer({}, environment());
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().message.find("(pid 12) is starting or ending"), std::string::npos);
  EXPECT_NE(found.error().message.find("svc server restart"), std::string::npos);
}

TEST_F(ServerLocatorTest, SaysWhereItLooked) {
  const auto result = locateServer({.server = "", .data_dir = "/none"}, environment());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code.name(), "unreachable");
  EXPECT_EQ(result.error().message, "no server is running for /none (there is no server.json)");
}

TEST_F(ServerLocatorTest, AFifoInPlaceOfTheRecordOrTheLockIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo((directory / "server.json").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((directory / "server.lock").c_str(), 0600), 0);
  EXPECT_EQ(lockOwner(directory), std::nullopt);
  const auto result = locateServer({.server = "", .data_dir = directory.string()}, environment());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message,
            "no server is running for " + directory.string() +
                " (its server.json is not one that a server writes: a start of the server replaces "
                "it)");
}

TEST_F(ServerLocatorTest, AServerWhoseLockFileWasRemovedStillHasTheDirectory) {
  writeRecord(R"({"pid":12,"url":"http://127.0.0.1:1","version":"0.43.0"})");
  EXPECT_EQ(lockOwner(directory), std::nullopt);
  const int held = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(lockOwner(directory), 12);
  ::close(held);
}

TEST_F(ServerLocatorTest, IgnoresABrokenRecord) {
  writeRecord("{");
  EXPECT_FALSE(readServerRecord(directory).has_value());
  writeRecord("{}");
  EXPECT_FALSE(readServerRecord(directory).has_value());
}

}  // namespace
}  // namespace svc::client
