#include "svc/common/shown_text.h"

#include <string>

#include <gtest/gtest.h>

namespace svc::common {
namespace {

using namespace std::string_literals;

TEST(ShownTextTest, NamesTheCharacterThatIsObeyedInsteadOfShown) {
  EXPECT_EQ(oddCharacterOf("Büro 💻 שלום"), std::nullopt);
  // The marks that right-to-left texts need, and a blank that is no C1 character.
  EXPECT_EQ(oddCharacterOf("a\xE2\x80\x8F\xC2\xA0z"), std::nullopt);
  EXPECT_EQ(oddCharacterOf("a\x1b[31m"), "it has the control character U+001B");
  EXPECT_EQ(oddCharacterOf("a\0b"s), "it has the control character U+0000");
  EXPECT_EQ(oddCharacterOf("a\nb"), "it has the control character U+000A");
  EXPECT_EQ(oddCharacterOf("a\x7f"), "it has the control character U+007F");
  EXPECT_EQ(oddCharacterOf("a\xC2\x80"), "it has the control character U+0080");
  EXPECT_EQ(oddCharacterOf("a\xC2\x9Fz"), "it has the control character U+009F");
  EXPECT_EQ(oddCharacterOf("\xE2\x80\xAA"), "it has the direction character U+202A");
  EXPECT_EQ(oddCharacterOf("a\xE2\x80\xAEz"), "it has the direction character U+202E");
  EXPECT_EQ(oddCharacterOf("\xE2\x81\xA6"), "it has the direction character U+2066");
  EXPECT_EQ(oddCharacterOf("\xE2\x81\xA9"), "it has the direction character U+2069");
  EXPECT_EQ(oddCharacterOf("\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xAA"), std::nullopt);
  // Half of a surrogate pair.
  EXPECT_EQ(oddCharacterOf("a\xED\xA0\x80"), "it is no UTF-8");
}

TEST(ShownTextTest, LineBreaksAndTabsAreBlanks) {
  EXPECT_EQ(onOneLine(" a\tb\r\nc \n"), "a b  c");
  EXPECT_EQ(onOneLine("\n"), "");
}

TEST(ShownTextTest, WhatNobodyCanChangeIsReplaced) {
  EXPECT_EQ(shownOnOneLine("a\nb\x1b[0m\xE2\x80\xAEz\xC2\x9B"),
            "a b\xEF\xBF\xBD[0m\xEF\xBF\xBDz\xEF\xBF\xBD");
  EXPECT_EQ(shownOnOneLine("ü"), "ü");
  EXPECT_EQ(shownOnOneLine("caf\xE9.txt"), "caf\xEF\xBF\xBD.txt");
}

TEST(ShownTextTest, CharactersAreThoseOfUtf8) { EXPECT_EQ(countCharacters("aü💻"), 3U); }

}  // namespace
}  // namespace svc::common
