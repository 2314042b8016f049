// What svcd says about itself and its configuration before it serves.
#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "harness/server.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;

Outcome svcd(std::vector<std::string> flags) {
  const TempDir data;
  flags.insert(flags.begin(), {SVC_TEST_SVCD, "--data-dir", data.path().string()});
  return runCommand({.argv = std::move(flags)});
}

TEST(ProgramTest, CheckPrintsTheModuleGraphAndExits) {
  for (const std::string modules : {kDefaultModules, kMemoryModules}) {
    const auto outcome = svcd({"--check", "--modules", modules});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    for (const std::string name :
         {"http", "jsruntime", "plugins", "rpc", "realtime", "cli", "svc.storage.KeyValueStore"}) {
      EXPECT_THAT(outcome.out, HasSubstr(name));
    }
  }
}

TEST(ProgramTest, NothingThatItHasInheritedGoesToWhatItStarts) {
  const TempDir data;
  Child child({.argv = {"/bin/sh", "-c", "exec 9</dev/null; exec \"$0\" \"$@\"", SVC_TEST_SVCD,
                        "--listen=127.0.0.1:0", "--modules=storage-memory,http", "--data-dir",
                        data.path().string()}});
  ASSERT_TRUE(child.readLine().has_value()) << child.errorText();
  const auto directory = fmt::format("/proc/{}/fdinfo", child.pid());
  int looked_at = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const auto number = std::stoi(entry.path().filename());
    std::ifstream info(entry.path());
    std::string word;
    while (info >> word && word != "flags:") {
    }
    std::string flags;
    if (number > STDERR_FILENO && info >> flags) {
      ++looked_at;
      EXPECT_NE(std::stol(flags, nullptr, 8) & O_CLOEXEC, 0) << number;
    }
  }
  EXPECT_TRUE(std::filesystem::exists(directory + "/9"));
  EXPECT_GT(looked_at, 3);
}

TEST(ProgramTest, AsManyFilesAreOpenedAsTheSystemAllows) {
  const auto limitsUnder = [](const std::string& limits) {
    const TempDir data;
    Child child({.argv = {"/bin/sh", "-c", limits + "; exec \"$0\" \"$@\"", SVC_TEST_SVCD,
                          "--listen=127.0.0.1:0", "--modules=storage-memory,http", "--data-dir",
                          data.path().string()}});
    EXPECT_TRUE(child.readLine().has_value()) << child.errorText();
    std::ifstream all(fmt::format("/proc/{}/limits", child.pid()));
    std::string line;
    while (std::getline(all, line) && !line.starts_with("Max open files")) {
    }
    std::istringstream words(line.substr(std::string_view("Max open files").size()));
    std::pair<int, int> found;
    words >> found.first >> found.second;
    return found;
  };
  // The soft limit alone is what a program may change.
  EXPECT_EQ(limitsUnder("ulimit -Sn 256; ulimit -Hn 2000"), std::make_pair(2000, 2000));
  EXPECT_EQ(limitsUnder("ulimit -Sn 256").first, limitsUnder("ulimit -Sn 300").first);
}

TEST(ProgramTest, CheckFailsWhenARequirementIsMissing) {
  const auto outcome = svcd({"--check", "--modules", "http,plugins"});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("plugins"));
}

TEST(ProgramTest, NamesTheNearestKeyOfAnUnknownOne) {
  const auto flag = svcd({"--check", "--listen.prot=1"});
  EXPECT_NE(flag.exit_code, 0);
  EXPECT_THAT(flag.err, HasSubstr("listen.prot"));
  EXPECT_THAT(flag.err, HasSubstr("listen.port"));

  const TempDir config;
  std::ofstream(config.path() / "config.json") << "{ \"log\": { \"levl\": \"info\" }, }";
  const auto file = svcd({"--check", "--config", (config.path() / "config.json").string()});
  EXPECT_NE(file.exit_code, 0);
  EXPECT_THAT(file.err, HasSubstr("log.level"));
}

TEST(ProgramTest, WithoutItsDatabaseADirectoryThatWasUsedIsLeftAlone) {
  const TempDir data;
  std::filesystem::create_directories(data.path() / "plugins/cache/npm/todo");
  const auto start = [&data] {
    return runCommand({.argv = {SVC_TEST_SVCD, "--listen=127.0.0.1:0", "--modules=storage,http",
                                "--data-dir", data.path().string()}});
  };
  const auto missing = start();
  EXPECT_NE(missing.exit_code, 0);
  EXPECT_THAT(missing.err, HasSubstr("svc.db is missing or empty, and only it knows what is in"));
  EXPECT_FALSE(std::filesystem::exists(data.path() / "svc.db"));
  std::ofstream(data.path() / "svc.db") << "";
  EXPECT_THAT(start().err, HasSubstr("svc.db is missing or empty"));
}

TEST(ProgramTest, ARestoreBesideALinkIsNotPassedOver) {
  const TempDir directory;
  const auto link = directory.path() / "link";
  std::filesystem::create_directories(directory.path() / "disk/data");
  std::filesystem::create_directory_symlink(directory.path() / "disk/data", link);
  std::filesystem::create_directory(link.string() + ".restore");
  const auto outcome =
      runCommand({.argv = {SVC_TEST_SVCD, "--listen=127.0.0.1:0", "--modules=storage,http",
                           "--data-dir", link.string()}});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("link.restore is beside a link: move it to " +
                                     (directory.path() / "disk/data.restore").string()));
}

TEST(ProgramTest, RootLeavesTheDataOfAnotherUserAlone) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can be another user";
  }
  const TempDir data;
  std::filesystem::permissions(data.path(), std::filesystem::perms(0755));
  const auto database = data.path() / "svc.db";
  std::ofstream(database) << "theirs";
  ASSERT_EQ(::chown(data.path().c_str(), 54321, 54321), 0);
  ASSERT_EQ(::chown(database.c_str(), 54321, 54321), 0);
  const auto outcome = runCommand(
      {.argv = {SVC_TEST_SVCD, "--listen=127.0.0.1:0", "--data-dir", data.path().string()}});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("belongs to the user '#54321', and svcd runs as root"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(data.path()), {}), 1);
  EXPECT_EQ(std::filesystem::status(data.path()).permissions(), std::filesystem::perms(0755));
}

TEST(ProgramTest, WhatOthersHaveLeftInTheDataIsNotTaken) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can make files of others";
  }
  const TempDir data;
  const TempDir elsewhere;
  const auto notes = elsewhere.path() / "notes";
  std::ofstream(notes) << "mine";
  std::ofstream(data.path() / "server.lock") << "";
  std::filesystem::create_directory(data.path() / "logs");
  std::filesystem::create_symlink(notes, data.path() / "logs/server.log");
  ASSERT_EQ(::lchown((data.path() / "logs/server.log").c_str(), 54321, 54321), 0);
  const auto outcome = runCommand(
      {.argv = {SVC_TEST_SVCD, "--listen=127.0.0.1:0", "--data-dir", data.path().string()}});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("logs/server.log to '#54321' is one"));
  std::ifstream kept(notes);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), "mine");
}

TEST(ProgramTest, WhatIsMadeAboveTheDataIsForItsUserAloneToo) {
  const TempDir home;
  const auto data = home.path() / ".local/share/svc/inner";
  Child child({.argv = {SVC_TEST_SVCD, "--listen=127.0.0.1:0", "--modules=storage-memory,http",
                        "--data-dir", data.string()}});
  ASSERT_TRUE(child.readLine().has_value()) << child.errorText();
  for (auto made = data; made != home.path(); made = made.parent_path()) {
    EXPECT_EQ(std::filesystem::status(made).permissions(), std::filesystem::perms::owner_all)
        << made;
  }
}

TEST(ProgramTest, RootMakesNoDataInTheHomeOfAnotherUser) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can be another user";
  }
  const TempDir home;
  ASSERT_EQ(::chown(home.path().c_str(), 54321, 54321), 0);
  const auto outcome = runCommand({.argv = {"/usr/bin/env", "-i", "HOME=" + home.path().string(),
                                            SVC_TEST_SVCD, "--listen=127.0.0.1:0"}});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("(HOME) belongs to the user '#54321', and svcd runs as root"));
  EXPECT_TRUE(std::filesystem::is_empty(home.path()));
}

TEST(ProgramTest, ChecksPortsOriginsAndIdsInSettings) {
  const auto check =
      svcd({"--check", "--listen.allowedHosts=svc.example:65536", "--appUrl=https://svc.example:0",
            "--listen.allowedOrigins=https://svc.example/app",
            R"(--plugins.overrides={"@acme/todo":{}})"});
  EXPECT_EQ(check.exit_code, 1);
  for (const std::string why :
       {"listen.allowedHosts: expected host names, with or without a port, got "
        "\"svc.example:65536\"; a port is a number from 1 to 65535",
        "appUrl: expected an address such as https://svc.example, got \"https://svc.example:0\"; a "
        "port is a number",
        "listen.allowedOrigins: expected an origin without a path",
        "plugins.overrides: @acme/todo: no plugin has such an id"}) {
    EXPECT_THAT(check.err, HasSubstr("svcd: " + why));
  }
}

TEST(ProgramTest, EveryKeySaysWhatItDoesNotTake) {
  const std::vector<std::pair<std::string, std::string>> refused{
      {"log.level=loud", "expected trace, debug, info, warn, error or off, got \"loud\""},
      {"log.format=xml", "expected one of auto, text, json, got \"xml\""},
      {"timezone=Mars/Base", "\"Mars/Base\" is not a time zone"},
      {"listen.port=99999", "expected a number from 0 to 65535, got 99999"},
      {"listen.allowedHosts=http://x", "expected host names"},
      {"listen.allowedOrigins=nowhere", "expected an address such as"},
      {"listen.trustedProxies=banana", "expected IP addresses such as 10.0.0.1, got \"banana\""},
      {"appUrl=notaurl", "expected an address such as https://svc.example, got \"notaurl\""},
      {"plugins.heapMiB=3", "expected a number from 16 to 1048576, got 3"},
      {"plugins.watchdogMs=0", "expected a number from 100 to 1000000000, got 0"},
      {"plugins.terminateMs=0", "expected a number from 100 to 1000000000, got 0"},
      {"plugins.bufferMiB=-1", "expected a number from 0 to 1048576, got -1"},
      {"plugins.totalMiB=-1", "expected a number from 0 to 1048576, got -1"},
      {"plugins.parallelLoads=65", "expected a number from 0 to 64, got 65"},
      {"plugins.databaseMiB=3", "expected a number from 8 to 1048576, got 3"},
      {"plugins.overrides={\"todo\":{\"heapMiB\":1}}", "todo.heapMiB: expected a number from 16"},
      {"plugins.httpBodyMax=0", "expected a number of at least 1, got 0"}};
  std::vector<std::string> flags{"--check"};
  for (const auto& [flag, why] : refused) {
    flags.push_back("--" + flag);
  }
  const auto check = svcd(flags);
  EXPECT_EQ(check.exit_code, 1);
  for (const auto& [flag, why] : refused) {
    EXPECT_THAT(check.err, HasSubstr("svcd: " + flag.substr(0, flag.find('=')) + ": " + why));
  }
  EXPECT_THAT(check.out, ::testing::Not(HasSubstr("configuration: ok")));

  flags.front() = "--listen=127.0.0.1:0";
  const auto start = svcd(flags);
  EXPECT_EQ(start.exit_code, 1);
  EXPECT_THAT(start.err, HasSubstr("log.level: expected trace"));
  EXPECT_THAT(svcd({"--check", "--listen.host=0.0.0.0"}).err,
              HasSubstr("svcd: listen.host: other machines can reach 0.0.0.0, and "
                        "listen.allowedHosts is empty"));
}

TEST(ProgramTest, WhatIsNotThereIsAProblemOnlyForACheck) {
  const auto host = svcd({"--check", "--listen.host=nope.invalid"});
  EXPECT_EQ(host.exit_code, 1);
  EXPECT_THAT(host.err, HasSubstr("listen.host: expected an address of this machine, got "
                                  "\"nope.invalid\""));
  const auto node = svcd({"--check", "--build.node=/nope"});
  EXPECT_EQ(node.exit_code, 1);
  EXPECT_THAT(node.err, HasSubstr("build.node: expected a program, got \"/nope\""));
  Server server(kMemoryModules, {"--build.node=/nope"});
  EXPECT_EQ(server.http().get("/healthz").status, 200);
  EXPECT_EQ(server.stop().exit_code, 0);
}

TEST(ProgramTest, RefusesAnUnknownModule) {
  const auto outcome = svcd({"--check", "--modules", "htpt"});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("htpt"));
}

TEST(ProgramTest, PrintsItsVersion) { EXPECT_EQ(svcd({"--version"}).out, "svcd 0.43.0\n"); }

}  // namespace
}  // namespace svc::test
