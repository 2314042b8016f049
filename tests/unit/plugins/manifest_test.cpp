#include "manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/json.h"

namespace svc::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ParsedManifest parsed(std::string_view text) {
  auto out = parseManifest(text);
  EXPECT_TRUE(out) << (out ? "" : out.error().message);
  return out ? std::move(out).value() : ParsedManifest{};
}

/// A valid manifest whose svc block has `members` beside the server entry.
std::string withBlock(std::string_view members) {
  return std::string(
             R"({"name":"svc-plugin-todo","version":"1.0.0","svc":{"server":"./server.ts")") +
         std::string(members) + "}}";
}

TEST(ManifestTest, FillsInTheDefaults) {
  const auto [manifest, warnings] = parsed(
      R"({"name":"svc-plugin-example-todos","version":"1.2.3","description":"A list","svc":{"server":"./server.ts"}})");
  EXPECT_EQ(manifest.id, "example-todos");
  EXPECT_EQ(manifest.package_name, "svc-plugin-example-todos");
  EXPECT_EQ(manifest.version, "1.2.3");
  EXPECT_EQ(manifest.name, "Example Todos");
  EXPECT_EQ(manifest.description, "A list");
  EXPECT_EQ(manifest.server, "server.ts");
  EXPECT_EQ(manifest.app, "");
  EXPECT_THAT(manifest.skills, ElementsAre("skills"));
  EXPECT_EQ(manifest.engine_service, "");
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(ManifestTest, ReadsEveryField) {
  const auto [manifest, warnings] = parsed(R"({
    "name": "@acme/svc-plugin-todo", "version": "1.0.0", "description": "package text",
    "engines": { "svc": "^0.43.0", "svcPluginSdk": "^0.4.0", "node": ">=18" },
    "svc": {
      "name": "To do", "description": "own text", "server": "src/server.ts", "app": "./app.tsx", "host": "host.ts",
      "branding": { "icon": "ListTodo", "logo": { "light": "./l.svg", "dark": "./d.webp" },
                    "experimental_icons": { "one": "./one.svg" } },
      "skills": ["skills/*", "more"],
      "themes": [{ "id": "night", "name": "Night", "css": "./night.css", "codeTheme": { "dark": "x" } }]
    } })");
  EXPECT_EQ(manifest.id, "todo");
  EXPECT_EQ(manifest.name, "To do");
  EXPECT_EQ(manifest.description, "own text");
  EXPECT_EQ(manifest.server, "src/server.ts");
  EXPECT_EQ(manifest.app, "app.tsx");
  EXPECT_EQ(manifest.host, "host.ts");
  EXPECT_EQ(manifest.branding.icon, "ListTodo");
  EXPECT_EQ(manifest.branding.logo_dark, "d.webp");
  EXPECT_EQ(manifest.branding.icons.at("one"), "one.svg");
  EXPECT_THAT(manifest.skills, ElementsAre("skills", "more"));
  ASSERT_EQ(manifest.themes.size(), 1U);
  EXPECT_EQ(manifest.themes[0].code_dark, "x");
  EXPECT_EQ(manifest.engine_service, "^0.43.0");
  EXPECT_EQ(manifest.engine_sdk, "^0.4.0");
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(ManifestTest, AnSvgIconIsAFile) {
  EXPECT_EQ(parsed(withBlock(R"(,"branding":{"icon":"./icon.svg"})")).manifest.branding.icon_file,
            "icon.svg");
}

TEST(ManifestTest, AnEmptySkillListOptsOut) {
  EXPECT_THAT(parsed(withBlock(R"(,"skills":[])")).manifest.skills, IsEmpty());
}

TEST(ManifestTest, UnknownKeysAreWarnings) {
  const auto out = parsed(
      withBlock(R"(,"colour":"red","branding":{"icn":"x","logo":{"light":"a.png","mid":1}})"));
  EXPECT_THAT(out.warnings, ElementsAre("package.json: svc.colour: unknown key",
                                        "package.json: svc.branding.icn: unknown key",
                                        "package.json: svc.branding.logo.mid: unknown key"));
}

TEST(ManifestTest, AcceptsAByteOrderMark) {
  EXPECT_EQ(parsed("\xEF\xBB\xBF" + withBlock("")).manifest.id, "todo");
}

struct BadCase {
  std::string text;
  std::string path;
  std::string message;
};

class BadManifestTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadManifestTest, NamesThePath) {
  const auto out = parseManifest(GetParam().text);
  ASSERT_FALSE(out);
  EXPECT_THAT(out.error().message, HasSubstr(GetParam().message));
  EXPECT_EQ(common::Json::parse(out.error().details).value()["path"].asString(), GetParam().path);
}

INSTANTIATE_TEST_SUITE_P(
    Tops, BadManifestTest,
    ::testing::Values(
        BadCase{"[]", "", "package.json: must be an object, is an array"},
        BadCase{R"({"name":"x","version":"1"})", "svc", "svc: is missing"},
        BadCase{R"({"version":"1","svc":{}})", "name", "name: is missing"},
        BadCase{R"({"name":7,"version":"1","svc":{}})", "name", "must be a string, is a number"},
        BadCase{R"({"name":"@a/---","version":"1","svc":{}})", "name", "leaves nothing to use"},
        BadCase{R"({"name":")" + std::string(215, 'a') + R"(","version":"1","svc":{}})", "name",
                "has 215 characters, the names of packages have at most 214"},
        BadCase{R"({"name":"x","svc":{}})", "version", "version: is missing"},
        BadCase{R"({"name":"x","version":"","svc":{}})", "version", "is empty"},
        BadCase{R"({"name":"x","version":"1","svc":"y"})", "svc", "must be an object, is a string"},
        BadCase{R"({"name":"x","version":"1","svc":{}})", "svc.server", "svc.server: is missing"},
        BadCase{R"({"name":"x","version":"1","svc":{"server":"a.ts"},"engines":{"svc":"latest"}})",
                "engines.svc", "\"latest\" is not a version range"},
        BadCase{
            R"({"name":"x","version":"1","svc":{"server":"a.ts"},"engines":{"svcPluginSdk":4}})",
            "engines.svcPluginSdk", "must be a string"}));
INSTANTIATE_TEST_SUITE_P(
    Blocks, BadManifestTest,
    ::testing::Values(
        BadCase{withBlock(R"(,"app":"../app.tsx")"), "svc.app", "leaves the plugin directory"},
        BadCase{withBlock(R"(,"app":"a/../../b")"), "svc.app", "leaves the plugin directory"},
        BadCase{withBlock(R"(,"host":"/etc/passwd")"), "svc.host", "must be relative"},
        BadCase{withBlock(R"(,"host":"a\\b")"), "svc.host", "forward slashes"},
        BadCase{withBlock(R"(,"app":["a"])"), "svc.app", "must be a string, is an array"},
        BadCase{withBlock(R"(,"name":null)"), "svc.name", "must be a string, is null"},
        BadCase{withBlock(R"(,"branding":"x")"), "svc.branding", "must be an object"},
        BadCase{withBlock(R"(,"branding":{"icon":"a/b"})"), "svc.branding.icon", "name of an icon"},
        BadCase{withBlock(R"(,"branding":{"icon":"./b.png"})"), "svc.branding.icon",
                "of type .svg"},
        BadCase{withBlock(R"(,"branding":{"logo":{"dark":"d.svg"}})"), "svc.branding.logo.dark",
                "needs \"light\""},
        BadCase{withBlock(R"(,"branding":{"logo":{"light":"d.gif"}})"), "svc.branding.logo.light",
                ".svg, .png, .webp"},
        BadCase{withBlock(R"(,"branding":{"experimental_icons":{"A b":"./x.svg"}})"),
                "svc.branding.experimental_icons.A b", "the name must match"},
        BadCase{withBlock(R"(,"skills":"skills")"), "svc.skills", "must be an array, is a string"},
        BadCase{withBlock(R"(,"skills":["ok",5])"), "svc.skills[1]", "must be a string"},
        BadCase{withBlock(R"(,"themes":[{"id":"-","name":"n","css":"c"}])"), "svc.themes[0].id",
                "must match"},
        BadCase{
            withBlock(
                R"(,"themes":[{"id":"a","name":"n","css":"c"},{"id":"a","name":"n","css":"c"}])"),
            "svc.themes[1].id", "duplicate theme id \"a\""}));

TEST(ManifestTest, PointsAtTheByteOfBrokenJson) {
  const auto out = parseManifest("{\"name\": }");
  ASSERT_FALSE(out);
  EXPECT_THAT(out.error().message, HasSubstr("package.json is not valid JSON"));
}

TEST(ManifestTest, SurvivesEveryTruncation) {
  const auto text = withBlock(R"(,"themes":[{"id":"a","name":"n","css":"c"}])");
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(parseManifest(std::string_view(text).substr(0, size)));
  }
}

TEST(ManifestNamesTest, DerivesTheId) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kCases{
      {{"svc-plugin-todo", "todo"},
       {"todo", "todo"},
       {"@acme/svc-plugin-To_Do.x", "to-do-x"},
       {"a  b", "a-b"},
       {"-a-", "a"},
       {"svc--x", "svc--x"},
       {"svc-plugin-", ""},
       {"@acme/Größe", "gr-e"}}};
  for (const auto& [name, id] : kCases) {
    EXPECT_EQ(pluginIdOf(name), id) << name;
  }
}

TEST(ManifestNamesTest, KeepsServiceIdsReserved) {
  for (const auto* id : {"svc--x", "rpc", "install", "install-jobs", "safe-mode", "top", "updates",
                         "mentions", "contributions", "reload", "svc", "user", "project"}) {
    EXPECT_TRUE(isReservedId(id)) << id;
  }
  EXPECT_FALSE(isReservedId("svc-x"));
  EXPECT_FALSE(isReservedId("todo"));
}

}  // namespace
}  // namespace svc::plugins
