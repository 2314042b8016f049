#include "example_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ExampleNames kTodoExample{.id = "todo",
                                .title = "Todo",
                                .pages = {"Todos"},
                                .tools = {"todo_add", "todo_list"},
                                .skills = {"example-todos"}};
const ExampleNames kDiskExample{
    .id = "disk-usage", .title = "Disk usage", .pages = {}, .tools = {}, .skills = {"disk-usage"}};

Renaming renaming(const ExampleNames& example, const std::string& name) {
  return {example, parseScaffoldName(name).value()};
}
std::string renamed(const std::string& text, const std::string& path = "server.ts") {
  return renaming(kTodoExample, "shopping-list").text(path, text);
}

TEST(RenamingTest, RenamesThePackageTheIdAndItsAddresses) {
  EXPECT_EQ(renaming(kTodoExample, "@me/svc-plugin-x").text("README.md", "# svc-plugin-todo\n"),
            "# @me/svc-plugin-x\n");
  EXPECT_EQ(renamed(R"(createFakePluginHost({ pluginId: "todo" }))"),
            R"(createFakePluginHost({ pluginId: "shopping-list" }))");
  EXPECT_EQ(renamed("/plugins/todo/todos"), "/plugins/shopping-list/todos");
  EXPECT_EQ(renamed("register({ name: \"todo-lamp\" })"),
            "register({ name: \"shopping-list-lamp\" })");
}

TEST(RenamingTest, RenamesTheCommand) {
  EXPECT_EQ(renamed("`svc todo add`, svc plugin config todo set a b, svc plugin rpc call todo x"),
            "`svc shopping-list add`, svc plugin config shopping-list set a b, svc plugin rpc call "
            "shopping-list x");
  EXPECT_EQ(renamed("the svc of todo; svc-hostd todo; svc plugin list; a todo"),
            "the svc of todo; svc-hostd todo; svc plugin list; a todo");
}

TEST(RenamingTest, LeavesTheNamesOfCodeAndWords) {
  for (const std::string text : {"function todo(svc)", "CREATE TABLE todo (id)", "todos_list",
                                 "my-svc-plugin-todo-x", "todo_addition", "'todo'"}) {
    EXPECT_EQ(renamed(text), text);
  }
}

TEST(RenamingTest, RenamesToolsAndSkillsWhichAllPluginsShare) {
  EXPECT_EQ(renamed("`todo_add` and \"todo_list\""),
            "`shopping_list_add` and \"shopping_list_list\"");
  EXPECT_EQ(renamed("---\nname: example-todos\n", "skills/example-todos/SKILL.md"),
            "---\nname: shopping-list-todos\n");
  const auto made = renaming(kTodoExample, "shopping-list");
  EXPECT_EQ(made.path("skills/example-todos/SKILL.md"), "skills/shopping-list-todos/SKILL.md");
  EXPECT_EQ(made.path("tests/example-todos"), "tests/example-todos");
  EXPECT_EQ(renaming(kDiskExample, "space").path("skills/disk-usage"), "skills/space");
}

TEST(RenamingTest, GivesSkillsNamesThatAreAllowed) {
  EXPECT_EQ(renaming(kDiskExample, "a--b").path("skills/disk-usage"), "skills/a-b");
  EXPECT_EQ(renaming(kTodoExample, std::string(63, 'x')).path("skills/example-todos"),
            "skills/" + std::string(63, 'x'));
}

TEST(RenamingTest, RenamesTheTitleWherePeopleReadIt) {
  EXPECT_EQ(renamed("navPanel({ title: \"Todos\" }), <h2>Todos</h2>, \"Todo\", Todo"),
            "navPanel({ title: \"Shopping List\" }), <h2>Todos</h2>, \"Shopping List\", Todo");
  EXPECT_EQ(renaming(kDiskExample, "space").text("app.tsx", "<span>Disk usage</span>"),
            "<span>Space</span>");
  EXPECT_EQ(renamed("Plugins → Todo → Settings, a row `Todos`", "README.md"),
            "Plugins → Shopping List → Settings, a row `Shopping List`");
}

TEST(RenamingTest, MakesTheReadmeOneOfAPluginElsewhere) {
  EXPECT_EQ(renamed("svc plugin install todo@examples --yes\nSee [the\nguide](../../guide/"
                    "rpc.md#calls), [it](server.ts).",
                    "README.md"),
            "svc plugin install . --yes\nSee the\nguide (`svc manual rpc`), [it](server.ts).");
}

TEST(RenamingTest, WritesAManifestOfItsOwn) {
  const auto example =
      common::Json::parse(
          R"({"name":"svc-plugin-disk-usage","type":"module","svc":{"name":"Disk usage",)"
          R"("themes":[{"id":"disk-usage","name":"Disk usage"}]},"scripts":{"test":"vitest run"}})")
          .value();
  EXPECT_EQ(
      renaming(kDiskExample, "space")
          .manifest(example,
                    {"README.md", "package.json", "server.ts", "skills", "tests", "tsconfig.json"})
          .dump(),
      R"({"name":"svc-plugin-space","type":"module","files":["dist","server.ts","skills"],)"
      R"("svc":{"name":"Space","themes":[{"id":"space","name":"Space"}]},)"
      R"("scripts":{"dev":"svc plugin dev","build":"svc plugin build","test":"vitest run"}})");
}

TEST(ExampleNamesTest, ReadsWhatTheSourcesCallThePlugin) {
  TempTree tree;
  tree.write("todo/package.json", R"({"svc":{"name":"Todo"}})");
  tree.write("todo/server.ts",
             "registerTool({\n name: \"todo_add\" });\nregisterTool({ name: \"todo_list\" })");
  tree.write("todo/app.tsx", "app.slots.navPanel({ id: \"t\", title: \"Todos\" })");
  tree.write("todo/skills/example-todos/SKILL.md", "");
  const auto names = readExampleNames(tree.path() / "todo");
  ASSERT_TRUE(names);
  EXPECT_EQ(names.value().id, "todo");
  EXPECT_EQ(names.value().title, "Todo");
  EXPECT_THAT(names.value().tools, ElementsAre("todo_add", "todo_list"));
  EXPECT_THAT(names.value().pages, ElementsAre("Todos"));
  EXPECT_THAT(names.value().skills, ElementsAre("example-todos"));
  tree.remove("todo/server.ts");
  EXPECT_THAT(readExampleNames(tree.path() / "todo").error().message,
              HasSubstr("install svc again"));
}

}  // namespace
}  // namespace svc::client
