#include "client_fixture.h"
#include "commands/commands.h"
#include "exit_code.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;

constexpr const char* kManifest = R"({
  "name": "svc-plugin-x",
  "svc": {
    "app": "./app.tsx"
  },
  "devDependencies": {
    "clsx": "2.0.0"
  }
}
)";

class PluginAddTest : public ClientTest {
 protected:
  void SetUp() override {
    program_dir = (tree.path() / "bin").string();
    working_dir = (tree.path() / "x").string();
    writeRegistry(tree, "share/svc");
    share("registry", R"({"items":[{"name":"table","description":"A table"},
      {"name":"select","description":"A list of choices"},
      {"name":"utils","description":"Joins class names"}]})");
    share("select", R"({"dependencies":["@scope/icons@^1.75.0"],
      "registryDependencies":["@svc/utils"],
      "files":[{"path":"components/ui/select.tsx","content":"the select\n"}]})");
    tree.write("x/package.json", kManifest);
    tree.write("x/tsconfig.json",
               R"({"compilerOptions":{"jsx":"react-jsx","paths":{"@/*":["./*"]}}})");
  }
  void share(const std::string& name, const std::string& json) {
    tree.write("share/svc/registry/" + name + ".json", json);
  }
  int add(std::vector<std::string> names, bool force = false, bool as_json = false) {
    auto made = context();
    made.console.json = as_json;
    return pluginAdd(made, {.names = std::move(names), .force = force});
  }
  /// On a terminal, with this answer.
  int addAnswering(const std::string& answer) {
    in.str(answer);
    auto made = context();
    made.console.in_terminal = true;
    return pluginAdd(made, {.names = {"table"}});
  }

  TempTree tree;
};

TEST_F(PluginAddTest, CopiesAComponentWithWhatItNeeds) {
  EXPECT_EQ(add({"table", "select"}), 0);
  EXPECT_EQ(out.str(),
            "wrote components/ui/table.tsx\n"
            "wrote components/ui/select.tsx\n"
            "wrote lib/utils.ts\n"
            "added to package.json: @scope/icons, tailwind-merge\n"
            "npm install --include=dev\n");
  EXPECT_EQ(err.str(), "");
  EXPECT_EQ(tree.read("x/components/ui/table.tsx"), "the table\n");
  EXPECT_EQ(tree.read("x/lib/utils.ts"), "cn\n");
  EXPECT_EQ(tree.read("x/package.json"), R"({
  "name": "svc-plugin-x",
  "svc": {
    "app": "./app.tsx"
  },
  "devDependencies": {
    "clsx": "2.0.0",
    "tailwind-merge": "3.7.0"
  },
  "dependencies": {
    "@scope/icons": "^1.75.0"
  }
}
)");
}

TEST_F(PluginAddTest, KeepsWhatIsThereAlready) {
  tree.write("x/components/ui/table.tsx", "the table\n");
  tree.write("x/lib/utils.ts", "mine\n");
  EXPECT_EQ(add({"table"}, true), 0);
  EXPECT_THAT(out.str(), HasSubstr("kept  components/ui/table.tsx\nkept  lib/utils.ts\n"));
  EXPECT_EQ(tree.read("x/lib/utils.ts"), "mine\n");
}

TEST_F(PluginAddTest, OverwritesOnlyWithForceOrAYes) {
  tree.write("x/components/ui/table.tsx", "mine\n");
  EXPECT_EQ(add({"select", "table"}), kExitRefused);
  EXPECT_EQ(err.str(),
            "svc: nothing was added: components/ui/table.tsx would be overwritten\n"
            "hint: move it away, or add --force\n");
  EXPECT_FALSE(tree.has("x/components/ui/select.tsx"));
  EXPECT_EQ(tree.read("x/package.json"), kManifest);

  EXPECT_EQ(addAnswering("n\n"), kExitRefused);
  EXPECT_THAT(err.str(), HasSubstr("These files are there and differ: components/ui/table.tsx\n"
                                   "Overwrite them? [y/N]"));
  EXPECT_EQ(tree.read("x/components/ui/table.tsx"), "mine\n");
  EXPECT_EQ(addAnswering("y\n"), 0);
  EXPECT_EQ(tree.read("x/components/ui/table.tsx"), "the table\n");

  tree.write("x/components/ui/table.tsx", "mine\n");
  EXPECT_EQ(add({"table"}, true), 0);
  EXPECT_EQ(tree.read("x/components/ui/table.tsx"), "the table\n");
}

TEST_F(PluginAddTest, ListsTheComponents) {
  EXPECT_EQ(add({}), 0);
  EXPECT_EQ(out.str(), "select\tA list of choices\ntable\tA table\nutils\tJoins class names\n");
  out.str("");
  EXPECT_EQ(add({}, false, true), 0);
  EXPECT_THAT(out.str(), HasSubstr(R"("components":[{"name":"select","description":"A list)"));
}

TEST_F(PluginAddTest, NamesTheComponentsThatThereAre) {
  EXPECT_EQ(add({"table", "tabel"}), 2);
  EXPECT_EQ(err.str(),
            "svc: there is no component \"tabel\"\n"
            "hint: did you mean table?\n"
            "  select  A list of choices\n"
            "  table   A table\n"
            "  utils   Joins class names\n");
  EXPECT_FALSE(tree.has("x/components/ui/table.tsx"));
}

TEST_F(PluginAddTest, NeedsAPlugin) {
  tree.write("x/package.json", R"({"name":"other"})");
  EXPECT_EQ(add({"table"}), 1);
  EXPECT_EQ(err.str(),
            "svc: package.json has no \"svc\": it is no plugin\n"
            "hint: go to the directory of a plugin, or name it with --path\n");
  tree.remove("x/package.json");
  EXPECT_EQ(add({"table"}), 3);
  EXPECT_FALSE(tree.has("x/components"));
}

TEST_F(PluginAddTest, SaysHowComponentsAreFoundWhereNothingSaysIt) {
  tree.remove("x/tsconfig.json");
  EXPECT_EQ(add({"table"}), 0);
  EXPECT_THAT(err.str(), HasSubstr(R"(add to its compilerOptions: "paths": { "@/*": ["./*"] })"));
  EXPECT_THAT(err.str(), HasSubstr(R"(add to its compilerOptions: "jsx": "react-jsx")"));
}

TEST_F(PluginAddTest, AnswersProgramsWithWhatItDid) {
  tree.write("x/lib/utils.ts", "mine\n");
  EXPECT_EQ(add({"table"}, false, true), 0);
  EXPECT_EQ(out.str(),
            R"({"ok":true,"written":["components/ui/table.tsx"],"kept":["lib/utils.ts"],)"
            R"("packages":["tailwind-merge"]})"
            "\n");
}

TEST_F(PluginAddTest, SaysWhatOfTheInstallationIsDamaged) {
  share("utils", "{");
  EXPECT_EQ(add({"table"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("registry/utils.json is missing or damaged: install svc again"));
  EXPECT_FALSE(tree.has("x/components"));
  tree.remove("share/svc/registry/registry.json");
  EXPECT_EQ(add({}), 1);
  EXPECT_THAT(err.str(), HasSubstr("registry/registry.json is missing or damaged"));
}

}  // namespace
}  // namespace svc::client
