#include "client_fixture.h"
#include "commands/authoring.h"
#include "commands/commands.h"
#include "mocks/mock_child_runner.h"
#include "scaffold_templates.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;

class PluginNewTest : public ClientTest {
 protected:
  void SetUp() override {
    writeShare(tree);
    working_dir = tree.path().string();
    variables.erase("SVC_SERVER_URL");
    variables["SVC_DATA_DIR"] = tree.path() / "data";
  }
  /// npm: the SDK is in the registry, and installing ends so.
  void npm(ChildOutcome install, bool sdk_in_registry = true) {
    EXPECT_CALL(children, run)
        .WillRepeatedly([this, install, sdk_in_registry](const ChildCommand& command, const auto&) {
          if (command.argv[1] == "view") {
            return ChildOutcome{.exit_code = sdk_in_registry ? 0 : 1, .output = "\"0.4.84\""};
          }
          if (install.exit_code == 0) {
            for (const std::string name : {"zod", "react", "@get-svc/plugin-sdk"}) {
              tree.write("svc-plugin-todo/node_modules/" + name + "/package.json", "{}");
            }
          }
          return install;
        });
  }
  int make(const std::string& name, bool as_json = false, const std::string& from = {}) {
    auto made = context();
    made.console.json = as_json;
    return newPlugin(made, {children, tree.path() / "share"}, {.name = name, .from = from});
  }

  TempTree tree;
  ::testing::StrictMock<MockChildRunner> children;
};

constexpr const char* kCreated =
    "Created svc-plugin-todo/ (svc-plugin-todo).\n"
    "Installing dependencies…\n";
constexpr const char* kNextSteps =
    "Next steps:\n"
    "  cd svc-plugin-todo\n"
    "  svc plugin install .\n"
    "  svc plugin dev\n";

TEST_F(PluginNewTest, CreatesInstallsAndNamesTheNextSteps) {
  npm({.exit_code = 0, .output = "added 3 packages"});
  EXPECT_EQ(make("todo"), 0);
  EXPECT_EQ(out.str(), std::string(kCreated) + "Dependencies installed.\n" + kNextSteps);
  EXPECT_EQ(err.str(), "");
  EXPECT_THAT(tree.read("svc-plugin-todo/skills/example/SKILL.md"),
              HasSubstr("http://127.0.0.1:4700"));
}

class PluginNewTemplateTest : public PluginNewTest {
 protected:
  void SetUp() override {
    PluginNewTest::SetUp();
    tree.write("share/templates/common/gitignore", "dist/\n");
    tree.write("share/templates/minimal/package.json", R"({"name":"{{package}}"})");
  }
  int makeFrom(const std::string& plugin_template, bool git = false) {
    auto made = context();
    return newPlugin(made, {children, tree.path() / "share"},
                     {.name = "todo", .plugin_template = plugin_template, .git = git});
  }
  /// What git answers when it is asked whether the folder lies in a repository, and when it makes one.
  void git(Result<ChildOutcome> inside, std::optional<ChildOutcome> init = std::nullopt) {
    using ::testing::_;
    using ::testing::ElementsAre;
    using ::testing::Field;
    using ::testing::Return;
    EXPECT_CALL(children, run(Field(&ChildCommand::argv, ElementsAre("git", "rev-parse", _)), _))
        .WillOnce(Return(std::move(inside)));
    if (init) {
      EXPECT_CALL(children, run(Field(&ChildCommand::argv, ElementsAre("git", "init", _)), _))
          .WillOnce(Return(*init));
    }
  }
};

TEST_F(PluginNewTemplateTest, BeginsWithTheTemplate) {
  npm({.exit_code = 0});
  EXPECT_EQ(makeFrom("minimal"), 0);
  EXPECT_THAT(out.str(),
              ::testing::StartsWith("Created svc-plugin-todo/ (svc-plugin-todo, from the template "
                                    "minimal).\n"));
  EXPECT_TRUE(tree.has("svc-plugin-todo/.gitignore"));
  EXPECT_FALSE(tree.has("svc-plugin-todo/app.tsx"));
}

TEST_F(PluginNewTemplateTest, MakesARepositoryWhereThereIsNone) {
  npm({.exit_code = 0});
  git(ChildOutcome{.exit_code = 128}, ChildOutcome{.exit_code = 0});
  EXPECT_EQ(makeFrom("minimal", true), 0);
  EXPECT_THAT(err.str(), HasSubstr("It is a git repository (--no-git makes none).\n"));
}

TEST_F(PluginNewTemplateTest, LeavesTheRepositoryAroundItAlone) {
  npm({.exit_code = 0});
  git(ChildOutcome{.exit_code = 0});
  EXPECT_EQ(makeFrom("minimal", true), 0);
  EXPECT_EQ(err.str(), "");
}

TEST_F(PluginNewTemplateTest, DoesWithoutGitAndSaysWhatItRefuses) {
  npm({.exit_code = 0});
  git(Error{errc::kNotFound, "git: no such file"});
  EXPECT_EQ(makeFrom("minimal", true), 0);
  EXPECT_EQ(err.str(), "");
  tree.remove("svc-plugin-todo");
  git(ChildOutcome{.exit_code = 128}, ChildOutcome{.exit_code = 1, .output = "fatal: no\nmore"});
  EXPECT_EQ(makeFrom("minimal", true), 0);
  EXPECT_THAT(err.str(), HasSubstr("git could not make a repository of the folder: fatal: no\n"));
}

TEST_F(PluginNewTest, AsksUntilATemplateIsChosen) {
  const std::vector<std::pair<std::string, std::string>> answers{
      {"\n", "page"}, {"1\n", "minimal"}, {" agent \n", "agent"}, {"7\nmore\n3\n", "service"}};
  for (const auto& [typed, wanted] : answers) {
    in.clear();
    in.str(typed);
    EXPECT_EQ(askForTemplate(context().console), wanted) << typed;
  }
  EXPECT_THAT(err.str(), HasSubstr("  1  minimal  a command, in 20 lines\n"));
  EXPECT_THAT(err.str(), HasSubstr("Number or name [page]: "));
  EXPECT_THAT(err.str(), HasSubstr("There is no template \"more\".\n"));
}

TEST_F(PluginNewTest, MakesNothingWithoutAnAnswer) {
  auto made = context();
  made.console.in_terminal = true;
  made.console.err_terminal = true;
  EXPECT_EQ(pluginNew(made, {.name = "todo"}), 4);
  EXPECT_THAT(err.str(), HasSubstr("svc: no template was chosen; nothing was made\n"
                                   "hint: name it: svc plugin new <name> --template <template>"));
  EXPECT_FALSE(tree.has("svc-plugin-todo"));
}

TEST_F(PluginNewTest, RefusesTheIdsOfBundledPlugins) {
  tree.write("share/builtin/author/package.json", "{}");
  EXPECT_EQ(make("author"), 2);
  EXPECT_THAT(err.str(), HasSubstr("\"author\" is the plugin builtin:author of the service"));
  EXPECT_EQ(out.str(), "");
}

TEST_F(PluginNewTest, SaysThatTheSdkIsTheCarriedCopy) {
  npm({.exit_code = 0}, false);
  EXPECT_EQ(make("todo"), 0);
  EXPECT_EQ(out.str(), std::string(kCreated) + "Dependencies installed.\n" + kNextSteps);
  EXPECT_EQ(err.str(),
            "@get-svc/plugin-sdk 0.4.84 is the copy that comes with this svc; the registry does "
            "not have it.\n");
}

TEST_F(PluginNewTest, ShowsWhatNpmSaidAndHowToInstallLater) {
  npm({.exit_code = 1, .output = "npm error code ECONNREFUSED\nnpm error network"});
  EXPECT_EQ(make("todo"), 0);
  EXPECT_EQ(out.str(), std::string(kCreated) +
                           "Next steps:\n"
                           "  cd svc-plugin-todo\n"
                           "  npm install --include=dev\n"
                           "  svc plugin install .\n"
                           "  svc plugin dev\n");
  EXPECT_EQ(err.str(),
            "svc: warning: the dependencies are not installed: npm ended with exit code 1\n"
            "  npm error code ECONNREFUSED\n"
            "  npm error network\n");
  EXPECT_TRUE(tree.has("svc-plugin-todo/package.json"));
}

TEST_F(PluginNewTest, NamesThePackagesThatNpmLeftOut) {
  EXPECT_CALL(children, run).WillRepeatedly([this](const ChildCommand&, const auto&) {
    tree.write("svc-plugin-todo/node_modules/zod/package.json", "{}");
    return ChildOutcome{.exit_code = 0, .output = "\"0.4.84\""};
  });
  EXPECT_EQ(make("todo"), 0);
  EXPECT_EQ(err.str(),
            "svc: warning: npm reported success, but these packages are missing: "
            "@get-svc/plugin-sdk, react\n");
  EXPECT_THAT(out.str(), HasSubstr("  npm install --include=dev\n"));
}

TEST_F(PluginNewTest, SaysWhatRemainsWhenInterrupted) {
  npm({.exit_code = 143, .interrupted = true}, false);
  EXPECT_EQ(make("todo"), 130);
  EXPECT_THAT(err.str(), HasSubstr("svc: interrupted: svc-plugin-todo/ is complete, its "
                                   "dependencies are not installed\n"
                                   "hint: cd svc-plugin-todo && npm install --include=dev"));
}

TEST_F(PluginNewTest, RefusesBadNamesAndExistingDirectories) {
  EXPECT_EQ(make("plugin"), 2);
  EXPECT_EQ(make("No"), 2);
  EXPECT_EQ(make("rpc"), 2);
  tree.write("svc-plugin-todo/mine", "mine");
  EXPECT_EQ(make("todo"), 1);
  EXPECT_THAT(err.str(), HasSubstr("svc: svc-plugin-todo exists already; nothing was changed\n"
                                   "hint: choose another name"));
  EXPECT_EQ(out.str(), "");
}

TEST_F(PluginNewTest, PrintsOneEnvelopeWithJson) {
  npm({.exit_code = 0});
  EXPECT_EQ(make("@me/svc-plugin-todo", true), 0);
  EXPECT_EQ(
      out.str(),
      R"({"ok":true,"directory":"svc-plugin-todo","package":"@me/svc-plugin-todo","id":"todo",)"
      R"("installed":true,"nextSteps":["cd svc-plugin-todo","svc plugin install .","svc plugin dev"]})"
      "\n");
}

TEST_F(PluginNewTest, BeginsWithAnExample) {
  writeExample(tree, "notes", "Notes.");
  npm({.exit_code = 0});
  EXPECT_EQ(make("todo", false, "notes"), 0);
  EXPECT_THAT(out.str(),
              HasSubstr("Created svc-plugin-todo/ (svc-plugin-todo, from the example notes).\n"));
  EXPECT_THAT(out.str(), HasSubstr(kNextSteps));
  EXPECT_EQ(tree.read("svc-plugin-todo/server.ts"), "register(\"todo\")\n");
  EXPECT_EQ(tree.read("svc-plugin-todo/.gitignore"), "dist/\n");
  const auto manifest = tree.read("svc-plugin-todo/package.json");
  EXPECT_THAT(manifest, HasSubstr("\"name\": \"svc-plugin-todo\""));
  EXPECT_THAT(manifest, HasSubstr("\"name\": \"Todo\""));
  // The pins are those of this svc.
  EXPECT_THAT(manifest, HasSubstr("\"@get-svc/plugin-sdk\": \"0.4.84\""));
  EXPECT_THAT(manifest, HasSubstr("\"react\": \"19.3.1\""));
}

TEST_F(PluginNewTest, ListsTheExamplesWhenThereIsNoSuchOne) {
  writeExample(tree, "notes", "Notes in SQL.");
  writeExample(tree, "stock", "Commands.");
  EXPECT_EQ(make("todo", false, "note"), 2);
  EXPECT_EQ(err.str(),
            "svc: there is no example \"note\"\nhint: did you mean notes?\n"
            "  notes  Notes in SQL.\n  stock  Commands.\n");
  EXPECT_EQ(make("todo", false, ".."), 2);
  EXPECT_FALSE(tree.has("svc-plugin-todo"));
  err.str("");
  EXPECT_EQ(make("todo", true, "zebra"), 2);
  EXPECT_THAT(out.str(), HasSubstr(R"("code":"usage","message":"there is no example \"zebra\"")"));
  EXPECT_EQ(err.str(),
            "svc: there is no example \"zebra\"\nhint: `svc plugin examples` lists them\n");
}

TEST_F(PluginNewTest, SaysThatTheExamplesAreMissing) {
  EXPECT_EQ(make("todo", false, "notes"), 1);
  EXPECT_THAT(err.str(), HasSubstr("is missing or damaged: install svc again"));
}

TEST_F(PluginNewTest, UsesTheAddressOfTheServerThatWouldBeAsked) {
  variables["SVC_SERVER_URL"] = "http://127.0.0.1:9999";
  npm({.exit_code = 0});
  EXPECT_EQ(make("todo"), 0);
  EXPECT_THAT(tree.read("svc-plugin-todo/skills/example/SKILL.md"),
              HasSubstr("http://127.0.0.1:9999"));
}

TEST_F(PluginNewTest, SaysThatTheInstallationIsIncomplete) {
  tree.remove("share/sdk");
  EXPECT_EQ(make("todo"), 1);
  EXPECT_THAT(err.str(), HasSubstr("install svc again"));
  EXPECT_FALSE(tree.has("svc-plugin-todo"));
}

}  // namespace
}  // namespace svc::client
