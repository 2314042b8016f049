#include "svc/common/json.h"

#include <gmock/gmock.h>

namespace svc::common {
namespace {

TEST(JsonTest, RoundTripsEveryKindOfValue) {
  const std::string text =
      R"({"a":[1,-2,3.5,true,false,null,"x"],"b":{"c":{}},"big":9007199254740993})";
  const auto parsed = Json::parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(parsed.value().dump(), text);
}

TEST(JsonTest, TopLevelScalarsAreValues) {
  EXPECT_EQ(Json::parse("7").value().asInteger(), 7);
  EXPECT_EQ(Json::parse("\"x\"").value().asString(), "x");
  EXPECT_TRUE(Json::parse("null").value().isNull());
}

TEST(JsonTest, BrokenTextIsRefusedWithAnOffset) {
  for (const char* text :
       {"", "{", "[1,]", "{\"a\":1,}", "nul", "1 2", "{a:1}", "// c\n1", "\"\xff\""}) {
    const auto parsed = Json::parse(text);
    EXPECT_FALSE(parsed.ok()) << text;
    EXPECT_FALSE(isValidJson(text)) << text;
  }
  EXPECT_THAT(Json::parse("[1,]").error().message, testing::HasSubstr("byte 3"));
}

TEST(JsonTest, AZeroByteIsNotTheEnd) {
  using namespace std::string_view_literals;
  for (const auto text : {"{}\0"sv, "{}\0{"sv, "\xEF\xBB\xBF{}\0"sv, "1\0 "sv, "\"\0\""sv}) {
    EXPECT_FALSE(Json::parse(text));
    EXPECT_FALSE(Json::parseRelaxed(text));
    EXPECT_FALSE(isValidJson(text));
  }
}

TEST(JsonTest, RelaxedTextMayHaveCommentsAndTrailingCommas) {
  EXPECT_EQ(Json::parseRelaxed("{ // c\n \"a\": [1,], }").value().dump(), R"({"a":[1]})");
}

TEST(JsonTest, DepthIsLimited) {
  EXPECT_TRUE(Json::parse(std::string(128, '[') + std::string(128, ']')).ok());
  const auto deep = Json::parse(std::string(100'000, '['));
  ASSERT_FALSE(deep.ok());
  EXPECT_THAT(deep.error().message, testing::HasSubstr("128"));
}

TEST(JsonTest, TheLastOfRepeatedKeysCounts) {
  EXPECT_EQ(Json::parse(R"({"a":1,"b":2,"a":3})").value().dump(), R"({"b":2,"a":3})");
}

TEST(JsonTest, ReadsFallBackOnOtherTypes) {
  const Json text("x");
  EXPECT_EQ(text.asInteger(5), 5);
  EXPECT_TRUE(text["missing"].isNull());
  EXPECT_TRUE(text.items().empty());
}

TEST(JsonTest, RawTextIsWrittenAsItIs) {
  Json object = Json::object();
  object.set("value", Json::raw(RawJson("[1, 2]")));
  EXPECT_EQ(object.dump(), R"({"value":[1, 2]})");
}

TEST(JsonTest, InvalidUtf8IsReplacedInValuesAndKeys) {
  EXPECT_EQ(Json::object().set("k\xff", "a\xffé\xed\xa0\x80").dump(),
            "{\"k\xEF\xBF\xBD\":\"a\xEF\xBF\xBDé\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"}");
  EXPECT_EQ(Json("cut \xe2\x82").dumpPretty(), "\"cut \xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(JsonTest, StringsAreEscapedAndInvalidUtf8IsReplaced) {
  EXPECT_EQ(jsonString("a\"b\\c\n\x01é"), "\"a\\\"b\\\\c\\n\\u0001é\"");
  EXPECT_EQ(jsonString("x\xffy"), "\"x\xEF\xBF\xBDy\"");
  EXPECT_EQ(jsonString("\xed\xa0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(JsonTest, KnowsUtf8) {
  for (const std::string text : {"", "plain", "plain and long enough é€😀"}) {
    EXPECT_TRUE(isUtf8(text)) << text;
  }
  for (const std::string text :
       {"\xff", "12345678\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_FALSE(isUtf8(text));
  }
}

TEST(JsonTest, HalvesOfSurrogatePairsAreJson) {
  // What JSON.stringify() makes of a text that was cut inside an emoji.
  for (const char* text :
       {R"("a\ud83db")", R"("\ud83d\ud83d\ude00")", R"({"\uD83D":["\ud800\u0041"]})"}) {
    EXPECT_TRUE(isValidJson(text)) << text;
    EXPECT_TRUE(Json::parse(text)) << text;
  }
  EXPECT_EQ(Json::parse(R"("a\ud83d\\ud83d\ud83d\ude00")").value().asString(),
            "a\xEF\xBF\xBD\\ud83d😀");
  EXPECT_FALSE(isValidJson(R"("\ud83d\u")"));
  EXPECT_FALSE(isValidJson(R"("\ud83d)"));
}

}  // namespace
}  // namespace svc::common
