#include "svc/common/surrogates.h"

#include <gtest/gtest.h>

namespace svc::common {
namespace {

TEST(SurrogatesTest, TextsAreCountedAsJavaScriptDoes) {
  EXPECT_EQ(utf16Length(""), 0);
  EXPECT_EQ(utf16Length("aé€😀"), 5);
}

TEST(SurrogatesTest, AnEscapeOfHalfAPairBecomesTheReplacementCharacter) {
  EXPECT_EQ(replaceLoneSurrogates(R"("\ud83d\ude00 \ud83d \ude00 \\ud83d")"),
            R"("\ud83d\ude00 \ufffd \ufffd \\ud83d")");
}

}  // namespace
}  // namespace svc::common
