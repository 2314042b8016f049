#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "svc/skillfiles/skill_tree.h"
#include "svc/skillfiles/tree_transfer.h"

#include "client_fixture.h"
#include "commands/skill.h"
#include "skill_targets.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kText = "---\nname: todo\ndescription: Use it\n---\nText\n";

class SkillCommandsTest : public ClientTest {
 protected:
  SkillCommandsTest() {
    working_dir = tree.path();
    home = tree.path() / "home";
    fs::create_directories(tree.path() / "home");
  }
  /// A list with one skill of a plugin, as the server has it.
  static std::string list(const std::string& text, const std::string& scope = "plugin") {
    return fmt::format(
        R"({{"ok":true,"problems":[],"skills":[{{"id":"{}:todo","name":"todo","scope":"{}","offered":true,"tree":{{"digest":"{}","files":[]}}}}]}})",
        scope, scope, treeOf(text));
  }
  static std::string treeOf(const std::string& text) {
    return skillfiles::treeDigest(
        {{.path = "SKILL.md", .size = text.size(), .digest = skillfiles::digestOf(text)}});
  }
  void expectTree(const std::string& text) {
    expectGet(
        "/api/v1/skills/tree/" + treeOf(text),
        fmt::format(
            R"({{"ok":true,"files":[{{"path":"SKILL.md","executable":false,"dataBase64":"{}"}}]}})",
            skillfiles::encodeBase64(text)));
  }
  int sync(
      const SkillSyncOptions& options, const std::function<bool()>& wait = [] { return false; }) {
    auto made = context();
    return skillSync(made, options, wait);
  }
  int validate(const std::string& folder, bool json = false) {
    auto made = context();
    made.console.json = json;
    return skillValidate(made, folder);
  }
  TempTree tree;
};

TEST_F(SkillCommandsTest, SyncsTheFoldersOfTheUser) {
  expectGet("/api/v1/skills", list(kText));
  expectTree(kText);
  expectTree(kText);
  EXPECT_EQ(sync({}), 0);
  EXPECT_EQ(tree.read("home/.agents/skills/todo/SKILL.md"), kText);
  EXPECT_EQ(tree.read("home/.claude/skills/todo/SKILL.md"), kText);
  EXPECT_THAT(out.str(), HasSubstr("home/.agents/skills:\n  added    todo\n"));
}

TEST_F(SkillCommandsTest, ACopyThatWasChangedTakesTheSkillFromNobodyElse) {
  expectGet("/api/v1/skills", list(kText));
  expectTree(kText);
  expectTree(kText);
  EXPECT_EQ(sync({}), 0);
  const auto edited = std::string(kText) + "mine\n";
  tree.write("home/.agents/skills/todo/SKILL.md", edited);
  // The copy is a skill of the user's now, and hides that of the plugin.
  const auto entry = [](const char* scope, const std::string& digest, const char* offered) {
    return fmt::format(
        R"({{"id":"{}:todo","name":"todo","scope":"{}","offered":{},"tree":{{"digest":"{}","files":[]}}}})",
        scope, scope, offered, digest);
  };
  const auto both = R"({"ok":true,"problems":[],"skills":[)" +
                    entry("shared-user", treeOf(edited), "true") + "," +
                    entry("plugin", treeOf(kText), "false") + "," +
                    entry("plugin", treeOf("of another plugin"), "false") + "]}";
  for (int round = 0; round < 2; ++round) {
    out.str("");
    expectGet("/api/v1/skills", both);
    EXPECT_EQ(sync({}), 0);
    EXPECT_THAT(out.str(), HasSubstr("kept     todo: it has been changed by hand"));
    EXPECT_EQ(tree.read("home/.agents/skills/todo/SKILL.md"), edited);
    EXPECT_EQ(tree.read("home/.claude/skills/todo/SKILL.md"), kText);
  }
}

TEST_F(SkillCommandsTest, ASkillOfTheUsersOwnIsBesideNoCopyOfAPlugins) {
  expectGet("/api/v1/skills", list(kText));
  expectTree(kText);
  EXPECT_EQ(sync({.agents = {"claude"}, .project = {}}), 0);
  const auto both = fmt::format(
      R"({{"ok":true,"problems":[],"skills":[{{"id":"shared-user:todo","name":"todo","scope":"shared-user","offered":true,"tree":{{"digest":"00","files":[]}}}},{{"id":"plugin:todo","name":"todo","scope":"plugin","offered":false,"tree":{{"digest":"{}","files":[]}}}}]}})",
      treeOf(kText));
  expectGet("/api/v1/skills", both);
  EXPECT_EQ(sync({}), 0);
  EXPECT_FALSE(tree.has("home/.claude/skills/todo"));
  // In a project it would have precedence over the user's.
  fs::create_directories(tree.path() / "project");
  expectGet("/api/v1/skills", both);
  EXPECT_EQ(sync({.agents = {}, .project = "project"}), 0);
  EXPECT_FALSE(tree.has("project/.agents"));
  EXPECT_FALSE(tree.has("project/.claude"));
}

TEST_F(SkillCommandsTest, ASkillOfTheProjectsOwnIsBesideNoCopyOfAPlugins) {
  for (const std::string place : {".svc/skills", ".agents/skills"}) {
    const auto project = "project-" + place.substr(1, 3);
    tree.write(project + "/" + place + "/todo/SKILL.md", std::string(kText) + "mine\n");
    expectGet("/api/v1/skills", list(kText));
    EXPECT_EQ(sync({.agents = {}, .project = project}), 0);
    EXPECT_THAT(out.str(), HasSubstr("up to date (0 skills)"));
    EXPECT_FALSE(tree.has(project + "/.claude")) << place;
  }
}

TEST_F(SkillCommandsTest, ACopyInAProjectThatWasChangedTakesTheSkillFromNobodyElse) {
  fs::create_directories(tree.path() / "project");
  expectGet("/api/v1/skills", list(kText));
  expectTree(kText);
  expectTree(kText);
  EXPECT_EQ(sync({.agents = {}, .project = "project"}), 0);
  tree.write("project/.agents/skills/todo/SKILL.md", std::string(kText) + "mine\n");
  expectGet("/api/v1/skills", list(kText));
  EXPECT_EQ(sync({.agents = {}, .project = "project"}), 0);
  EXPECT_THAT(out.str(), HasSubstr("kept     todo: it has been changed by hand"));
  EXPECT_EQ(tree.read("project/.claude/skills/todo/SKILL.md"), kText);
}

TEST_F(SkillCommandsTest, SyncsTheFoldersOfAProject) {
  fs::create_directories(tree.path() / "project");
  expectGet("/api/v1/skills", list(kText));
  expectTree(kText);
  EXPECT_EQ(sync({.agents = {"copilot"}, .project = "project"}), 0);
  EXPECT_TRUE(tree.has("project/.github/skills/todo/SKILL.md"));
  EXPECT_EQ(sync({.agents = {}, .project = "missing"}), 3);
}

TEST_F(SkillCommandsTest, AFolderThatIsALinkToAnotherIsKeptOnce) {
  fs::create_directories(tree.path() / "home/.agents/skills");
  fs::create_directories(tree.path() / "home/.claude");
  fs::create_directory_symlink("../.agents/skills", tree.path() / "home/.claude/skills");
  expectGet("/api/v1/skills", list(kText));
  expectTree(kText);
  EXPECT_EQ(sync({}), 0);
  EXPECT_THAT(out.str(), Not(HasSubstr(".claude")));
}

TEST_F(SkillCommandsTest, WhatIsInSharedFoldersAlreadyIsNotCopied) {
  expectGet("/api/v1/skills", list(kText, "shared-user"));
  EXPECT_EQ(sync({}), 0);
  EXPECT_THAT(out.str(), HasSubstr("up to date (0 skills)"));
  EXPECT_FALSE(tree.has("home/.claude"));
}

TEST_F(SkillCommandsTest, AWatchSaysOnlyWhatIsNew) {
  const std::string next = std::string(kText) + "more\n";
  expectGet("/api/v1/skills", list(kText));
  expectTree(kText);
  expectGet("/api/v1/skills", list(kText));
  expectGet("/api/v1/skills", list(next));
  expectTree(next);
  int rounds = 0;
  EXPECT_EQ(sync({.agents = {"agents"}, .project = {}, .watch = true},
                 [&rounds] { return ++rounds < 3; }),
            0);
  EXPECT_EQ(tree.read("home/.agents/skills/todo/SKILL.md"), next);
  const auto said = out.str();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 4);
}

TEST_F(SkillCommandsTest, AWatchOutlivesTheServer) {
  expectGet("/api/v1/skills", list(kText));
  expectTree(kText);
  for (int at = 0; at < 2; ++at) {
    expect("GET", "/api/v1/skills", Error{errc::kUnavailable, "nobody listens"});
  }
  int rounds = 0;
  EXPECT_EQ(sync({.agents = {"agents"}, .project = {}, .watch = true},
                 [&rounds] { return ++rounds < 3; }),
            69);
  const auto said = err.str();
  EXPECT_EQ(said.find("nobody listens"), said.rfind("nobody listens"));
}

TEST_F(SkillCommandsTest, AFailureIsAnExitCode) {
  expectGet("/api/v1/skills", list(kText));
  expectGet("/api/v1/skills/tree/" + treeOf(kText),
            R"({"ok":false,"error":{"code":"conflict","message":"changed"}})", 409);
  EXPECT_EQ(sync({.agents = {"agents"}, .project = {}}), 1);
  EXPECT_THAT(out.str(), HasSubstr("failed   todo: changed"));
}

TEST_F(SkillCommandsTest, ExportsTheWholeCatalogue) {
  expectGet("/api/v1/skills", list(kText, "shared-user"));
  expectTree(kText);
  auto made = context();
  EXPECT_EQ(skillExport(made, {.folder = "copies/deep", .skill = ""}), 0);
  EXPECT_EQ(tree.read("copies/deep/todo/SKILL.md"), kText);
}

TEST_F(SkillCommandsTest, AProjectOfTheServerIsNamedByItsNameToo) {
  expectGet("/api/v1/projects?includePersonal=true",
            R"({"ok":true,"projects":[{"id":"proj_1","name":"shop"}]})");
  expectGet("/api/v1/skills?projectId=proj_1", list(kText));
  auto made = context();
  EXPECT_EQ(skillList(made, {.skill = "", .project = "shop"}), 0);
  EXPECT_THAT(out.str(), HasSubstr("todo"));
}

TEST_F(SkillCommandsTest, AnUnknownSkillIsNotFound) {
  expectGet("/api/v1/skills", list(kText));
  auto made = context();
  EXPECT_EQ(skillExport(made, {.folder = "copies", .skill = "tood"}), 3);
  EXPECT_THAT(err.str(), HasSubstr("did you mean \"todo\"?"));
  EXPECT_FALSE(tree.has("copies"));
}

TEST_F(SkillCommandsTest, ValidatesOneSkillWithoutAServer) {
  tree.write("todo/SKILL.md", kText);
  EXPECT_EQ(validate("todo"), 0);
  EXPECT_EQ(out.str(), (tree.path() / "todo").string() + ": valid\n");
}

TEST_F(SkillCommandsTest, ValidatesTheSkillsOfAPlugin) {
  tree.write("plugin/package.json", R"({"svc":{"skills":["more/*"]}})");
  tree.write("plugin/more/todo/SKILL.md", kText);
  tree.write("plugin/more/bad/SKILL.md", "---\nname: other\n---\n");
  tree.write("plugin/skills/unasked/SKILL.md", "");
  EXPECT_EQ(validate("plugin"), 1);
  EXPECT_THAT(out.str(), HasSubstr("plugin/more/bad/SKILL.md:2: error: name is \"other\""));
  EXPECT_THAT(out.str(), HasSubstr("plugin/more/bad/SKILL.md:1: error: description is missing"));
  EXPECT_THAT(out.str(), HasSubstr("plugin/more/todo: valid"));
  EXPECT_THAT(err.str(), HasSubstr("2 errors in 2 skills"));
  EXPECT_THAT(out.str(), Not(HasSubstr("unasked")));
}

TEST_F(SkillCommandsTest, NamesAreHarmlessOnATerminal) {
  tree.write("skills/a\x1b[31mb/SKILL.md", "---\nname: \"x\\e[2J\"\ndescription: x\n---\nText\n");
  EXPECT_EQ(validate("skills"), 1);
  EXPECT_THAT(out.str(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(out.str(), HasSubstr("a\\x1B[31mb/SKILL.md:2: error: name is \"x\\x1B[2J\""));
}

TEST_F(SkillCommandsTest, ValidationAsJsonHasEveryIssue) {
  tree.write("todo/SKILL.md", "---\nname: todo\nmodel: x\n---\n");
  EXPECT_EQ(validate("todo", true), 1);
  const auto json = common::Json::parse(out.str()).value();
  EXPECT_EQ(json["error"]["details"]["skills"].items().front()["issues"].items().size(), 3U);
}

TEST_F(SkillCommandsTest, NothingToValidateIsNotFound) {
  fs::create_directories(tree.path() / "empty");
  EXPECT_EQ(validate("empty"), 3);
  EXPECT_EQ(validate("missing"), 3);
}

TEST_F(SkillCommandsTest, FoldersOfAgentsMoveWithTheirVariables) {
  variables["CLAUDE_CONFIG_DIR"] = "/elsewhere";
  auto made = context();
  EXPECT_EQ(skillTarget("claude", std::nullopt, made.environment).value().folder,
            "/elsewhere/skills");
  EXPECT_EQ(skillTarget("claude", fs::path("/p"), made.environment).value().folder,
            "/p/.claude/skills");
  EXPECT_EQ(skillTarget("opencode", std::nullopt, made.environment).value().folder,
            tree.path() / "home/.config/opencode/skills");
  made.environment.home = "me";
  EXPECT_EQ(skillTarget("agents", std::nullopt, made.environment).error().code, errc::kNotFound);
}

}  // namespace
}  // namespace svc::client
