#include "text.h"

#include <gtest/gtest.h>

namespace svc::client {
namespace {

TEST(TextTest, OfALongLineTheBeginningIsShown) {
  EXPECT_EQ(firstLine("failed\nat a\n"), "failed");
  const auto line = firstLine("x" + std::string(300, 'y') + "\xC3\xA9" + std::string(20'000, 'z'));
  EXPECT_LT(line.size(), 410U);
  EXPECT_TRUE(line.ends_with("z…"));
  std::string wide;
  for (int count = 0; count < 1'000; ++count) {
    wide += "é";
  }
  EXPECT_TRUE(firstLine(wide).ends_with("é…")) << "no character is cut";
  EXPECT_TRUE(firstLine("x" + wide).ends_with("é…"));
}

TEST(TextTest, JsonKeepsItsValueAndHasNothingThatATerminalObeysOrHides) {
  EXPECT_EQ(jsonLine("{\"a\":\"\u202E b \U000E0041 \u009b[31m é 日本\"}"),
            R"({"a":"\u202e b \udb40\udc41 \u009b[31m é 日本"})");
}

TEST(TextTest, DropsControlCharacters) {
  EXPECT_EQ(oneLine("a\x1b[31mb\a\x7f"
                    "c"),
            "a[31mbc");
  EXPECT_EQ(oneLine("a\nb\tc\r"), "a b c");
  EXPECT_EQ(manyLines("a\nb\tc\r\x1b"), "a\nb\tc");
}

TEST(TextTest, DropsEightBitControlsAndKeepsLetters) {
  EXPECT_EQ(oneLine("a\xc2\x9b"
                    "31mb"),
            "a31mb");
  EXPECT_EQ(oneLine("a\x9b"
                    "31mb"),
            "a31mb");
  EXPECT_EQ(oneLine("Übergröße — 日本 🙂"), "Übergröße — 日本 🙂");
}

TEST(TextTest, ShowsWhatDisguisesText) {
  EXPECT_EQ(oneLine("rm \u202Etxt.exe\u2066\u2069 \u202A\u202D"),
            "rm \\u{202E}txt.exe\\u{2066}\\u{2069} \\u{202A}\\u{202D}");
  EXPECT_EQ(manyLines("pay\u200Bpal\uFEFF\u2028\U000E0041"),
            "pay\\u{200B}pal\\u{FEFF}\\u{2028}\\u{E0041}");
  EXPECT_EQ(oneLine("👩\u200D💻 می\u200Cخواهم ‘x’"), "👩\u200D💻 می\u200Cخواهم ‘x’");
  EXPECT_EQ(oneLine("cut \xE2\x80"), "cut \xE2\x80");
}

TEST(TextTest, CountsCodePointsAsColumns) { EXPECT_EQ(displayWidth("aä—"), 3U); }

TEST(TextTest, SuggestsOnlyCloseNames) {
  const std::vector<std::string> names{"todo", "plugin", "status"};
  EXPECT_EQ(nearestName("tood", names), "todo");
  EXPECT_EQ(nearestName("plugn", names), "plugin");
  EXPECT_EQ(nearestName("x", names), std::nullopt);
  EXPECT_EQ(nearestName("completely", names), std::nullopt);
}

TEST(TextTest, EncodesPathSegments) { EXPECT_EQ(percentEncode("a/b ü~"), "a%2Fb%20%C3%BC~"); }

TEST(TextTest, FormatsDurations) {
  EXPECT_EQ(formatDuration(0), "0 ms");
  EXPECT_EQ(formatDuration(1.54), "1.5 ms");
  EXPECT_EQ(formatDuration(320.4), "320 ms");
  EXPECT_EQ(formatDuration(12'400), "12.4 s");
  EXPECT_EQ(formatDuration(200'000), "3 min 20 s");
}

TEST(TextTest, FormatsTimesInUtc) {
  EXPECT_EQ(formatTime(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(formatTime(1'735'689'600'123, TimePrecision::kMilliseconds),
            "2025-01-01T00:00:00.123Z");
}

TEST(TextTest, WrapsAtBlanksAndKeepsLongWords) {
  EXPECT_EQ(wrapped("one two three", 8, 0), "one two\nthree");
  EXPECT_EQ(wrapped("one two three", 9, 2), "one two\n  three");
  EXPECT_EQ(wrapped("a verylongword b", 6, 0), "a\nverylongword\nb");
  EXPECT_EQ(wrapped("", 6, 0), "");
}

TEST(TextTest, TellsPeopleHowFarAwayATimeIs) {
  constexpr long long kNow = 1'767'225'600'000;
  constexpr long long kSecond = 1000;
  constexpr long long kHour = 3600 * kSecond;
  EXPECT_EQ(relativeTime(kNow, kNow), "just now");
  EXPECT_EQ(relativeTime(kNow - 90 * kSecond, kNow), "90 s ago");
  EXPECT_EQ(relativeTime(kNow + 90 * 60 * kSecond, kNow), "in 90 min");
  EXPECT_EQ(relativeTime(kNow + 20 * kHour, kNow), "in 20 h");
  EXPECT_EQ(relativeTime(kNow - 72 * kHour, kNow), "3 days ago");
  EXPECT_EQ(relativeTime(kNow - 24 * 40 * kHour, kNow), "2025-11-22");
}

}  // namespace
}  // namespace svc::client
