#include "client_fixture.h"
#include "commands/authoring.h"
#include "mocks/mock_child_runner.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;

constexpr const char* kOld = R"({
  "name": "svc-plugin-x",
  "dependencies": {
    "vaul": "^1"
  },
  "devDependencies": {
    "@get-svc/plugin-sdk": "0.4.80"
  }
}
)";

class PluginTypesTest : public ClientTest {
 protected:
  void SetUp() override {
    writeShare(tree);
    working_dir = tree.path().string();
  }
  void installed(const std::string& version) {
    tree.write("x/node_modules/@get-svc/plugin-sdk/package.json",
               R"({"version":")" + version + R"("})");
    tree.write("x/node_modules/@get-svc/plugin-sdk/dist/runtime-slots.json",
               tree.read("share/sdk/dist/runtime-slots.json"));
  }
  int types(const std::string& path, bool check = false, bool as_json = false) {
    auto made = context();
    made.console.json = as_json;
    return updateTypes(made, {children, tree.path() / "share"}, {path, check});
  }

  TempTree tree;
  ::testing::StrictMock<MockChildRunner> children;
};

TEST_F(PluginTypesTest, RepinsAndNamesTheInstallCommand) {
  tree.write("x/package.json", kOld);
  installed("0.4.84");
  EXPECT_EQ(types("x"), 0);
  EXPECT_EQ(out.str(),
            "@get-svc/plugin-sdk: 0.4.80 → 0.4.84 in devDependencies\n"
            "vaul: ^1 → 1.1.2 in devDependencies\n"
            "npm install --include=dev\n");
  EXPECT_EQ(tree.read("x/package.json"), R"({
  "name": "svc-plugin-x",
  "dependencies": {},
  "devDependencies": {
    "@get-svc/plugin-sdk": "0.4.84",
    "vaul": "1.1.2"
  }
}
)");
  out.str("");
  EXPECT_EQ(types("x"), 0);
  EXPECT_EQ(out.str(), "SDK 0.4.84 is current.\n");
}

TEST_F(PluginTypesTest, HalfAnSdkIsInstalledAnew) {
  tree.write("x/package.json", R"({"devDependencies":{"@get-svc/plugin-sdk":"0.4.84"}})");
  installed("0.4.84");
  tree.write("share/sdk/dist/app/index.d.ts", "export {};");
  EXPECT_CALL(children, run)
      .WillOnce(::testing::Return(ChildOutcome{.exit_code = 0, .output = "\"0.4.84\""}));
  EXPECT_EQ(types("x"), 0);
  EXPECT_EQ(out.str(), "SDK 0.4.84 is current.\nnpm install --include=dev\n");
  EXPECT_THAT(err.str(), HasSubstr("in node_modules was not whole: removed"));
  EXPECT_FALSE(std::filesystem::exists(tree.path() / "x/node_modules/@get-svc/plugin-sdk"));
}

TEST_F(PluginTypesTest, ALinkedSdkIsLeftAlone) {
  tree.write("x/package.json", R"({"devDependencies":{"@get-svc/plugin-sdk":"0.4.84"}})");
  tree.write("sdk/package.json", R"({"version":"0.4.84"})");
  std::filesystem::create_directories(tree.path() / "x/node_modules/@get-svc");
  std::filesystem::create_directory_symlink(tree.path() / "sdk",
                                            tree.path() / "x/node_modules/@get-svc/plugin-sdk");
  EXPECT_EQ(types("x"), 0);
  EXPECT_EQ(out.str(), "SDK 0.4.84 is current.\n");
}

TEST_F(PluginTypesTest, ChecksWithoutWriting) {
  tree.write("x/package.json", kOld);
  EXPECT_EQ(types("x", true), 1);
  EXPECT_EQ(out.str(),
            "@get-svc/plugin-sdk: 0.4.80 → 0.4.84 in devDependencies\n"
            "vaul: ^1 → 1.1.2 in devDependencies\n");
  EXPECT_EQ(tree.read("x/package.json"), kOld);
  tree.write("x/package.json", R"({"devDependencies":{"@get-svc/plugin-sdk":"0.4.84"}})");
  out.str("");
  EXPECT_EQ(types("x", true), 0);
  EXPECT_EQ(out.str(), "SDK 0.4.84 is current.\n");
}

TEST_F(PluginTypesTest, InstallsTheCarriedCopyWhereTheRegistryHasNone) {
  tree.write("x/package.json", R"({"devDependencies":{"@get-svc/plugin-sdk":"0.4.84"}})");
  EXPECT_CALL(children, run)
      .WillOnce(::testing::Return(ChildOutcome{.exit_code = 1}))
      .WillOnce([this](const ChildCommand& command, const auto&) {
        EXPECT_EQ(command.directory, tree.path() / "x");
        EXPECT_EQ(command.argv.back(),
                  (tree.path() / "share/sdk/get-svc-plugin-sdk-0.4.84.tgz").string());
        return ChildOutcome{};
      })
      .WillOnce(::testing::Return(ChildOutcome{}));
  EXPECT_EQ(types("x"), 0);
  EXPECT_EQ(out.str(), "SDK 0.4.84 is current.\n");
  EXPECT_THAT(err.str(), HasSubstr("Installed: @get-svc/plugin-sdk 0.4.84 is the copy that comes"));
}

TEST_F(PluginTypesTest, LeavesTheInstallingToTheAuthorWhenTheRegistryHasIt) {
  tree.write("x/package.json", kOld);
  installed("0.4.80");
  EXPECT_CALL(children, run)
      .WillOnce(::testing::Return(ChildOutcome{.exit_code = 0, .output = "\"0.4.84\""}));
  EXPECT_EQ(types("x"), 0);
  EXPECT_THAT(out.str(), HasSubstr("\nnpm install --include=dev\n"));
}

TEST_F(PluginTypesTest, FailsWhenTheCopyCannotBeInstalled) {
  tree.write("x/package.json", kOld);
  EXPECT_CALL(children, run)
      .WillOnce(::testing::Return(ChildOutcome{.exit_code = 1}))
      .WillOnce(::testing::Return(ChildOutcome{.exit_code = 1, .output = "npm error EACCES"}));
  EXPECT_EQ(types("x"), 1);
  EXPECT_THAT(err.str(), HasSubstr("svc: warning: the packages are not installed: npm ended with "
                                   "exit code 1\nhint: npm install --include=dev --no-save "));
  EXPECT_THAT(err.str(), HasSubstr("\n  npm error EACCES\n"));
}

TEST_F(PluginTypesTest, NamesAManifestThatIsMissingOrBroken) {
  EXPECT_EQ(types("nowhere"), 3);
  EXPECT_THAT(err.str(), HasSubstr("nowhere/package.json cannot be read"));
  tree.write("x/package.json", "{");
  EXPECT_EQ(types("x"), 1);
  EXPECT_EQ(out.str(), "");
}

TEST_F(PluginTypesTest, PrintsOneEnvelopeWithJson) {
  tree.write("x/package.json", kOld);
  EXPECT_EQ(types("x", true, true), 1);
  EXPECT_EQ(out.str(), R"({"ok":false,"sdkVersion":"0.4.84","changes":[)"
                       R"({"name":"@get-svc/plugin-sdk","from":"0.4.80","to":"0.4.84"},)"
                       R"({"name":"vaul","from":"^1","to":"1.1.2"}],"installNeeded":false})"
                       "\n");
}

}  // namespace
}  // namespace svc::client
