#include "mcp_setup/json_member.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::client {
namespace {

using common::Json;
using ::testing::HasSubstr;

const Json kEntry = Json::object().set("command", "svc").set("args", Json::Array{"mcp"});

std::string added(const std::string& text) {
  const auto edit = setJsonMember(text, "servers", "svc", kEntry, false);
  return edit ? edit.value().text : edit.error().message;
}

TEST(JsonMemberTest, AnEmptyFileBecomesAnObject) {
  EXPECT_EQ(added(" \n"), R"({
  "servers": {
    "svc": {
      "command": "svc",
      "args": [
        "mcp"
      ]
    }
  }
}
)");
}

TEST(JsonMemberTest, EverythingElseStaysAsItIs) {
  EXPECT_EQ(added(R"(// mine
{
    /* first */
    "unknown": { "a" : [1,2 , {"b":"}\"{"}] },   // odd
    "servers": {
        "other": {"command":"x"} // keep
    },
    "last": 1.50,
}
// end
)"),
            R"(// mine
{
    /* first */
    "unknown": { "a" : [1,2 , {"b":"}\"{"}] },   // odd
    "servers": {
        "other": {"command":"x"}, // keep
        "svc": {
            "command": "svc",
            "args": [
                "mcp"
            ]
        }
    },
    "last": 1.50,
}
// end
)");
}

TEST(JsonMemberTest, TheContainerIsMadeBehindTheOthers) {
  EXPECT_EQ(
      added("{\n\t\"a\": true, // yes\n\t// the end\n}"),
      "{\n\t\"a\": true, // yes\n\t// the end\n\t\"servers\": {\n\t\t\"svc\": "
      "{\n\t\t\t\"command\": \"svc\",\n\t\t\t\"args\": [\n\t\t\t\t\"mcp\"\n\t\t\t]\n\t\t}\n\t}"
      "\n}");
}

TEST(JsonMemberTest, WhatIsOnOneLineIsStillRight) {
  for (const char* text :
       {"{}", R"({"servers":{}})", R"({"servers":{"x":1}})", R"({"a":null,"servers":{"x":[],},})",
        R"({"servers":{/* none */}})", "{ // none\n}", R"({"a":-1.5e3})", R"({"a":"x" /*c*/})",
        "{\"a\":1 // c\n}", R"({"s":"\\", "servers":{"svc ":1}})"}) {
    const auto before = Json::parseRelaxed(text).value();
    auto expected = before;
    auto servers = before["servers"].isObject() ? before["servers"] : Json::object();
    expected.set("servers", servers.set("svc", kEntry));
    const auto after = Json::parseRelaxed(added(text));
    ASSERT_TRUE(after) << text << "\n" << added(text);
    EXPECT_EQ(after.value().dump(), expected.dump()) << text;
  }
}

TEST(JsonMemberTest, ASecondTimeChangesNothing) {
  const auto once = added("{\n  // c\n}\n");
  const auto twice = setJsonMember(once, "servers", "svc", kEntry, false);
  EXPECT_EQ(twice.value().outcome, Edit::Outcome::kUnchanged);
  EXPECT_EQ(twice.value().text, once);
}

TEST(JsonMemberTest, AnotherEntryIsReplacedOnlyWhenAskedTo) {
  const std::string text = "{\"servers\": {\"svc\": {\"url\": \"x\"}, \"b\": 1}} // c";
  const auto refused = setJsonMember(text, "servers", "svc", kEntry, false);
  EXPECT_EQ(refused.error().code, errc::kConflict);
  const auto forced = setJsonMember(text, "servers", "svc", Json("y"), true);
  EXPECT_EQ(forced.value().outcome, Edit::Outcome::kReplaced);
  EXPECT_EQ(forced.value().text, R"({"servers": {"svc": "y", "b": 1}} // c)");
}

TEST(JsonMemberTest, LineEndsAndByteOrderMarksStay) {
  const auto text = added("\xEF\xBB\xBF{\r\n  \"a\": 1\r\n}\r\n");
  EXPECT_TRUE(text.starts_with("\xEF\xBB\xBF{\r\n  \"a\": 1,\r\n  \"servers\": {\r\n")) << text;
  for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    EXPECT_EQ(text[at - 1], '\r');
  }
}

TEST(JsonMemberTest, WhatIsNoObjectIsLeftAlone) {
  EXPECT_THAT(added("{ nonsense"), HasSubstr("it is not JSON"));
  EXPECT_EQ(added("[]"), "it is not a JSON object");
  EXPECT_EQ(added(R"({"servers":[]})"), "\"servers\" is not an object there");
  EXPECT_EQ(added(R"({"servers":null})"), "\"servers\" is not an object there");
}

TEST(JsonMemberTest, OfAKeyThatIsThereTwiceTheLastOneCounts) {
  EXPECT_EQ(setJsonMember(R"({"s":{"a":1},"s":{"b":1}})", "s", "svc", Json(2), false).value().text,
            "{\"s\":{\"a\":1},\"s\":{\"b\":1,\n    \"svc\": 2\n  }}");
}

std::string removed(const std::string& text) {
  const auto edit = removeJsonMember(text, "servers", "svc");
  return edit ? edit.value().text : edit.error().message;
}

TEST(JsonMemberTest, WhatWasAddedIsTakenOutAgain) {
  for (const std::string text : {
           "{\n  \"servers\": {\n    \"other\": {\"a\": 1}\n  },\n  \"b\": 2\n}\n",
           "{\r\n\t\"servers\": {\r\n\t\t\"other\": {} // keep\r\n\t}\r\n}\r\n",
           "\xEF\xBB\xBF{\n  \"servers\": {\n    \"other\": []\n  },\n}",
       }) {
    EXPECT_EQ(removed(added(text)), text);
  }
}

TEST(JsonMemberTest, OthersStayWhereverTheMemberStands) {
  EXPECT_EQ(removed(R"({"servers":{"svc":{"a":[1,2]},"z":1}})"), R"({"servers":{"z":1}})");
  EXPECT_EQ(removed(R"({"servers":{"a":"}", "svc":1}})"), R"({"servers":{"a":"}"}})");
  EXPECT_EQ(removed(R"({"servers":{"svc":1}})"), R"({"servers":{}})");
  EXPECT_EQ(removed("{\"servers\": {\n  \"a\": 1,\n  \"svc\": {},\n  \"z\": 2\n}}"),
            "{\"servers\": {\n  \"a\": 1,\n  \"z\": 2\n}}");
}

TEST(JsonMemberTest, WhatIsNotThereIsNotTakenOut) {
  for (const std::string text :
       {"", "{}", R"({"servers":{}})", R"({"servers":1})", R"({"svc":1})"}) {
    const auto edit = removeJsonMember(text, "servers", "svc");
    ASSERT_TRUE(edit) << text;
    EXPECT_EQ(edit.value().outcome, Edit::Outcome::kUnchanged) << text;
    EXPECT_EQ(edit.value().text, text);
  }
  EXPECT_THAT(removed("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(removed("{"), HasSubstr("not JSON"));
  // Of two of one name this program cannot say which is meant.
  EXPECT_THAT(removed(R"({"servers":{"svc":1,"svc":2}})"), HasSubstr("cannot change"));
}

}  // namespace
}  // namespace svc::client
