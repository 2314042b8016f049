#include "threads/interaction_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::client {
namespace {

using common::Json;

InteractionForm formOf(const char* text) { return InteractionForm(Json::parse(text).value()); }

InteractionForm questions() {
  return formOf(
      R"({"id":"int_1","origin":{"kind":"provider"},"payload":{"kind":"user_question","questions":[)"
      R"({"id":"one","prompt":"Which?","options":[{"value":"a","label":"Alpha"},{"value":"b","label":"Beta, later"}],"multiSelect":false,"allowFreeText":false},)"
      R"({"id":"many","prompt":"Which ones?","options":[{"value":"x","label":"X"},{"value":"y","label":"Y"},{"value":"z","label":"Z"}],"multiSelect":true,"allowFreeText":true},)"
      R"({"id":"text","prompt":"Why?","multiSelect":false,"allowFreeText":true}]}})");
}

TEST(InteractionFormTest, TakesNumbersLabelsAndTexts) {
  auto form = questions();
  EXPECT_FALSE(form.take("3"));
  EXPECT_FALSE(form.take("1,2"));
  EXPECT_FALSE(form.take("something else"));
  EXPECT_TRUE(form.take("beta, later"));
  EXPECT_TRUE(form.take(" 3, x "));
  EXPECT_FALSE(form.done());
  EXPECT_FALSE(form.take("  "));
  EXPECT_TRUE(form.take("because, well"));
  EXPECT_TRUE(form.done());
  EXPECT_FALSE(form.take("one more"));
  EXPECT_EQ(
      form.body().dump(),
      R"({"resolution":{"kind":"user_answer","answers":{"one":{"selected":["b"]},"many":{"selected":["z","x"]},"text":{"selected":[],"freeText":"because, well"}}}})");
  EXPECT_STREQ(form.route(), "resolve");
}

TEST(InteractionFormTest, ChangesOfFilesAreShownWithTheirLines) {
  auto form = formOf(
      R"({"id":"int_1","origin":{"kind":"provider"},"payload":{"kind":"approval","availableDecisions":["allow_once","deny"],)"
      R"("subject":{"kind":"file_change","itemId":"i","writeScope":["/etc","/tmp"]}}})");
  EXPECT_EQ(form.description(), "The agent wants to change files in /etc, /tmp");
  std::string diff = "--- a/etc/x\n+++ b/etc/x\n@@ -1,1 +1,1 @@\n-old\n+new\n";
  form.show(Json(Json::Array{
      Json::object().set("path", "/etc/x").set("kind", "update").set("diff", diff),
      Json::object().set("path", "/tmp/a").set("kind", "update").set("movePath", "/tmp/b")}));
  EXPECT_EQ(form.description(),
            "The agent wants to change files in /etc, /tmp\n  update /etc/x\n    @@ -1,1 +1,1 @@\n"
            "    -old\n    +new\n  update /tmp/a to /tmp/b");
  for (int line = 0; line < 70; ++line) {
    diff += "+more\n";
  }
  form.show(
      Json(Json::Array{Json::object().set("path", "/etc/x").set("kind", "add").set("diff", diff)}));
  EXPECT_THAT(form.description(), ::testing::EndsWith("    +more\n    … 13 more lines"));
}

TEST(InteractionFormTest, WhatIsAskedIsShownAsItIs) {
  const auto command = formOf(
      R"({"id":"int_1","origin":{"kind":"provider"},"payload":{"kind":"approval","availableDecisions":["allow_once"],)"
      R"("subject":{"kind":"command","command":"rm \u202e/pmt\u2066"},"reason":"to\u200b clean"}})");
  EXPECT_EQ(command.description(),
            "The agent wants to run\n  $ rm \\u{202E}/pmt\\u{2066}\n  because: to\\u{200B} clean");
  const auto question = formOf(
      R"({"id":"int_1","origin":{"kind":"provider"},"payload":{"kind":"user_question","questions":[)"
      R"({"id":"one","prompt":"Which\u202d?","options":[{"value":"a","label":"A\u202e","description":"d\u2069"}]}]}})");
  EXPECT_EQ(question.prompt(), "Which\\u{202D}?\n  1 A\\u{202E} - d\\u{2069}\n  a number:");
  const auto form = formOf(
      R"({"id":"int_1","origin":{"kind":"plugin","pluginId":"todo"},"payload":{"kind":"plugin","title":"T\u202e"}})");
  EXPECT_EQ(form.description(), "The plugin todo asks: T\\u{202E}");
}

TEST(InteractionFormTest, WhatIsNoOptionIsATextWhereOneIsAllowed) {
  auto form = questions();
  ASSERT_TRUE(form.take("1"));
  ASSERT_TRUE(form.take("neither, nor"));
  ASSERT_TRUE(form.take("x"));
  EXPECT_EQ(form.body()["resolution"]["answers"]["many"].dump(),
            R"({"selected":[],"freeText":"neither, nor"})");
}

TEST(InteractionFormTest, AllQuestionsAreShownWithTheirNumbers) {
  EXPECT_EQ(questions().prompts(),
            "1. Which?\n  1 Alpha\n  2 Beta, later\n  a number:\n"
            "2. Which ones?\n  1 X\n  2 Y\n  3 Z\n"
            "  numbers, separated by commas, or text of your own:\n"
            "3. Why?\n  text:");
  auto form = questions();
  EXPECT_THAT(form.prompt(), ::testing::StartsWith("1. Which?\n"));
  ASSERT_TRUE(form.take("1"));
  EXPECT_THAT(form.prompt(), ::testing::StartsWith("2. Which ones?\n"));
  EXPECT_EQ(form.prompts(), questions().prompts());
}

TEST(InteractionFormTest, ANumberThatIsWantedIsDescribed) {
  const auto form = formOf(
      R"({"id":"i","payload":{"kind":"user_question","questions":[)"
      R"({"id":"a","prompt":"a","allowFreeText":true,"expects":{"type":"integer","minimum":1,"maximum":5}},)"
      R"({"id":"b","prompt":"b","allowFreeText":true,"expects":{"type":"number","minimum":0.5}},)"
      R"({"id":"c","prompt":"c","allowFreeText":true,"expects":{"type":"integer","maximum":-1},"optional":true},)"
      R"({"id":"d","prompt":"d","allowFreeText":true,"expects":{"type":"number"}}]}})");
  EXPECT_EQ(form.prompts(),
            "1. a\n  a whole number from 1 to 5:\n2. b\n  a number of at least 0.5:\n"
            "3. c\n  a whole number of at most -1, or nothing to leave it out:\n4. d\n  a number:");
}

TEST(InteractionFormTest, AnEmptyAnswerLeavesAnOptionalQuestionOut) {
  auto form = formOf(
      R"({"id":"i","payload":{"kind":"user_question","questions":[)"
      R"({"id":"a","prompt":"A?","options":[{"value":"x","label":"X"}],"multiSelect":false,"allowFreeText":false,"optional":true},)"
      R"({"id":"b","prompt":"B?","multiSelect":false,"allowFreeText":true},)"
      R"({"id":"c","prompt":"C?","multiSelect":false,"allowFreeText":true,"optional":true}]}})");
  EXPECT_EQ(form.prompts(),
            "1. A?\n  1 X\n  a number, or nothing to leave it out:\n2. B?\n  text:\n"
            "3. C?\n  text, or nothing to leave it out:");
  EXPECT_FALSE(form.take("2"));
  EXPECT_TRUE(form.take(""));
  EXPECT_FALSE(form.take("")) << "this one is wanted";
  EXPECT_TRUE(form.take("text"));
  EXPECT_TRUE(form.take(" "));
  EXPECT_TRUE(form.done());
  EXPECT_EQ(form.body()["resolution"]["answers"].dump(),
            R"({"b":{"selected":[],"freeText":"text"}})");
}

TEST(InteractionFormTest, OnlyDecisionsThatAreOfferedAreTaken) {
  auto form = formOf(
      R"({"id":"i","payload":{"kind":"approval","availableDecisions":["allow_once","deny"],"subject":{"kind":"tool_use","toolName":"t","title":"A tool"}}})");
  EXPECT_EQ(form.prompt(), "[y]es, [n]o?");
  EXPECT_EQ(form.take("always").error().message, "answer with yes|no");
  EXPECT_TRUE(form.take(" YES "));
  EXPECT_EQ(form.body()["resolution"]["decision"].asString(), "allow_once");
}

TEST(InteractionFormTest, APluginGetsJson) {
  auto form = formOf(
      R"({"id":"i","origin":{"kind":"plugin","pluginId":"survey"},"payload":{"title":"T"}})");
  EXPECT_TRUE(form.ofPlugin());
  EXPECT_FALSE(form.take("no json"));
  EXPECT_TRUE(form.take(R"({"a":1})"));
  EXPECT_EQ(form.body().dump(), R"({"value":{"a":1}})");
  EXPECT_STREQ(form.route(), "respond");
}

}  // namespace
}  // namespace svc::client
