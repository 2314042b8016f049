// Skills on a real server: the catalogue, its routes, svc.sdk, MCP, and the folders that `svc skill` writes.
#include <sys/stat.h>

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/server.h"

namespace svc::test {
namespace {

namespace fs = std::filesystem;
using common::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kPlugin = R"(
const any = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };
export default function (svc: any) {
  svc.cli.register({
    name: "shout", summary: "Shouts", commands: [{ name: "loud", summary: "Louder", usage: "shout loud <word>" }],
    run: () => ({ exitCode: 0, stdout: "" }),
  });
  svc.rpc.register({ names: { input: any, output: any } }, {
    names: async () => (await svc.sdk.skills.list({ projectId: "proj_personal" })).skills.map((skill: any) => skill.id),
  });
}
)";

std::string skillText(const std::string& name, const std::string& text = "Text") {
  return fmt::format("---\nname: {}\ndescription: About {}\n---\n{}\n", name, name, text);
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class SkillsTest : public ::testing::Test {
 protected:
  SkillsTest() {
    write(plugin.path() / "skills/shouting/SKILL.md", skillText("shouting"));
    write(plugin.path() / "skills/shouting/scripts/run.sh", "#!/bin/sh\n");
  }
  Json get(const std::string& path) const { return server.http().get("/api/v1" + path).json; }
  [[nodiscard]] std::vector<std::string> ids() const {
    std::vector<std::string> out;
    const auto list = get("/skills");
    for (const auto& skill : list["skills"].items()) {
      out.push_back(skill["id"].asString());
    }
    return out;
  }
  [[nodiscard]] Json mcp(const std::string& method, const std::string& params = "{}") const {
    return server.http()
        .send({.method = "POST",
               .target = "/api/v1/mcp",
               .body = R"({"jsonrpc":"2.0","id":7,"method":")" + method + R"(","params":)" +
                       params + "}",
               .headers = {{"Content-Type", "application/json"},
                           {"Accept", "application/json, text/event-stream"}}})
        .json["result"];
  }

  PluginDir plugin{"talker", kPlugin};
  Server server;
};

TEST_F(SkillsTest, OfPluginsUsersAndTheServiceAreOneCatalogue) {
  server.install(plugin.path());
  ASSERT_TRUE(eventually([&] { return ids().size() == 2; }));
  EXPECT_THAT(ids(), ElementsAre("plugin:talker:shouting", "svc-builtin:plugin-commands"));
  EXPECT_THAT(read(server.dataDir() / "skills-generated/plugin-commands/SKILL.md"),
              HasSubstr("## svc shout — Shouts\n\nPlugin `talker`. `svc shout --help` prints this "
                        "usage again. Also reachable "
                        "as `svc plugin run talker …`.\n\n- `shout loud <word>` — Louder\n"));
  write(server.dataDir() / "skills/mine/SKILL.md", skillText("mine"));
  write(server.dataDir() / "skills/bad/SKILL.md", "no head");
  EXPECT_THAT(
      ids(), ElementsAre("svc-user:mine", "plugin:talker:shouting", "svc-builtin:plugin-commands"));
  EXPECT_THAT(get("/skills")["problems"].dump(), HasSubstr("must begin with a line"));
  EXPECT_THAT(server.rpc("talker", "names").body,
              HasSubstr(R"(["svc-user:mine","plugin:talker:shouting")"));
  EXPECT_TRUE(server.http().post("/api/v1/plugins/talker/disable", "{}").ok());
  ASSERT_TRUE(eventually([&] { return ids().size() == 1; }));
  EXPECT_FALSE(fs::exists(server.dataDir() / "skills-generated/plugin-commands"));
}

TEST_F(SkillsTest, ClientsOfMcpReadThemAndHearOfChanges) {
  server.install(plugin.path());
  // Nobody asks for the catalogue: the server notices by itself.
  write(server.dataDir() / "skills/mine/SKILL.md", skillText("mine"));
  ASSERT_TRUE(eventually([&] { return mcp("skills/list")["skills"].items().size() == 3; }));
  EXPECT_THAT(mcp("prompts/list").dump(), HasSubstr(R"("name":"mine")"));
  const auto content =
      mcp("resources/read", R"({"uri":"skill://talker/shouting/SKILL.md"})")["contents"]
          .items()
          .front();
  EXPECT_EQ(content["text"].asString(), skillText("shouting"));
  EXPECT_EQ(content["mimeType"].asString(), "text/markdown");
}

TEST_F(SkillsTest, AnEditFollowsTheRevision) {
  write(server.dataDir() / "skills/mine/SKILL.md", skillText("mine"));
  const auto before = get("/skills/content?skillId=svc-user:mine&path=SKILL.md");
  const auto put = [&](const std::string& text) {
    return server.http().send({.method = "PUT",
                               .target = "/api/v1/skills",
                               .body = Json::object()
                                           .set("projectId", "proj_personal")
                                           .set("environmentId", Json())
                                           .set("skillId", "svc-user:mine")
                                           .set("content", skillText("mine", text))
                                           .set("revision", before["revision"])
                                           .dump(),
                               .headers = {{"Content-Type", "application/json"}}});
  };
  EXPECT_EQ(put("first").status, 200);
  EXPECT_EQ(put("second").status, 409);
  EXPECT_EQ(read(server.dataDir() / "skills/mine/SKILL.md"), skillText("mine", "first"));
}

TEST_F(SkillsTest, HostileFoldersAreReportedAndNothingElse) {
  const auto skills = server.dataDir() / "skills";
  write(skills / "good/SKILL.md", skillText("good"));
  write(skills / "linked/SKILL.md", skillText("linked"));
  fs::create_symlink("/etc/passwd", skills / "linked/passwd");
  write(skills / "piped/SKILL.md", skillText("piped"));
  ASSERT_EQ(::mkfifo((skills / "piped/pipe").c_str(), 0600), 0);
  fs::create_directories(skills / "fifo");
  ASSERT_EQ(::mkfifo((skills / "fifo/SKILL.md").c_str(), 0600), 0);
  write(skills / "binary/SKILL.md", "---\nname: binary\ndescription: \xff\n---\n");
  write(skills / "bomb/SKILL.md",
        "---\na: &a [x,x]\nb: &b [*a,*a]\nname: bomb\ndescription: *b\n---\n");
  write(skills / "esc\x1b[2J/SKILL.md", "");
  for (int at = 0; at < 1100; ++at) {
    write(skills / "many" / std::to_string(at), "");
  }
  write(skills / "many/SKILL.md", skillText("many"));
  EXPECT_THAT(ids(), ElementsAre("svc-user:good"));
  EXPECT_EQ(get("/skills")["problems"].items().size(), 7U);
  for (const auto* const path : {"..%2Flinked%2FSKILL.md", "%2Fetc%2Fpasswd", "SKILL.md%00", "."}) {
    EXPECT_EQ(server.http()
                  .get(fmt::format("/api/v1/skills/content?skillId=svc-user:good&path={}", path))
                  .status,
              404)
        << path;
  }
  const auto listed = server.cli({"skill", "list"});
  EXPECT_EQ((listed.out + listed.err).find('\x1b'), std::string::npos);
}

TEST_F(SkillsTest, TheCommandLineExportsShowsAndValidates) {
  server.install(plugin.path());
  ASSERT_TRUE(eventually([&] { return ids().size() == 2; }));
  EXPECT_THAT(server.cli({"skill", "list"}).out,
              HasSubstr("shouting\tplugin talker\tagents\tAbout shouting"));
  EXPECT_EQ(server.cli({"skill", "show", "shouting", "scripts/run.sh"}).out, "#!/bin/sh\n");
  const TempDir target;
  const auto exported = server.cli({"skill", "export", target.path().string()});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_EQ(read(target.path() / "shouting/SKILL.md"), skillText("shouting"));
  EXPECT_EQ(read(target.path() / "shouting/scripts/run.sh"), "#!/bin/sh\n");
  EXPECT_EQ(server.cli({"skill", "validate", target.path().string()}).exit_code, 0);
  EXPECT_EQ(server.cli({"skill", "validate", plugin.path().string()}).exit_code, 0);
}

TEST_F(SkillsTest, FoldersOfAProjectFollowTheServer) {
  server.install(plugin.path());
  ASSERT_TRUE(eventually([&] { return ids().size() == 2; }));
  const TempDir project;
  const auto sync = [&] {
    return server.cli({"skill", "sync", "--project", project.path().string()});
  };
  EXPECT_THAT(sync().out, HasSubstr("added"));
  EXPECT_EQ(read(project.path() / ".claude/skills/shouting/SKILL.md"), skillText("shouting"));
  write(project.path() / ".agents/skills/shouting/SKILL.md", "mine");
  write(plugin.path() / "skills/shouting/SKILL.md", skillText("shouting", "New"));
  static_cast<void>(server.reload("talker"));
  ASSERT_TRUE(eventually([&] {
    return get("/skills").dump().find("\"size\":64") != std::string::npos ||
           sync().out.find("updated") != std::string::npos;
  }));
  static_cast<void>(sync());
  EXPECT_EQ(read(project.path() / ".claude/skills/shouting/SKILL.md"),
            skillText("shouting", "New"));
  EXPECT_EQ(read(project.path() / ".agents/skills/shouting/SKILL.md"), "mine");
}

}  // namespace
}  // namespace svc::test
