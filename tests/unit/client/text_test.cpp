#include "text.h"

#include <gtest/gtest.h>

namespace svc::client {
namespace {

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

}  // namespace
}  // namespace svc::client
