// Where the dependencies of a package may come from.
#include "dependency_specs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "files.h"

namespace svc::installs {
namespace {

using common::Json;
using ::testing::HasSubstr;

class DependencySpecsTest : public ::testing::Test {
 protected:
  Status check(const std::string& spec) {
    return checkDependencies(Json::object().set("dependencies", Json::object().set("left", spec)),
                             directory_.path() / "plugins/todo", directory_.path());
  }
  TempDir directory_;
};

TEST_F(DependencySpecsTest, RegistriesRepositoriesAndOwnFiles) {
  for (const auto* spec :
       {"^1.2.0", "~1.2", "latest", "*", "", "npm:other@1", "user/repo", "github:user/repo#main",
        "https://r.example/left.tgz", "git+https://r.example/left.git",
        "git+ssh://git@r.example/left", "ssh://git@r.example/left", "git@r.example:left.git",
        "http://127.0.0.1:4873/left.tgz", "file:../shared", "../shared", "./left.tgz", "left.tgz",
        "file:left"}) {
    EXPECT_TRUE(check(spec).ok()) << spec;
  }
}

TEST_F(DependencySpecsTest, NothingOutsideOfThePackage) {
  for (const auto* spec :
       {"file:/etc", "file:///etc", "file:../../../elsewhere", "/etc", "../../../elsewhere",
        "~/left", "file:~/left", "file:%2e%2e/%2E%2E/%2e%2e/elsewhere",
        "x/../../../../elsewhere/left.tgz"}) {
    const auto refused = check(spec);
    ASSERT_FALSE(refused.ok()) << spec;
    EXPECT_EQ(refused.error().code, errc::kInstallRefused);
    EXPECT_THAT(refused.error().details, HasSubstr("path_escape")) << spec;
    EXPECT_THAT(refused.error().message, HasSubstr("the dependency left is at"));
  }
  std::filesystem::create_directories(directory_.path() / "plugins/todo");
  std::filesystem::create_directory_symlink("/etc", directory_.path() / "plugins/todo/link");
  EXPECT_FALSE(check("file:link").ok());
}

TEST_F(DependencySpecsTest, NothingOverPlainHttpFromElsewhere) {
  for (const auto* spec :
       {"http://192.0.2.1/left.tgz", "HTTP://192.0.2.1/left.tgz", "http:192.0.2.1/left.tgz",
        "git+http://r.example/left", "git://r.example/left", "git+file:///srv/left",
        "git+file:/srv/left", "ftp://r.example/left.tgz"}) {
    const auto refused = check(spec);
    ASSERT_FALSE(refused.ok()) << spec;
    EXPECT_THAT(refused.error().message, HasSubstr("only https addresses are fetched"));
  }
}

TEST_F(DependencySpecsTest, OverridesAndOptionalOnesAreNoWayRound) {
  const auto inner = Json::object().set("left", Json::object().set("right", "file:/etc"));
  EXPECT_FALSE(checkDependencies(Json::object().set("overrides", inner), directory_.path(),
                                 directory_.path())
                   .ok());
  const auto optional = Json::object().set("left", "file:/etc");
  EXPECT_FALSE(checkDependencies(Json::object().set("optionalDependencies", optional),
                                 directory_.path(), directory_.path())
                   .ok());
  const auto same = Json::object().set("left", "$left");
  EXPECT_TRUE(
      checkDependencies(Json::object().set("overrides", same), directory_.path(), directory_.path())
          .ok());
}

TEST_F(DependencySpecsTest, DependenciesOfDependenciesNeither) {
  const auto installed = [this](const std::string& resolved) {
    directory_.write("node_modules/.package-lock.json",
                     R"({"packages":{"node_modules/left":{"resolved":")" + resolved + R"("}}})");
    return checkInstalledDependencies(directory_.path(), directory_.path());
  };
  EXPECT_TRUE(checkInstalledDependencies(directory_.path(), directory_.path()).ok());
  EXPECT_TRUE(installed("https://r.example/left.tgz").ok());
  EXPECT_TRUE(installed("file:shared").ok());
  EXPECT_THAT(installed("file:../../etc").error().message, HasSubstr("node_modules/left"));
}

}  // namespace
}  // namespace svc::installs
