#include "scaffold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "console.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(ScaffoldNameTest, TakesTheThreeForms) {
  for (const std::string typed : {"weekly-report", "svc-plugin-weekly-report"}) {
    const auto name = parseScaffoldName(typed);
    ASSERT_TRUE(name) << typed;
    EXPECT_EQ(name.value().package, "svc-plugin-weekly-report");
    EXPECT_EQ(name.value().directory, "svc-plugin-weekly-report");
    EXPECT_EQ(name.value().id, "weekly-report");
    EXPECT_EQ(name.value().title, "Weekly Report");
  }
  const auto scoped = parseScaffoldName("@me-2/svc-plugin-x");
  ASSERT_TRUE(scoped);
  EXPECT_EQ(scoped.value().package, "@me-2/svc-plugin-x");
  EXPECT_EQ(scoped.value().directory, "svc-plugin-x");
  EXPECT_EQ(scoped.value().id, "x");
}

TEST(ScaffoldNameTest, RefusesWhatNoPackageIsCalled) {
  for (const std::string typed :
       {"", "Todo", "a b", "../x", "a/b", "-x", "x-", "svc-plugin-", "svc-plugin--x", "@me/todo",
        "@me", "@/svc-plugin-x", "@Me/svc-plugin-x", "@me/svc-plugin-", "@me/a/svc-plugin-x",
        "tödo", "x_y", "x.y", "."}) {
    const auto name = parseScaffoldName(typed);
    ASSERT_FALSE(name) << typed;
    EXPECT_EQ(name.error().code, codes::kUsage) << typed;
    EXPECT_THAT(name.error().message, HasSubstr("is not a plugin name; use todo")) << typed;
  }
  EXPECT_THAT(parseScaffoldName(std::string(204, 'x')).error().message,
              HasSubstr("npm allows 214"));
  EXPECT_TRUE(parseScaffoldName(std::string(203, 'x')));
}

TEST(ScaffoldNameTest, RefusesNamesOfTheService) {
  for (const std::string typed : {"plugin", "svc-plugin-thread", "@me/svc-plugin-help"}) {
    EXPECT_THAT(parseScaffoldName(typed).error().message, HasSubstr("is the name of a command"))
        << typed;
  }
  for (const std::string typed : {"plugin", "doctor"}) {
    EXPECT_FALSE(parseScaffoldName(typed)) << typed;
  }
  // What an install refuses, and nothing beyond it.
  for (const std::string typed : {"rpc", "safe-mode", "svc--x", "updates", "cache", "snapshots",
                                  "toolchain-1", "svc", "user"}) {
    EXPECT_THAT(parseScaffoldName(typed).error().message, HasSubstr("is reserved for the service"))
        << typed;
  }
  for (const std::string typed : {"updates-x", "browser", "guide", "manager", "theme", "voice"}) {
    EXPECT_TRUE(parseScaffoldName(typed)) << typed;
  }
}

class ScaffoldTest : public ::testing::Test {
 protected:
  void SetUp() override { writeShare(tree); }
  Status write(const std::string& typed, const std::string& plugin_template = "page") {
    const auto name = parseScaffoldName(typed).value();
    return Scaffold(tree.path() / "share", {"0.43.0", "http://127.0.0.1:4700"}, sdk())
        .write(plugin_template, name, tree.path() / name.directory);
  }
  const CarriedSdk& sdk() {
    sdk_ = readCarriedSdk(tree.path() / "share").value();
    return sdk_;
  }

  TempTree tree;
  CarriedSdk sdk_;
};

TEST_F(ScaffoldTest, FillsThePlaceholders) {
  ASSERT_TRUE(write("@me/svc-plugin-weekly-report"));
  EXPECT_EQ(tree.read("svc-plugin-weekly-report/package.json"), R"({
  "name": "@me/svc-plugin-weekly-report",
  "engines": {
    "svc": ">=0.43",
    "svcPluginSdk": ">=0.4.84"
  },
  "svc": {
    "name": "Weekly Report",
    "server": "./server.ts"
  },
  "dependencies": {
    "zod": "^4"
  },
  "devDependencies": {
    "@get-svc/plugin-sdk": "0.4.84",
    "react": "19.3.1"
  }
}
)");
  EXPECT_EQ(tree.read("svc-plugin-weekly-report/app.tsx"),
            "<p style={{ margin: 0 }}>weekly-report weekly-report</p>\n");
  EXPECT_EQ(tree.read("svc-plugin-weekly-report/skills/example/SKILL.md"),
            "svc weekly-report at http://127.0.0.1:4700\n");
  EXPECT_EQ(tree.read("svc-plugin-weekly-report/.gitignore"), "dist/\n");
  EXPECT_FALSE(tree.has("svc-plugin-weekly-report/gitignore"));
}

TEST_F(ScaffoldTest, ATemplateHasWhatAllHaveAndItsOwn) {
  tree.write("share/templates/common/gitignore", "dist/\n");
  tree.write("share/templates/agent/package.json", R"({"name":"{{package}}"})");
  tree.write("share/templates/agent/skills/{{skill}}/SKILL.md", "{{skill}} {{tool}}_add\n");
  ASSERT_TRUE(write("weekly-report", "agent"));
  EXPECT_EQ(tree.read("svc-plugin-weekly-report/.gitignore"), "dist/\n");
  EXPECT_EQ(tree.read("svc-plugin-weekly-report/skills/weekly-report/SKILL.md"),
            "weekly-report weekly_report_add\n");
  EXPECT_FALSE(tree.has("svc-plugin-weekly-report/app.tsx"));
}

TEST(ScaffoldNameTest, NamesOfSkillsAndToolsHaveTheirLimits) {
  const auto name = parseScaffoldName(std::string(40, 'a') + "--" + std::string(40, 'b')).value();
  EXPECT_EQ(name.skill(), std::string(40, 'a') + "-" + std::string(22, 'b'));
  EXPECT_EQ(name.tool(), std::string(30, 'a'));
  EXPECT_EQ(parseScaffoldName("weekly-report").value().tool(), "weekly_report");
}

TEST_F(ScaffoldTest, LeavesWhatExistsUntouched) {
  tree.write("svc-plugin-todo/mine.txt", "mine");
  tree.write("svc-plugin-taken", "a file");
  const auto written = write("todo");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, errc::kConflict);
  EXPECT_EQ(written.error().message, "svc-plugin-todo exists already; nothing was changed");
  EXPECT_EQ(tree.read("svc-plugin-todo/mine.txt"), "mine");
  EXPECT_FALSE(tree.has("svc-plugin-todo/package.json"));
  EXPECT_FALSE(write("taken"));
  EXPECT_EQ(tree.read("svc-plugin-taken"), "a file");
}

TEST_F(ScaffoldTest, RemovesWhatItCouldNotComplete) {
  tree.remove("share/scaffold");
  const auto written = write("todo");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, EndsWith("install svc again"));
  EXPECT_FALSE(tree.has("svc-plugin-todo"));
}

}  // namespace
}  // namespace svc::client
