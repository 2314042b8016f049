#include "svc/kernel/program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

namespace svc::kernel {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

class ProgramTest : public testing::Test {
 protected:
  ProgramTest() {
    fs::create_directories(root_ / "lib/svc/programs");
    fs::create_directory_symlink(FIXTURE_DIR, root_ / "lib/svc/modules");
    set("XDG_DATA_HOME", (root_ / "share-home").string());
    set("XDG_CONFIG_HOME", (root_ / "config-home").string());
    ::unsetenv("SVC_DATA_DIR");
    ::unsetenv("SVC_CONFIG");
    ::unsetenv("SVC_LOG_LEVEL");
  }
  ~ProgramTest() override {
    ::unsetenv("SVC_DATA_DIR");
    ::unsetenv("SVC_CONFIG");
    ::unsetenv("SVC_LOG_LEVEL");
    fs::remove_all(root_);
  }

  static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

  Result<ProgramDescription> describe(const std::string& json) {
    std::ofstream(root_ / "lib/svc/programs/testd.json") << json;
    return readProgramDescription(root_ / "bin/testd");
  }

  /// What --print-config says for this command line.
  std::string printed(const std::string& json, const std::vector<std::string>& words,
                      const std::string& data = {}) {
    ProgramOptions options;
    options.executable = root_ / "bin/testd";
    options.program = describe(json).value();
    options.data_directory = data;
    options.print_config = true;
    EXPECT_TRUE(addArguments(words, options).ok());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    status_ = runProgram(options);
    errors_ = testing::internal::GetCapturedStderr();
    return testing::internal::GetCapturedStdout();
  }

  fs::path root_ = fs::path(testing::TempDir()) / ("program" + std::to_string(::getpid()));
  int status_ = -1;
  std::string errors_;
};

constexpr auto kDaemon = R"({
  "name": "testd", "modules": ["plain"], "description": "A daemon", "configFile": "testd.json",
  "dataDirectory": "deep", "lockFile": "daemon.lock", "logFile": "daemon.log", "drainMs": 11000,
  "commands": { "join": [], "worker": ["alpha"] } })";

TEST_F(ProgramTest, ADescriptionSaysWhatTheProgramIs) {
  const auto program = describe(kDaemon);
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_THAT(program.value().modules, ElementsAre("plain"));
  EXPECT_EQ(program.value().description, "A daemon");
  EXPECT_EQ(program.value().config_file, "testd.json");
  EXPECT_EQ(program.value().data_directory, "deep");
  EXPECT_EQ(program.value().lock_file, "daemon.lock");
  EXPECT_EQ(program.value().log_file, "daemon.log");
  EXPECT_EQ(program.value().drain, std::chrono::seconds(11));
  EXPECT_FALSE(program.value().listens);
  EXPECT_THAT(program.value().commands,
              ElementsAre(Pair("join", IsEmpty()), Pair("worker", ElementsAre("alpha"))));
}

TEST_F(ProgramTest, WithoutMoreItIsAServer) {
  const auto program = describe(R"({ "modules": ["plain"], "listens": true })");
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program.value().config_file, "config.json");
  EXPECT_EQ(program.value().lock_file, "server.lock");
  EXPECT_EQ(program.value().log_file, "server.log");
  EXPECT_EQ(program.value().data_directory, "");
  EXPECT_TRUE(program.value().listens);
  EXPECT_THAT(program.value().commands, IsEmpty());
}

TEST_F(ProgramTest, AnIncompleteInstallationIsAClearError) {
  const auto missing = readProgramDescription(root_ / "bin/nobody");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, AllOf(HasSubstr("nobody.json"), HasSubstr("incomplete")));
  const auto wrong = describe(R"({ "modules": [], "drainMs": "soon" })");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, HasSubstr("drainMs"));
}

TEST_F(ProgramTest, WordsAreCommandsAndKeys) {
  ProgramOptions options;
  options.program = describe(kDaemon).value();
  ASSERT_TRUE(
      addArguments({"join", "--server", "http://x", "--enroll-only", "--log.level=debug"}, options)
          .ok());
  EXPECT_EQ(options.command, "");
  EXPECT_THAT(options.flags, ElementsAre(Pair("join", "true"), Pair("server", "http://x"),
                                         Pair("enrollOnly", "true"), Pair("log.level", "debug")));
}

TEST_F(ProgramTest, ACommandWithModulesIsAProgramOfItsOwn) {
  ProgramOptions options;
  options.program = describe(kDaemon).value();
  ASSERT_TRUE(addArguments({"worker", "--alpha.color=red"}, options).ok());
  EXPECT_EQ(options.command, "worker");
  EXPECT_THAT(options.flags, ElementsAre(Pair("alpha.color", "red")));
}

TEST_F(ProgramTest, OtherWordsAreRefused) {
  ProgramOptions options;
  options.program = describe(kDaemon).value();
  const auto status = addArguments({"dance"}, options);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, AllOf(HasSubstr("\"dance\""), HasSubstr("--help")));
  EXPECT_FALSE(addArguments({"--log.level=debug", "join"}, options).ok());
}

TEST_F(ProgramTest, DirectoriesAreFoundBelowTheUsualOnes) {
  const auto text = printed(kDaemon, {});
  EXPECT_EQ(status_, 0);
  EXPECT_THAT(text, AllOf(HasSubstr((root_ / "share-home/svc/deep").string()),
                          HasSubstr((root_ / "config-home/svc/testd.json").string())));
}

TEST_F(ProgramTest, TheServersVariablesLeadToTheProgramsOwnFiles) {
  set("SVC_DATA_DIR", (root_ / "elsewhere").string());
  set("SVC_CONFIG", (root_ / "settings/server.json").string());
  EXPECT_THAT(printed(kDaemon, {}), AllOf(HasSubstr((root_ / "elsewhere/deep").string()),
                                          HasSubstr((root_ / "settings/testd.json").string())));
  EXPECT_THAT(printed(R"({ "modules": ["plain"] })", {}),
              AllOf(HasSubstr('"' + (root_ / "elsewhere").string() + '"'),
                    HasSubstr((root_ / "settings/server.json").string())));
}

TEST_F(ProgramTest, AnIsolatedProgramDoesNotSeeTheUsersSettings) {
  set("SVC_LOG_LEVEL", "trace");
  set("SVC_CONFIG", (root_ / "broken.json").string());
  std::ofstream(root_ / "broken.json") << "no JSON";
  const auto text = printed(kDaemon, {"worker", "--alpha.color=red"}, (root_ / "own").string());
  EXPECT_EQ(status_, 0) << errors_;
  EXPECT_THAT(text, AllOf(HasSubstr((root_ / "own").string()), HasSubstr(R"("value":"warn")"),
                          HasSubstr(R"("value":"red")"), Not(HasSubstr("plain.color"))));
}

TEST_F(ProgramTest, AnIsolatedProgramNeedsItsDirectory) {
  printed(kDaemon, {"worker"});
  EXPECT_EQ(status_, 1);
  EXPECT_THAT(errors_, HasSubstr("testd worker needs --data-dir"));
}

TEST_F(ProgramTest, TheNullDeviceIsAnEmptyConfiguration) {
  ProgramOptions options;
  options.executable = root_ / "bin/testd";
  options.program = describe(kDaemon).value();
  options.print_config = true;
  options.config_file = "/dev/null";
  testing::internal::CaptureStdout();
  EXPECT_EQ(runProgram(options), 0);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("/dev/null"));
}

TEST_F(ProgramTest, AConfigurationThatIsNoFileIsAnErrorAtOnce) {
  const auto fifo = root_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const auto& path : {fifo, root_, fs::path("/dev/zero")}) {
    ProgramOptions options;
    options.executable = root_ / "bin/testd";
    options.program = describe(kDaemon).value();
    options.print_config = true;
    options.config_file = path.string();
    testing::internal::CaptureStderr();
    EXPECT_EQ(runProgram(options), 1);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr(path.string() + " is not a file: a configuration is a JSON file"));
  }
}

}  // namespace
}  // namespace svc::kernel
