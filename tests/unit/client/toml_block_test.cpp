#include "mcp_setup/toml_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::client {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kLines{R"(command = "svc")", R"(args = ["mcp"])"};
constexpr auto kBlock =
    "# >>> svc mcp setup\n[mcp_servers.svc]\ncommand = \"svc\"\nargs = [\"mcp\"]\n"
    "# <<< svc mcp setup\n";

Result<Edit> set(const std::string& text, bool force = false) {
  return setTomlTable(text, "mcp_servers", "svc", kLines, force);
}

TEST(TomlBlockTest, TheBlockStandsBehindEverythingElse) {
  EXPECT_EQ(set("").value().text, kBlock);
  EXPECT_EQ(set("model = \"x\"").value().text, std::string("model = \"x\"\n\n") + kBlock);
  const std::string text = R"(# mine
model = "gpt" # best
"quoted.key" = 'C:\path'
[features]
list = [
  # [mcp_servers.svc]
  ["a", "]"],
  { x = 1, y = "}" },
]
text = """
[mcp_servers.svc]
"" \" """
[[profiles]]
n = 1979-05-27T07:32:00Z
[mcp_servers."other one".env]
A = '''
x'''
[mcp_servers.other]
command = "y"
)";
  EXPECT_EQ(set(text).value().text, text + "\n" + kBlock);
}

TEST(TomlBlockTest, AByteOrderMarkStays) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(set(mark + "a = 1\n").value().text, mark + "a = 1\n\n" + kBlock);
}

TEST(TomlBlockTest, AListOfTablesStays) {
  EXPECT_THAT(set("[[mcp_servers]]\nname = \"x\"\n").error().message,
              HasSubstr("line 1 makes mcp_servers a list of tables"));
}

TEST(TomlBlockTest, ASecondTimeChangesNothing) {
  const auto once = set("a = 1\n").value().text;
  const auto later = once + "[more]\nb = 2\n";
  for (const auto& text : {once, later}) {
    EXPECT_EQ(set(text).value().outcome, Edit::Outcome::kUnchanged);
    EXPECT_EQ(set(text).value().text, text);
  }
}

TEST(TomlBlockTest, AnotherBlockIsReplacedOnlyWhenAskedTo) {
  const std::string text =
      "a = 1\n# >>> svc mcp setup\n[mcp_servers.svc]\nurl = \"x\"\n# <<< svc mcp setup\n[z]\nb=1\n";
  EXPECT_EQ(set(text).error().code, errc::kConflict);
  EXPECT_EQ(set(text, true).value().text, std::string("a = 1\n") + kBlock + "[z]\nb=1\n");
}

TEST(TomlBlockTest, WhatIsWrittenByHandStaysUnlessAskedTo) {
  for (const char* text :
       {"[mcp_servers.svc]\ncommand = \"x\"\n", "[mcp_servers.\"svc\".env]\nA = \"x\"\n",
        "mcp_servers.svc.command = \"x\"\n", "[[mcp_servers.svc]]\nargs = [\n  \"x\", # y\n]"}) {
    const auto refused = set(text);
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_EQ(refused.error().code, errc::kConflict);
    EXPECT_EQ(refused.error().message, "line 1 has mcp_servers.svc already, written by hand");
    const auto forced = set(text, true);
    ASSERT_TRUE(forced.ok()) << text;
    EXPECT_EQ(forced.value().outcome, Edit::Outcome::kReplaced);
    EXPECT_EQ(forced.value().text, kBlock) << text;
  }
  EXPECT_THAT(set("a = 1\nmcp_servers = {}\n", true).error().message,
              HasSubstr("line 2 has mcp_servers on one line"));
}

TEST(TomlBlockTest, WhatStandsAroundAnEntryOfHandStays) {
  EXPECT_EQ(set("# mine\n\n[mcp_servers.svc] # old\n# what it runs\ncommand=\"z\"\n\n"
                "[mcp_servers.svc.env]\nA = 1\n# behind\n\n[mcp_servers.other]\nsvc.b = 1\n",
                true)
                .value()
                .text,
            std::string("# mine\n\n\n# behind\n\n[mcp_servers.other]\nsvc.b = 1\n\n") + kBlock);
  EXPECT_EQ(set("[mcp_servers]\n# one\nother = { a = 1 }\n  svc = { a = [\n1] } # x\n# two\n"
                "svc2.b = 1\r\nsvc.c = 2\r\n",
                true)
                .value()
                .text.substr(0, 61),
            "[mcp_servers]\n# one\nother = { a = 1 }\n# two\nsvc2.b = 1\r\n\r\n# >");
}

TEST(TomlBlockTest, WhatCannotBeReadStays) {
  for (const char* text : {"a = \"x\n", "a = \"\"\"x\n", "a = [1\n", "[a\n", "a\n", "= 1\n",
                           "a = \n", "[a] b\n", "# >>> svc mcp setup\n", "# <<< svc mcp setup\n",
                           "# <<< svc mcp setup\n# >>> svc mcp setup\n",
                           "# >>> svc mcp setup\n# >>> svc mcp setup\n# <<< svc mcp setup\n"}) {
    EXPECT_FALSE(set(text, true).ok()) << text;
  }
}

TEST(TomlBlockTest, LineEndsStay) {
  EXPECT_EQ(set("a = 1\r\n").value().text,
            "a = 1\r\n\r\n# >>> svc mcp setup\r\n[mcp_servers.svc]\r\ncommand = \"svc\"\r\n"
            "args = [\"mcp\"]\r\n# <<< svc mcp setup\r\n");
}

TEST(TomlBlockTest, TheBlockIsTakenOutAgain) {
  for (const std::string text : {"", "model = \"x\"\n", "\xEF\xBB\xBF[a]\r\nb = 1\r\n"}) {
    const auto edit = removeTomlTable(set(text).value().text, "mcp_servers", "svc", false);
    ASSERT_TRUE(edit) << text;
    EXPECT_EQ(edit.value().text, text);
    EXPECT_EQ(edit.value().outcome, Edit::Outcome::kRemoved);
    EXPECT_EQ(removeTomlTable(text, "mcp_servers", "svc", false).value().outcome,
              Edit::Outcome::kUnchanged);
  }
}

TEST(TomlBlockTest, WhatIsWrittenByHandIsTakenOutByForce) {
  const std::string text =
      "a = 1\n[mcp_servers.svc]\ncommand = \"x\"\n\n[mcp_servers.svc.env]\nA = \"1\"\n# "
      "mine\n[b]\n";
  const auto refused = removeTomlTable(text, "mcp_servers", "svc", false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("line 2 has mcp_servers.svc, written by hand"));
  EXPECT_EQ(removeTomlTable(text, "mcp_servers", "svc", true).value().text,
            "a = 1\n\n# mine\n[b]\n");
  EXPECT_FALSE(removeTomlTable("a = [", "mcp_servers", "svc", true));
}

}  // namespace
}  // namespace svc::client
