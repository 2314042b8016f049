#include "secret_mask.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/json.h"

namespace svc::plugins {
namespace {

TEST(SecretMaskTest, ReplacesEveryOccurrence) {
  SecretMask mask;
  const auto held = mask.add("hunter22");
  EXPECT_EQ(mask.apply("a hunter22, hunter22b hunter2"), "a ***, ***b hunter2");
}

TEST(SecretMaskTest, LeavesTextAloneWithoutSecrets) {
  const SecretMask mask;
  EXPECT_EQ(mask.apply("nothing here"), "nothing here");
}

TEST(SecretMaskTest, DoesNotMaskShortValues) {
  SecretMask mask;
  const auto short_one = mask.add("abc");
  const auto empty = mask.add("");
  const auto long_enough = mask.add("abcd");
  EXPECT_EQ(mask.apply("abc abcd"), "abc ***");
}

TEST(SecretMaskTest, ForgetsASecretWithItsLastHandle) {
  SecretMask mask;
  auto first = mask.add("hunter22");
  auto second = mask.add("hunter22");
  first.reset();
  EXPECT_EQ(mask.apply("hunter22"), "***");
  second.reset();
  EXPECT_EQ(mask.apply("hunter22"), "hunter22");
}

TEST(SecretMaskTest, HidesTheLongerSecretWhole) {
  SecretMask mask;
  const auto inner = mask.add("token");
  const auto outer = mask.add("my-token-1");
  EXPECT_EQ(mask.apply("my-token-1 token"), "*** ***");
}

TEST(SecretMaskTest, FindsASecretInsideJson) {
  SecretMask mask;
  const auto held = mask.add("a\"b\\c\nd");
  EXPECT_EQ(mask.apply(R"({"key":"a\"b\\c\nd"})"), R"({"key":"***"})");
}

TEST(SecretMaskTest, FindsASecretInAnObjectThatIsPrinted) {
  SecretMask mask;
  const auto quote = mask.add(R"(Tr0ub"le\x9)");
  EXPECT_EQ(mask.apply(R"({ pw: 'Tr0ub"le\\x9' })"), "{ pw: '***' }");
  EXPECT_EQ(mask.apply(R"({"pw":"Tr0ub\"le\\x9"})"), R"({"pw":"***"})");
  EXPECT_EQ(mask.apply(R"({ text: '{"pw":"Tr0ub\\"le\\\\x9"}' })"), R"({ text: '{"pw":"***"}' })");
  EXPECT_EQ(mask.apply(R"(Tr0ub"le\x9)"), "***");
  const auto control = mask.add("a\x1b'b\xc2\x85\v\tc");
  EXPECT_EQ(mask.apply(R"({ pw: "a\x1B'b\x85\x0B\tc" })"), R"({ pw: "***" })");
  const auto quotes = mask.add("it's \"all\" `of` them");
  EXPECT_EQ(mask.apply(R"({ pw: 'it\'s "all" `of` them' })"), "{ pw: '***' }");
  const auto lines = mask.add("first line of\"it\\\nsecond\\line of\"it\n");
  EXPECT_EQ(mask.apply(R"('first line of"it\\\n' + 'second\\line of"it\n')"),
            R"('***\n' + '***\n')");
}

TEST(SecretMaskTest, FindsTheLongLinesOfASecret) {
  SecretMask mask;
  const auto held = mask.add("-----BEGIN KEY-----\r\nMIIEvQIBADANBg\n}\n");
  EXPECT_EQ(mask.apply("one MIIEvQIBADANBg } -----BEGIN KEY-----"), "one *** } ***");
}

TEST(SecretMaskTest, KeepsJsonValid) {
  SecretMask mask;
  const auto plain = mask.add("hunter22");
  EXPECT_EQ(mask.applyJson(R"({"a":"hunter22"})"), R"({"a":"***"})");
  const auto punctuation = mask.add(R"(":["x)");
  EXPECT_EQ(mask.applyJson(R"({"a":["x"]})"), "{}");
}

TEST(SecretMaskTest, AHandleMayOutliveTheMask) {
  Handle held;
  {
    SecretMask mask;
    held = mask.add("hunter22");
  }
  held.reset();
}

}  // namespace
}  // namespace svc::plugins
