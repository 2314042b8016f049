#include "svc/base/text.h"

#include <gmock/gmock.h>

namespace svc::base {
namespace {

TEST(TextTest, LowersAsciiAlone) {
  EXPECT_EQ(lowerAscii("AZaz09-Ä"), "azaz09-Ä");
  EXPECT_TRUE(equalsIgnoreCase("Content-Type", "content-TYPE"));
  EXPECT_FALSE(equalsIgnoreCase("a", "ab"));
  EXPECT_FALSE(equalsIgnoreCase("[", "{"));
}

TEST(TextTest, TrimsBothEnds) {
  EXPECT_EQ(trimmed(" \t\r\na b\n "), "a b");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed("\n a ", " "), "\n a");
}

}  // namespace
}  // namespace svc::base
