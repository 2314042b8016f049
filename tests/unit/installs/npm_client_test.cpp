#include "npm_client.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "files.h"

namespace svc::installs {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class FakeProcesses : public IProcesses {
 public:
  [[nodiscard]] Result<Output> run(const Command& command, std::stop_token) override {
    commands.push_back(command);
    return on_run ? on_run(command) : Result<Output>(Output{.exit_code = 0, .out = out, .err = ""});
  }
  std::vector<Command> commands;
  std::string out;
  std::function<Result<Output>(const Command& command)> on_run;
};

class NpmClientTest : public ::testing::Test {
 protected:
  NpmClientTest() {
    spec_.kind = SourceKind::kNpm;
    spec_.package = "@acme/todo";
  }
  TempDir directory_;
  FakeProcesses processes_;
  NpmClient npm_{processes_};
  SourceSpec spec_;
};

TEST_F(NpmClientTest, ReadsVersionsAndTags) {
  processes_.out = R"({"versions":["1.0.0","1.1.0"],"dist-tags":{"latest":"1.1.0"}})";
  const auto out = npm_.versions(spec_, directory_.path(), {});
  ASSERT_TRUE(out.ok());
  EXPECT_THAT(out.value().versions, ElementsAre("1.0.0", "1.1.0"));
  EXPECT_EQ(out.value().tags.at("latest"), "1.1.0");
  EXPECT_THAT(processes_.commands.front().argv,
              ElementsAre("npm", "view", "@acme/todo", "versions", "dist-tags", "--json"));
}

TEST_F(NpmClientTest, OneVersionIsNoList) {
  processes_.out = R"([{"versions":"1.0.0","dist-tags":{"latest":"1.0.0"}}])";
  EXPECT_THAT(npm_.versions(spec_, directory_.path(), {}).value().versions, ElementsAre("1.0.0"));
}

TEST_F(NpmClientTest, NamesTheRegistryOfASource) {
  spec_.registry = "https://registry.example/";
  processes_.out = "{}";
  (void)npm_.versions(spec_, directory_.path(), {});
  EXPECT_THAT(processes_.commands.front().argv, Contains("--registry=https://registry.example/"));
  EXPECT_THAT(processes_.commands.front().argv,
              Contains("--@acme:registry=https://registry.example/"));
}

TEST_F(NpmClientTest, WhatTheRegistryDoesNotHaveIsNotFound) {
  processes_.on_run = [](const Command&) {
    return Output{.exit_code = 1,
                  .out = R"({"error":{"code":"E404","summary":"Not Found - todo"}})",
                  .err = ""};
  };
  const auto out = npm_.versions(spec_, directory_.path(), {});
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().code, errc::kInstallRefused);
  EXPECT_THAT(out.error().details, HasSubstr("not_found"));
}

TEST_F(NpmClientTest, ARegistryThatDoesNotAnswerIsUnavailable) {
  processes_.on_run = [](const Command&) {
    return Output{.exit_code = 1, .out = "", .err = "npm error code ECONNREFUSED"};
  };
  const auto out = npm_.versions(spec_, directory_.path(), {});
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().code, errc::kUnavailable);
  EXPECT_THAT(out.error().message, HasSubstr("ECONNREFUSED"));
}

TEST_F(NpmClientTest, AVersionNeedsItsIntegrity) {
  processes_.out =
      R"({"name":"todo","version":"1.0.0","dist":{"tarball":"https://r.example/t.tgz"}})";
  EXPECT_THAT(npm_.info(spec_, "1.0.0", directory_.path(), {}).error().details,
              HasSubstr("integrity"));
  processes_.out =
      R"({"version":"1.0.0","dist":{"tarball":"https://r.example/x/t.tgz","integrity":"sha512-x"}})";
  const auto out = npm_.info(spec_, "1.0.0", directory_.path(), {});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out.value().registry, "https://r.example");
  EXPECT_FALSE(npm_.info(spec_, "2.0.0", directory_.path(), {}).ok());
}

TEST_F(NpmClientTest, WhatARegistryAnnouncesIsFetchedAsAnyAddressIs) {
  const auto info = [this](const std::string& tarball) {
    processes_.on_run = [tarball](const Command& command) {
      const bool config = command.argv[1] == "config";
      return Output{.exit_code = 0,
                    .out = config ? "http://registry.lan:4873/\n"
                                  : R"({"version":"1.0.0","dist":{"tarball":")" + tarball +
                                        R"(","integrity":"sha512-x"}})",
                    .err = ""};
    };
    return npm_.info(spec_, "1.0.0", directory_.path(), {});
  };
  for (const auto* good : {"https://r.example/t.tgz", "http://127.0.0.1:4873/t.tgz",
                           "http://registry.lan:4873/todo/-/t.tgz"}) {
    EXPECT_TRUE(info(good).ok()) << good;
  }
  for (const auto* bad :
       {"http://192.0.2.1/t.tgz", "http://registry.lan/t.tgz", "file:///srv/t.tgz",
        "git+file:///srv/t", "git+https://r.example/t", ""}) {
    const auto refused = info(bad);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_EQ(refused.error().code, errc::kInstallRefused);
    EXPECT_THAT(refused.error().message, HasSubstr("only https addresses are fetched"));
  }
  // One that the source names is not one that the machine's user has chosen.
  spec_.registry = "https://r.example/";
  EXPECT_FALSE(info("http://registry.lan:4873/todo/-/t.tgz").ok());
}

TEST_F(NpmClientTest, NothingOfAPackageRunsWhileItIsFetched) {
  using Variable = std::pair<std::string, std::string>;
  const auto prepares_nothing =
      Contains(::testing::Pair("NODE_OPTIONS", HasSubstr("_PACOTE_NO_PREPARE_&&process.exit()")));
  (void)npm_.versions(spec_, directory_.path(), {});
  (void)npm_.info(spec_, "1.0.0", directory_.path(), {});
  (void)npm_.download(spec_, "1.0.0", directory_.path(), {});
  for (const auto& command : processes_.commands) {
    EXPECT_THAT(command.environment, Contains(Variable("npm_config_git", "no-git-for-registries")))
        << "a registry may name a repository";
    EXPECT_THAT(command.environment, Contains(Variable("npm_config_ignore_scripts", "true")));
    EXPECT_THAT(command.environment, prepares_nothing);
  }
  directory_.write("package.json", R"({"dependencies":{"left":"git+https://r.example/left"}})");
  ASSERT_TRUE(npm_.installDependencies(directory_.path(), directory_.path(), {}).ok());
  const auto& install = processes_.commands.back();
  EXPECT_THAT(install.environment, prepares_nothing);
  EXPECT_THAT(install.environment,
              Not(Contains(Variable("npm_config_git", "no-git-for-registries"))));
  EXPECT_THAT(install.removed_environment, Contains("_PACOTE_NO_PREPARE_"));
}

TEST_F(NpmClientTest, InstallsProductionDependenciesOnly) {
  const std::string manifest =
      R"({"name":"todo","version":"1.0.0","scripts":{"postinstall":"x"},)"
      R"("dependencies":{"left":"^1","@get-svc/plugin-sdk":"*"},"devDependencies":{"dev":"*"}})";
  directory_.write("package.json", manifest);
  std::string seen;
  processes_.on_run = [&](const Command& command) {
    seen = readFile(command.directory / "package.json");
    directory_.write("package-lock.json", "{}");
    return Output{.exit_code = 0, .out = "{}", .err = ""};
  };
  ASSERT_TRUE(npm_.installDependencies(directory_.path(), directory_.path(), {}).ok());
  EXPECT_THAT(processes_.commands.front().argv, Contains("--ignore-scripts"));
  EXPECT_THAT(processes_.commands.front().argv, Contains("--omit=dev"));
  EXPECT_THAT(seen, HasSubstr("left"));
  EXPECT_THAT(seen, Not(HasSubstr("plugin-sdk")));
  EXPECT_THAT(seen, Not(HasSubstr("dev\"")));
  EXPECT_THAT(seen, Not(HasSubstr("postinstall")));
  EXPECT_EQ(readFile(directory_.path() / "package.json"), manifest);
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "package-lock.json"));
}

TEST_F(NpmClientTest, NpmDoesNotSeeThePackagesOwnSettings) {
  directory_.write("package.json", R"({"dependencies":{"left":"^1"}})");
  directory_.write(".npmrc", "git=./program");
  bool seen = true;
  processes_.on_run = [&](const Command& command) {
    seen = std::filesystem::exists(command.directory / ".npmrc");
    return Output{.exit_code = 0, .out = "{}", .err = ""};
  };
  ASSERT_TRUE(npm_.installDependencies(directory_.path(), directory_.path(), {}).ok());
  EXPECT_FALSE(seen);
  EXPECT_THAT(processes_.commands.front().argv, Contains("--prefix=" + directory_.path().string()))
      << "nor those of a workspace that it is part of";
  EXPECT_EQ(readFile(directory_.path() / ".npmrc"), "git=./program")
      << "its files are what is verified";
}

TEST_F(NpmClientTest, APluginWithoutDependenciesNeedsNoNpm) {
  directory_.write("package.json", R"({"name":"todo","devDependencies":{"dev":"*"}})");
  ASSERT_TRUE(npm_.installDependencies(directory_.path(), directory_.path(), {}).ok());
  EXPECT_TRUE(processes_.commands.empty());
}

TEST_F(NpmClientTest, AFailedInstallLeavesTheManifestAsItWas) {
  const std::string manifest = R"({"dependencies":{"left":"^1"}})";
  directory_.write("package.json", manifest);
  processes_.on_run = [](const Command&) {
    return Output{
        .exit_code = 1, .out = R"({"error":{"code":"E404","summary":"left"}})", .err = ""};
  };
  EXPECT_FALSE(npm_.installDependencies(directory_.path(), directory_.path(), {}).ok());
  EXPECT_EQ(readFile(directory_.path() / "package.json"), manifest);
}

}  // namespace
}  // namespace svc::installs
