#include "marketplace_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/installs.h"

namespace svc::installs {
namespace {

using common::Json;
using ::testing::HasSubstr;

const char* const kNpm = R"({"npm":{"package":"@acme/svc-plugin-todo","range":"^1"}})";

std::string entry(const std::string& id, const std::string& source = kNpm,
                  const std::string& more = "") {
  return R"({"id":")" + id + R"(","displayName":"Todo","description":"Lists","icon":null,)" +
         R"("tags":["work"],"author":{"name":"Acme","url":"https://acme.example"},"source":)" +
         source + more + "}";
}

std::string file(const std::string& plugins) {
  return R"({"schemaVersion":1,"name":"acme","future":true,"plugins":[)" + plugins + "]}";
}

MarketplaceFile parsed(const std::string& plugins) {
  auto out = parseMarketplace(file(plugins));
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message);
  return out ? std::move(out).value() : MarketplaceFile{};
}

std::string droppedBecause(const std::string& plugin) {
  const auto out = parsed(plugin);
  EXPECT_TRUE(out.entries.empty()) << plugin;
  return out.dropped.empty() ? "" : out.dropped.front().reason;
}

TEST(ParseMarketplaceTest, ReadsEntries) {
  const auto out = parsed(entry("todo", kNpm, R"(,"unknown":1)"));
  EXPECT_EQ(out.name, "acme");
  ASSERT_EQ(out.entries.size(), 1U);
  const auto& todo = out.entries.front();
  EXPECT_EQ(todo.display_name, "Todo");
  EXPECT_EQ(todo.author, "Acme");
  EXPECT_EQ(todo.author_url, "https://acme.example");
  EXPECT_EQ(todo.source.text, "npm:@acme/svc-plugin-todo@^1");
}

TEST(ParseMarketplaceTest, OnlyTheShippedListNamesExamples) {
  const auto text = file(entry("todo", R"({"example":"todo"})"));
  const auto shipped = parseMarketplace(text, ListOrigin::kShipped).value();
  ASSERT_EQ(shipped.entries.size(), 1U);
  EXPECT_EQ(shipped.entries.front().source.text, "example:todo");
  EXPECT_THAT(droppedBecause(entry("todo", R"({"example":"todo"})")),
              HasSubstr("\"source.example\" is unknown"));
  const auto wrong =
      parseMarketplace(file(entry("todo", R"({"example":"../todo"})")), ListOrigin::kShipped)
          .value();
  EXPECT_TRUE(wrong.entries.empty());
}

TEST(ParseMarketplaceTest, ReadsEverySource) {
  const auto text = [](const std::string& source) {
    const auto out = parsed(entry("todo", source));
    EXPECT_EQ(out.entries.size(), 1U)
        << source << (out.dropped.empty() ? "" : out.dropped.front().reason);
    return out.entries.empty() ? SourceSpec{} : out.entries.front().source;
  };
  EXPECT_EQ(
      text(R"({"npm":{"package":"todo","tag":"next","registry":"https://r.example/"}})").registry,
      "https://r.example/");
  EXPECT_EQ(text(R"({"git":{"url":"https://x.example/a/b","ref":"main"}})").ref, "main");
  const auto range = text(
      R"({"git":{"url":"https://x.example/a/b","subdir":"p/t","range":"^1","tagPrefix":"t-"}})");
  EXPECT_TRUE(range.semver);
  EXPECT_EQ(range.tag_prefix, "t-");
  EXPECT_EQ(range.subdirectory, "p/t");
}

TEST(ParseMarketplaceTest, DropsAnEntryWithAnUnknownSourceField) {
  EXPECT_THAT(droppedBecause(entry("t", R"({"npm":{"package":"x","range":"*","sha":"1"}})")),
              HasSubstr("source.npm.sha"));
  EXPECT_THAT(droppedBecause(entry("t", R"({"npm":{"package":"x","range":"*"},"svn":{}})")),
              HasSubstr("source.svn"));
}

TEST(ParseMarketplaceTest, DropsEntriesThatAreWrong) {
  for (const auto* source :
       {R"({})", R"([])", R"("npm:x")", R"({"npm":{"package":"x"}})",
        R"({"npm":{"package":"x","range":"*","tag":"next"}})",
        R"({"npm":{"package":"../x","range":"*"}})", R"({"npm":{"package":"x","tag":"^1"}})",
        R"({"npm":{"package":"x","range":"next"}})",
        R"({"npm":{"package":"x","range":"*","registry":"http://r.example"}})",
        R"({"git":{"url":"ext::sh","ref":"x"}})", R"({"git":{"url":"https://x/y"}})",
        R"({"git":{"url":"https://x/y","ref":"a","range":"*"}})",
        R"({"git":{"url":"https://x/y","ref":"a","tagPrefix":"b"}})",
        R"({"git":{"url":"https://x/y","ref":"a","subdir":"../z"}})",
        R"({"git":{"url":7,"ref":"a"}})"}) {
    EXPECT_NE(droppedBecause(entry("t", source)), "") << source;
  }
  EXPECT_NE(droppedBecause(entry("../t")), "");
  EXPECT_NE(droppedBecause("7"), "");
  EXPECT_THAT(droppedBecause(R"({"id":"t","source":)" + std::string(kNpm) + "}"),
              HasSubstr("author"));
  const auto nameless =
      parseMarketplace(R"({"schemaVersion":1,"name":"acme","plugins":[{"id":"t"},7]})");
  ASSERT_TRUE(nameless.ok());
  EXPECT_EQ(nameless.value().dropped.at(0).id, "t");
  EXPECT_EQ(nameless.value().dropped.at(1).id, "plugins[1]");
}

TEST(ParseMarketplaceTest, LimitsTags) {
  std::string tags;
  for (std::size_t count = 0; count <= limits::kTags; ++count) {
    tags += (tags.empty() ? "" : ",") + std::string(R"("t")");
  }
  EXPECT_THAT(droppedBecause(R"({"id":"t","author":{"name":"A"},"tags":[)" + tags +
                             R"(],"source":)" + kNpm + "}"),
              HasSubstr("limit tags: 10"));
}

TEST(ParseMarketplaceTest, TheFirstOfTwoEntriesCounts) {
  const auto out = parsed(entry("todo") + "," + entry("todo"));
  EXPECT_EQ(out.entries.size(), 1U);
  ASSERT_EQ(out.dropped.size(), 1U);
  EXPECT_THAT(out.dropped.front().reason, HasSubstr("twice"));
}

TEST(ParseMarketplaceTest, RefusesFilesThatAreNone) {
  for (const std::string text :
       {"", "[]", "{", R"({"schemaVersion":2,"name":"a","plugins":[]})",
        R"({"schemaVersion":1,"name":"a b","plugins":[]})", R"({"schemaVersion":1,"name":"a"})"}) {
    EXPECT_FALSE(parseMarketplace(text).ok()) << text;
  }
  EXPECT_EQ(parseMarketplace(R"({"schemaVersion":2,"name":"a","plugins":[]})").error().code,
            errc::kIncompatible);
  EXPECT_THAT(parseMarketplace("{").error().details, HasSubstr("no_manifest"));
  EXPECT_THAT(parseMarketplace(std::string(limits::kMarketplaceFile + 1, ' ')).error().message,
              HasSubstr("limit marketplaceFile: 1048576"));
}

TEST(SearchScoreTest, EveryWordHasToBeFound) {
  auto todo = parsed(entry("todo")).entries.front();
  EXPECT_GT(searchScore(todo, ""), 0);
  EXPECT_GT(searchScore(todo, "TODO"), searchScore(todo, "work"));
  EXPECT_GT(searchScore(todo, "work"), searchScore(todo, "lists"));
  EXPECT_GT(searchScore(todo, "acme work"), 0);
  EXPECT_EQ(searchScore(todo, "acme play"), 0);
  todo.display_name = "À faire";
  EXPECT_GT(searchScore(todo, "à FAIRE"), 0);
}

}  // namespace
}  // namespace svc::installs
