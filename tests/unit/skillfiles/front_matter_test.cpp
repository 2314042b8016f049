#include "svc/skillfiles/front_matter.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::skillfiles {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

FrontMatter good(std::string_view text, Repair repair = Repair::kNothing) {
  auto read = readFrontMatter(text, repair);
  const auto* const problem = std::get_if<FrontMatterProblem>(&read);
  EXPECT_EQ(problem, nullptr) << (problem == nullptr ? "" : problem->message);
  return problem == nullptr ? std::move(std::get<FrontMatter>(read)) : FrontMatter();
}

std::string bad(std::string_view text, Repair repair = Repair::kNothing) {
  const auto read = readFrontMatter(text, repair);
  const auto* const problem = std::get_if<FrontMatterProblem>(&read);
  return problem == nullptr ? "it was read"
                            : fmt::format("{}: {}", problem->line, problem->message);
}

std::string head(std::string_view yaml) { return fmt::format("---\n{}\n---\n", yaml); }

TEST(FrontMatterTest, IsTheWholeYamlAsJson) {
  const auto matter = good(
      "---\nname: a\ndescription: >-\n  One\n  two\nlicense: 'it''s'\nmetadata:\n  author: me\n  "
      "list: [1, 2.5, x]\n"
      "more:\n- true\n- null\n- \"1\"\n- no\n- 0x10\n- -3\n- 1e3\n---\n# Text\n");
  EXPECT_EQ(matter.values.dump(), R"({"name":"a","description":"One two","license":"it's",)"
                                  R"("metadata":{"author":"me","list":[1,2.5,"x"]},)"
                                  R"("more":[true,null,"1","no",16,-3,1000.0]})");
}

TEST(FrontMatterTest, NumbersThatAreNoneStayText) {
  EXPECT_EQ(good(head("v: [1.2.3, 1-2, 2024-01-02, .., '-', 0x, .inf, 99999999999999999999]"))
                .values["v"]
                .dump(),
            R"(["1.2.3","1-2","2024-01-02","..","-","0x",".inf",100000000000000000000.0])");
}

TEST(FrontMatterTest, KnowsTheLineOfEachKeyAndWhereTheTextBegins) {
  const std::string_view text = "---\r\nname: a\r\n\r\ndescription: x\r\n---\r\nText\r\n";
  const auto matter = good(text);
  EXPECT_THAT(matter.lines, UnorderedElementsAre(Pair("name", 2), Pair("description", 4)));
  EXPECT_EQ(matter.body_line, 6);
  EXPECT_EQ(text.substr(matter.body_offset), "Text\r\n");
  EXPECT_EQ(matter.lineOf("license"), 0);
}

TEST(FrontMatterTest, SaysInWhichLineSomethingIsWrong) {
  EXPECT_THAT(bad("# Skill"), HasSubstr("1: SKILL.md must begin with a line \"---\""));
  EXPECT_THAT(bad("---\nname: a\n"), HasSubstr("1: the head of SKILL.md has no closing line"));
  EXPECT_THAT(bad(head("name: a\n\tb: c")),
              HasSubstr("3: the head of SKILL.md is no YAML: line 3"));
  EXPECT_THAT(bad(head("a: 1\nb: 2\na: 3")), HasSubstr("\"a\" is there twice"));
  EXPECT_THAT(bad(head("- a")), HasSubstr("must be a list of \"key: value\""));
  EXPECT_THAT(bad(head("")), HasSubstr("empty"));
  EXPECT_THAT(bad(head("? [a]\n: b")), HasSubstr("a key must be one word"));
}

TEST(FrontMatterTest, NothingInItGrows) {
  EXPECT_THAT(bad(head("a: &x [1]\nb: *x")), HasSubstr("anchors and aliases"));
  EXPECT_THAT(bad(head("b: *x")), HasSubstr("anchors and aliases"));
  EXPECT_THAT(bad(head("a: !!python/object x")), HasSubstr("tags are not read"));
  EXPECT_THAT(bad(head("a: " + std::string(5000, '[') + std::string(5000, ']'))),
              HasSubstr("nested"));
  std::string many = "a: [";
  for (int at = 0; at < 3000; ++at) {
    many += "1,";
  }
  EXPECT_THAT(bad(head(many + "]")), HasSubstr("more than 2000 values"));
  EXPECT_THAT(bad("---\na: " + std::string(100'000, 'x') + "\n---\n"),
              HasSubstr("more than 65536 bytes"));
}

TEST(FrontMatterTest, ControlCharactersAreNoYaml) {
  EXPECT_THAT(bad(head("a: \x1b[2J")), HasSubstr("control characters"));
}

TEST(FrontMatterTest, ColonsInAValueAreOnlyReadWhenAskedFor) {
  const auto text = head("name: a\ndescription: Use when: it's needed\nlicense: \"b: c\"");
  EXPECT_THAT(bad(text), HasSubstr("mapping values"));
  const auto matter = good(text, Repair::kColons);
  EXPECT_TRUE(matter.repaired);
  EXPECT_EQ(matter.values["description"].asString(), "Use when: it's needed");
  EXPECT_EQ(matter.values["license"].asString(), "b: c");
  EXPECT_THAT(bad(head("a: [1"), Repair::kColons), HasSubstr("no YAML"));
}

}  // namespace
}  // namespace svc::skillfiles
