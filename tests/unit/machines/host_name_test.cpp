#include "host_name.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

namespace svc::machines {
namespace {

using ::testing::HasSubstr;

std::string repeated(std::string_view text, int count) {
  std::string out;
  for (; count > 0; --count) {
    out += text;
  }
  return out;
}

TEST(HostNameTest, IsTrimmed) {
  EXPECT_EQ(readHostName("  my mac\t").value(), "my mac");
  EXPECT_EQ(readHostName("Büro 💻").value(), "Büro 💻");
}

TEST(HostNameTest, HasOneToAHundredCharacters) {
  EXPECT_EQ(readHostName("x").value(), "x");
  EXPECT_TRUE(readHostName(repeated("ü", 100)).ok());
  for (const auto& wrong : {std::string(), std::string(" \n"), repeated("ü", 101)}) {
    const auto refused = readHostName(wrong);
    EXPECT_EQ(refused.error().code, errc::kInvalidInput);
    EXPECT_THAT(refused.error().message, HasSubstr("limit host-name"));
  }
}

TEST(HostNameTest, HasNoControlCharacters) {
  for (const auto& wrong :
       {std::string("a\nb"), std::string("a\0b", 3), std::string("a\x7f"),
        std::string("a\xc2\x85z"), std::string("a\x1b[31m"), std::string("a\xff"),
        std::string("a\xE2\x80\xAEz"), std::string("a\xE2\x81\xA6z")}) {
    EXPECT_EQ(readHostName(wrong).error().code, errc::kInvalidInput);
  }
  EXPECT_TRUE(readHostName("a\xc2\xa0z").ok());
}

TEST(HostNameTest, GetsTheFirstFreeNumber) {
  const std::set<std::string> taken{"mac", "mac-2", "mac-4"};
  const auto is_taken = [&](const std::string& name) { return taken.contains(name); };
  EXPECT_EQ(uniqueName("mac", is_taken), "mac-3");
  EXPECT_EQ(uniqueName("pc", is_taken), "pc");
}

TEST(HostNameTest, StaysWithinItsLimitWithANumber) {
  const auto wanted = repeated("ü", 100);
  const auto name = uniqueName(wanted, [&](const std::string& each) { return each == wanted; });
  EXPECT_EQ(name, repeated("ü", 98) + "-2");
  EXPECT_TRUE(readHostName(name).ok());
}

TEST(HostNameTest, ThisMachineHasOne) { EXPECT_TRUE(readHostName(nameOfThisMachine()).ok()); }

}  // namespace
}  // namespace svc::machines
