#include "keys.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::machines {
namespace {

TEST(KeysTest, AreRandom) {
  std::set<std::string> keys;
  for (int count = 0; count < 100; ++count) {
    const auto key = newKey("svch_");
    EXPECT_EQ(key.size(), 5U + 64U);
    EXPECT_TRUE(key.starts_with("svch_"));
    keys.insert(key);
    keys.insert(newHostId(1'767'225'600'000));
  }
  EXPECT_EQ(keys.size(), 200U);
}

TEST(KeysTest, AreKnownByTheirSha256) {
  EXPECT_EQ(hashOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(KeysTest, IdsOfMachinesAreThoseOfRecords) {
  EXPECT_THAT(newHostId(1'767'225'600'000),
              ::testing::MatchesRegex("host_[0-9abcdefghjkmnpqrstvwxyz]{26}"));
  EXPECT_LT(newHostId(1'767'225'600'000), newHostId(1'767'225'600'001));
}

TEST(KeysTest, IdsAreShortAndPlain) {
  EXPECT_TRUE(isHostId(newHostId(1'767'225'600'000)));
  EXPECT_TRUE(isHostId("host_0123456789abcdef01234567")) << "of an earlier version";
  EXPECT_TRUE(isHostId("A-z_09"));
  EXPECT_TRUE(isHostId(std::string(64, 'a')));
  for (const auto& wrong : {std::string(), std::string(65, 'a'), std::string("a b"),
                            std::string("a/b"), std::string("ä"), std::string("a\0b", 3)}) {
    EXPECT_FALSE(isHostId(wrong)) << wrong;
  }
}

TEST(KeysTest, ReadsTheBearer) {
  const auto bearer = [](const std::string& header) { return std::string(bearerOf(&header)); };
  EXPECT_EQ(bearer("Bearer x"), "x");
  EXPECT_EQ(bearer("bearer  x "), "x");
  EXPECT_EQ(bearer("Basic x"), "");
  EXPECT_EQ(bearer("Bearer"), "");
  EXPECT_EQ(bearer(""), "");
  EXPECT_EQ(bearerOf(nullptr), "");
}

}  // namespace
}  // namespace svc::machines
