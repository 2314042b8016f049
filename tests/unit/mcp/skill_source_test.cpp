#include "skill_source.h"

#include "svc/common/codes.h"
#include "svc/common/limits/mcp.h"

#include "mcp_fixture.h"
#include "mocks/mock_skills.h"
#include "skill_uris.h"

namespace svc::mcp {
namespace {

using skills::Scope;
using skills::Skill;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::NiceMock;
using ::testing::Not;

Skill skill(Scope scope, const std::string& name, const std::vector<std::string>& files = {}) {
  Skill made{.id = name,
             .name = name,
             .description = "About " + name,
             .scope = scope,
             .plugin_id = scope == Scope::kPlugin ? "todo" : "",
             .offered = true,
             .front_matter = common::Json::object()
                                 .set("name", name)
                                 .set("metadata", common::Json::object().set("v", "1")),
             .tree = {.files = {{.path = "SKILL.md", .size = 3, .digest = "aa"}},
                      .bytes = 3,
                      .digest = "tree"}};
  for (const auto& file : files) {
    made.tree.files.push_back({.path = file, .size = 1, .digest = "bb"});
  }
  return made;
}

class SkillSourceTest : public ::testing::Test {
 protected:
  SkillSourceTest() {
    offer({skill(Scope::kPlugin, "todos", {"a b.txt", "scripts/deep/run.sh", "scripts/x.png"}),
           skill(Scope::kSvcBuiltin, "commands"), skill(Scope::kSharedUser, "mine")});
    ON_CALL(skills_, current).WillByDefault([this] { return catalogue_; });
    ON_CALL(skills_, content)
        .WillByDefault([this](const Skill& of, std::string path, Completion<std::string> done) {
          asked_ = of.name + " " + path;
          done(content_);
        });
  }
  void offer(std::vector<Skill> skills) {
    catalogue_ =
        std::make_shared<const skills::Catalogue>(skills::Catalogue{"hash", std::move(skills), {}});
  }
  Result<Answer> ask(const std::string& method, const std::string& key,
                     const std::string& params = "{}", bool modern = true) {
    Result<Answer> out = Error{errc::kInternal, "not answered"};
    source_.answer({.method = method,
                    .key = key,
                    .params = common::RawJson(params),
                    .caller = caller_,
                    .modern = modern},
                   [&out](Result<Answer> answer) { out = std::move(answer); });
    return out;
  }
  common::Json result(const std::string& method, const std::string& key,
                      const std::string& params = "{}") {
    const auto answer = ask(method, key, params);
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? parsed(answer.value().result.text()) : common::Json();
  }
  static std::vector<std::string> keys(const std::vector<Item>& items) {
    std::vector<std::string> out;
    for (const auto& item : items) {
      out.push_back(item.key);
    }
    return out;
  }
  static std::string uri(const std::string& text) { return R"({"uri":")" + text + "\"}"; }

  skills::CataloguePtr catalogue_;
  Result<std::string> content_{std::string("text")};
  std::string asked_;
  Caller caller_;
  NiceMock<skills::MockSkills> skills_;
  SkillSource source_{skills_};
};

TEST_F(SkillSourceTest, EveryFileIsAResource) {
  const auto items = source_.list(ListKind::kResources, {});
  EXPECT_THAT(keys(items),
              ElementsAre("skill://svc/commands/SKILL.md", "skill://todo/todos/SKILL.md",
                          "skill://todo/todos/a%20b.txt", "skill://todo/todos/scripts/deep/run.sh",
                          "skill://todo/todos/scripts/x.png", "skill://user/mine/SKILL.md"));
  EXPECT_EQ(items[1].json.text(),
            R"({"uri":"skill://todo/todos/SKILL.md","name":"todos","description":"About todos",)"
            R"("mimeType":"text/markdown","size":3})");
  EXPECT_EQ(
      items[4].json.text(),
      R"({"uri":"skill://todo/todos/scripts/x.png","name":"x.png","mimeType":"image/png","size":1})");
}

TEST_F(SkillSourceTest, EverySkillIsAPrompt) {
  EXPECT_THAT(keys(source_.list(ListKind::kPrompts, {})), ElementsAre("commands", "todos", "mine"));
  EXPECT_THAT(source_.list(ListKind::kTools, {}), IsEmpty());
  const auto prompt = result("prompts/get", "todos");
  EXPECT_EQ(prompt["description"].asString(), "About todos");
  const auto& text = prompt["messages"].items().front()["content"]["text"].asString();
  EXPECT_THAT(text, HasSubstr("text"));
  EXPECT_THAT(text, HasSubstr("- skill://todo/todos/scripts/x.png\n"));
  EXPECT_EQ(asked_, "todos SKILL.md");
}

TEST_F(SkillSourceTest, WhatIsNotOfferedOrNamedOtherwiseIsNotServed) {
  auto hidden = skill(Scope::kPlugin, "hidden");
  hidden.offered = false;
  auto other = skill(Scope::kSvcUser, "other");
  other.front_matter.set("name", "Something Else");
  offer({hidden, other});
  EXPECT_THAT(source_.list(ListKind::kResources, {}), IsEmpty());
  EXPECT_EQ(ask("resources/read", "skill://user/other/SKILL.md").error().code, errc::kNotFound);
  EXPECT_EQ(source_.instructions({}), "");
}

TEST_F(SkillSourceTest, ACallerOfSomePluginsSeesTheirSkillsAlone) {
  const auto sees = [this](const std::string& plugin, const std::string& uri_of) {
    caller_.scope = std::make_shared<const mcp::Scope>(mcp::Scope{.plugins = {plugin}});
    return ask("resources/read", uri_of) && ask("skills/get", "", uri(uri_of)) &&
           ask("resources/directory/read", "", uri(uri_of.substr(0, uri_of.rfind('/'))));
  };
  EXPECT_TRUE(sees("todo", "skill://todo/todos/SKILL.md"));
  EXPECT_THAT(keys(source_.list(ListKind::kPrompts, caller_)), ElementsAre("todos"));
  EXPECT_EQ(source_.list(ListKind::kPrompts, caller_).front().plugin_id, "todo");
  EXPECT_EQ(result("skills/list", "")["skills"].items().size(), 1U);
  EXPECT_THAT(source_.instructions(caller_), Not(HasSubstr("skill://user/mine")));
  EXPECT_EQ(ask("prompts/get", "mine").error().code, errc::kNotFound);
  EXPECT_EQ(ask("skills/get", "", uri("skill://user/mine/SKILL.md")).error().code, errc::kNotFound);

  EXPECT_FALSE(sees("vault", "skill://todo/todos/SKILL.md"));
  EXPECT_EQ(source_.instructions(caller_), "");
}

TEST_F(SkillSourceTest, ReadsTextAndBytes) {
  auto content =
      result("resources/read", "skill://todo/todos/a%20b.txt")["contents"].items().front();
  EXPECT_EQ(asked_, "todos a b.txt");
  EXPECT_EQ(content.dump(),
            R"({"uri":"skill://todo/todos/a%20b.txt","mimeType":"text/plain","text":"text"})");
  content_ = std::string("\xff\xfe");
  content =
      result("resources/read", "skill://todo/todos/scripts/x.png")["contents"].items().front();
  EXPECT_EQ(content["mimeType"].asString(), "image/png");
  EXPECT_EQ(content["blob"].asString(), "//4=");
  content_ = Error{errc::kNotFound, "gone"};
  EXPECT_EQ(ask("resources/read", "skill://todo/todos/SKILL.md").error().code, errc::kNotFound);
}

TEST_F(SkillSourceTest, TheExtensionListsFrontMatterAndDigests) {
  EXPECT_TRUE(source_.takes("skills/list", ""));
  const auto list = result("skills/list", "");
  ASSERT_EQ(list["skills"].items().size(), 3U);
  EXPECT_EQ(
      list["skills"].items()[0].dump(),
      R"({"uri":"skill://svc/commands/SKILL.md","frontmatter":{"name":"commands","metadata":{"v":"1"}},)"
      R"("resources":[{"uri":"skill://svc/commands/SKILL.md","digest":"sha256:aa","size":3}]})");
  EXPECT_EQ(list["ttlMs"].dump() + list["cacheScope"].dump(), "0\"private\"");
  const auto one = result("skills/get", "", uri("skill://svc/commands/SKILL.md"));
  EXPECT_EQ(one["skill"].dump(), list["skills"].items()[0].dump());
}

TEST_F(SkillSourceTest, ListsAreInPages) {
  std::vector<Skill> many;
  for (std::size_t at = 0; at <= limits::kMcpPage; ++at) {
    many.push_back(skill(Scope::kSvcUser, fmt::format("s{}", at)));
  }
  offer(many);
  const auto first = result("skills/list", "");
  EXPECT_EQ(first["skills"].items().size(), limits::kMcpPage);
  const auto cursor = common::Json::object().set("cursor", first["nextCursor"]).dump();
  const auto second = result("skills/list", "", cursor);
  EXPECT_EQ(second["skills"].items().size(), 1U);
  EXPECT_EQ(second.find("nextCursor"), nullptr);
  for (const auto* const bad : {R"({"cursor":1})", R"({"cursor":"x"})"}) {
    EXPECT_EQ(ask("skills/list", "", bad).error().code, errc::kInvalidArgument);
  }
}

TEST_F(SkillSourceTest, DirectoriesHaveTheirDirectChildren) {
  const auto children = [&](const std::string& of) {
    std::vector<std::string> out;
    const auto json = result("resources/directory/read", "", uri(of));
    for (const auto& child : json["resources"].items()) {
      out.push_back(child["uri"].asString() + " " + child["mimeType"].asString());
    }
    return out;
  };
  EXPECT_THAT(children("skill://todo/todos"),
              ElementsAre("skill://todo/todos/SKILL.md text/markdown",
                          "skill://todo/todos/a%20b.txt text/plain",
                          "skill://todo/todos/scripts inode/directory"));
  EXPECT_THAT(children("skill://todo/todos/scripts"),
              ElementsAre("skill://todo/todos/scripts/deep inode/directory",
                          "skill://todo/todos/scripts/x.png image/png"));
  for (const auto* const bad :
       {"skill://todo/todos/SKILL.md", "skill://todo/todos/scripts/", "skill://todo",
        "skill://todo/todos/", "skill://todo/todos/../todos", "file:///etc", ""}) {
    EXPECT_EQ(ask("resources/directory/read", "", uri(bad)).error().code, errc::kNotFound) << bad;
  }
}

TEST_F(SkillSourceTest, UnknownUrisAreBadParameters) {
  for (const auto* const bad :
       {"skill://todo/todos", "skill://todo/other/SKILL.md", "skill://todo/todos/a%20b.txt"}) {
    EXPECT_EQ(ask("skills/get", "", uri(bad)).error().code, errc::kNotFound) << bad;
  }
  EXPECT_EQ(ask("skills/get", "").error().code, errc::kInvalidArgument);
  EXPECT_EQ(ask("skills/get", "", R"({"uri":1})").error().code, errc::kInvalidArgument);
  EXPECT_EQ(ask("prompts/get", "none").error().code, errc::kNotFound);
}

TEST_F(SkillSourceTest, TellsWhatIsThereWhenClientsConnect) {
  EXPECT_THAT(source_.instructions({}), HasSubstr("\n- skill://todo/todos/SKILL.md: About todos"));
  EXPECT_EQ(source_.capabilities().dump(),
            R"({"resources":{"listChanged":true},"prompts":{"listChanged":true},)"
            R"("extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}}})");
}

}  // namespace
}  // namespace svc::mcp
