#include "svc/common/json_slices.h"

#include <string>

#include <gtest/gtest.h>

namespace svc::common {
namespace {

TEST(JsonSlicesTest, MembersKeepTheirText) {
  const std::string text =
      R"( { "type" : "call" ,"input": {"a": [1, 2.50e3, "}"], "b:c": null } , "n": -0.10,"t":true,"s":"\u00e9\"," } )";
  const auto slices = JsonSlices::parse(text);
  ASSERT_TRUE(slices) << slices.error().message;
  EXPECT_EQ(slices.value().raw("type"), R"("call")");
  EXPECT_EQ(slices.value().raw("input"), R"({"a": [1, 2.50e3, "}"], "b:c": null })");
  EXPECT_EQ(slices.value().raw("n"), "-0.10");
  EXPECT_EQ(slices.value().raw("t"), "true");
  EXPECT_EQ(slices.value().text("s"), "é\",");
  EXPECT_EQ(slices.value().text("type"), "call");
  EXPECT_EQ(slices.value().raw("absent"), "");
  EXPECT_EQ(slices.value().text("n"), "");
}

TEST(JsonSlicesTest, NestedKeysAreNotMembers) {
  const auto slices = JsonSlices::parse(R"({"a":{"b":1},"c":[{"b":2}]})");
  ASSERT_TRUE(slices);
  EXPECT_EQ(slices.value().raw("b"), "");
}

TEST(JsonSlicesTest, TheLastOfEqualKeysCounts) {
  const auto slices = JsonSlices::parse(R"({"a":1,"a":2})");
  ASSERT_TRUE(slices);
  EXPECT_EQ(slices.value().raw("a"), "2");
}

TEST(JsonSlicesTest, EmptyObjectHasNoMembers) {
  const auto slices = JsonSlices::parse("{}");
  ASSERT_TRUE(slices);
  EXPECT_EQ(slices.value().raw(""), "");
}

TEST(JsonSlicesTest, WhatIsNotAnObjectIsRefused) {
  for (const char* text :
       {"", " ", "null", "7", "\"text\"", "[]", "[{}]", "{", "{\"a\"}", "{\"a\":}", "{} {}",
        "{\"a\":1,}", "{\"a\":NaN}", "{'a':1}", "{\"a\":\"\xff\"}"}) {
    EXPECT_FALSE(JsonSlices::parse(text)) << text;
  }
}

TEST(JsonSlicesTest, AZeroByteIsNotTheEnd) {
  using namespace std::string_view_literals;
  EXPECT_FALSE(JsonSlices::parse("{}\0"sv));
  EXPECT_FALSE(JsonSlices::parse("{\"a\":1}\0{"sv));
}

TEST(JsonSlicesTest, DepthIsLimited) {
  const auto nested = [](int levels) {
    return "{\"a\":" + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  EXPECT_TRUE(JsonSlices::parse(nested(131)));
  EXPECT_FALSE(JsonSlices::parse(nested(132)));
  EXPECT_FALSE(JsonSlices::parse(std::string(1'000'000, '[')));
}

TEST(JsonSlicesTest, HalvesOfSurrogatePairsStayAsTheyAre) {
  const std::string text = R"({"\ud83d":1,"a":["\ud83dx"],"b":2})";
  const auto slices = JsonSlices::parse(text);
  ASSERT_TRUE(slices);
  EXPECT_EQ(slices.value().raw("a"), R"(["\ud83dx"])");
  EXPECT_EQ(slices.value().raw("b"), "2");
  EXPECT_EQ(slices.value().raw("\xEF\xBF\xBD"), "1");
}

TEST(JsonSlicesTest, SkimmingFindsTheSameMembers) {
  for (const char* text : {"{}", " { } ", R"({"a":1})",
                           R"( { "a" : "x\"}" , "b":[ {"c":"]"} , [] ], "c" : -1.5e3 ,"d":null } )",
                           R"({"a\u0062":true,"":{"\\":"\\"}})", R"({"a":1,"a":[2]})",
                           R"({"\ud83d":1,"a":"\ud83dx"})"}) {
    const auto parsed = JsonSlices::parse(text);
    const auto skimmed = JsonSlices::skim(text);
    ASSERT_TRUE(parsed) << text;
    ASSERT_TRUE(skimmed) << text << ": " << skimmed.error().message;
    EXPECT_EQ(skimmed.value().members(), parsed.value().members()) << text;
  }
}

TEST(JsonSlicesTest, SkimmingRefusesWhatHasNoEnds) {
  for (const char* text : {"",
                           " ",
                           "null",
                           "[]",
                           "\"text\"",
                           "{",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{} {}",
                           "{\"a\":1,}",
                           "{\"a\":NaN}",
                           "{'a':1}",
                           "{\"\xff\":1}",
                           "{\"a\":[}]}",
                           "{\"a\":{\"}",
                           "{\"a\":\"\\\"}",
                           "{\"a\":\"\\",
                           "{\"a\":[1}",
                           "{\"a\":{}",
                           "{\"a\" 1}",
                           "{\"a\":1 \"b\":2}",
                           "{\"a\":]}",
                           "{\"\\x\":1}"}) {
    const auto skimmed = JsonSlices::skim(text);
    ASSERT_FALSE(skimmed) << text;
    EXPECT_FALSE(skimmed.error().message.empty()) << text;
  }
}

TEST(JsonSlicesTest, SkimmingLooksIntoNoValue) {
  const auto slices = JsonSlices::skim(R"({"a":[1,,x],"b":"\x","c":2})");
  ASSERT_TRUE(slices);
  EXPECT_EQ(slices.value().raw("a"), "[1,,x]");
  EXPECT_EQ(slices.value().raw("c"), "2");
  EXPECT_EQ(slices.value().text("b"), "");
}

TEST(JsonSlicesTest, SkimmingHasTheSameDepth) {
  const auto nested = [](int levels) {
    return "{\"a\":" + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  EXPECT_TRUE(JsonSlices::skim(nested(131)));
  EXPECT_FALSE(JsonSlices::skim(nested(132)));
  EXPECT_FALSE(JsonSlices::skim("{\"a\":" + std::string(1'000'000, '[')));
}

}  // namespace
}  // namespace svc::common
