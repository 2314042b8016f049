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

TEST(InteractionFormTest, WhatIsNoOptionIsATextWhereOneIsAllowed) {
  auto form = questions();
  ASSERT_TRUE(form.take("1"));
  ASSERT_TRUE(form.take("neither, nor"));
  ASSERT_TRUE(form.take("x"));
  EXPECT_EQ(form.body()["resolution"]["answers"]["many"].dump(),
            R"({"selected":[],"freeText":"neither, nor"})");
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
