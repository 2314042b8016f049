#include <filesystem>
#include <fstream>

#include "client_fixture.h"
#include "commands/commands.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;
constexpr auto kPath = "/api/v1/plugins/install";

class InstallTest : public ClientTest {
 protected:
  void SetUp() override {
    auto pattern = (std::filesystem::temp_directory_path() / "svc-install-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    working_dir = pattern;
    std::filesystem::create_directories(working_dir + "/todo");
    std::ofstream(working_dir + "/todo/package.json")
        << R"({"name":"svc-plugin-todo","version":"1.0.0"})";
  }
  void TearDown() override { std::filesystem::remove_all(working_dir); }

  static std::string record(const std::string& status) {
    return R"({"ok":true,"plugin":{"id":"todo","version":"1.0.0","status":")" + status +
           R"(","source":"path:/x"}})";
  }
  int install(const std::string& source, bool yes, bool terminal = false) {
    auto made = context();
    made.console.in_terminal = terminal;
    return pluginInstall(made, source, yes);
  }
};

TEST_F(InstallTest, ResolvesRelativePathsAndPrintsTheBlock) {
  expectPost(kPath, record("running"));
  EXPECT_EQ(install("./todo/", true), 0);
  EXPECT_EQ(requests.back().body, R"({"source":"path:)" + working_dir + R"(/todo"})");
  EXPECT_EQ(err.str(), "Installing svc-plugin-todo@1.0.0 from " + working_dir + "/todo\n");
  EXPECT_EQ(
      out.str(),
      "Installed:\ntodo@1.0.0  running\n  source: path:/x\n  handlers: 0 calls / 0 ms / 0 ms\n");
}

TEST_F(InstallTest, TakesAnExistingDirectoryWithoutSeparatorAsPath) {
  expectPost(kPath, record("running"));
  EXPECT_EQ(install("todo", true), 0);
  EXPECT_EQ(requests.back().body, R"({"source":"path:)" + working_dir + R"(/todo"})");
}

TEST_F(InstallTest, PassesOtherSourcesOn) {
  expectPost(kPath, record("running"));
  EXPECT_EQ(install("npm:svc-plugin-x@^1", true), 0);
  EXPECT_EQ(requests.back().body, R"({"source":"npm:svc-plugin-x@^1"})");
}

TEST_F(InstallTest, RefusesWithoutTerminalAndConsent) {
  EXPECT_EQ(install("todo", false), 4);
  EXPECT_THAT(err.str(), HasSubstr("not sandboxed"));
  EXPECT_THAT(err.str(), HasSubstr("hint: run it on a terminal, or add --yes\n"));
}

TEST_F(InstallTest, AsksOnATerminal) {
  in.str("Yes\nn\n\n");
  expectPost(kPath, record("running"));
  EXPECT_EQ(install("todo", false, true), 0);
  EXPECT_EQ(install("todo", false, true), 4);
  EXPECT_EQ(install("todo", false, true), 4);
  EXPECT_THAT(err.str(), HasSubstr("Install? [y/N] "));
}

TEST_F(InstallTest, FailsForAPluginThatDoesNotRun) {
  expectPost(kPath, record("error"));
  expectPost(kPath, record("incompatible"));
  EXPECT_EQ(install("todo", true), 1);
  EXPECT_EQ(install("todo", true), 5);
}

TEST_F(InstallTest, ReportsARefusal) {
  expectPost(kPath,
             R"({"ok":false,"error":{"code":"install_refused","message":"no package.json"}})", 422);
  EXPECT_EQ(install("todo", true), 1);
  EXPECT_THAT(err.str(), HasSubstr("svc: no package.json\n"));
}

}  // namespace
}  // namespace svc::client
