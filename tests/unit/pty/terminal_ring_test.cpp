#include "svc/hostprotocol/terminal_ring.h"

#include <gmock/gmock.h>

#include "svc/hostprotocol/base64.h"

namespace svc::hostprotocol {
namespace {

TEST(TerminalRingTest, NumbersChunksAndForgetsTheOldest) {
  TerminalRing ring(3 * (TerminalRing::kOverhead + 10));
  EXPECT_EQ(ring.first(), 0U);
  for (int number = 0; number < 5; ++number) {
    ring.append(std::string(10, static_cast<char>('a' + number)));
  }
  EXPECT_EQ(ring.first(), 2U);
  EXPECT_EQ(ring.next(), 5U);
  EXPECT_EQ(ring.find(1), nullptr);
  EXPECT_EQ(ring.find(5), nullptr);
  EXPECT_EQ(ring.find(3)->bytes, "dddddddddd");
}

TEST(TerminalRingTest, KeepsTheLastChunkHoweverLarge) {
  TerminalRing ring(10);
  ring.append(std::string(100, 'a'));
  EXPECT_EQ(ring.first(), 0U);
  EXPECT_EQ(ring.next(), 1U);
}

TEST(TerminalRingTest, SingleCharactersDoNotMakeItLarge) {
  TerminalRing ring(64UL * 1024);
  for (int number = 0; number < 100'000; ++number) {
    ring.append("x");
  }
  EXPECT_LT(ring.chunks().size(), 1025U);
}

TEST(TerminalRingTest, TakesChunksAsTheyAreNumbered) {
  TerminalRing ring(1U << 20U);
  ring.put(7, "a");
  ring.put(8, "b");
  ring.put(7, "again");
  EXPECT_EQ(ring.first(), 7U);
  EXPECT_EQ(ring.find(7)->bytes, "a");
  ring.put(20, "c");
  EXPECT_EQ(ring.first(), 20U) << "what is before a gap is gone";
  EXPECT_EQ(ring.next(), 21U);
}

TEST(Base64Test, GoesThereAndBack) {
  std::string bytes;
  for (int number = 0; number < 300; ++number) {
    bytes.push_back(static_cast<char>(number));
    EXPECT_EQ(decodeBase64(encodeBase64(bytes)), bytes);
  }
  EXPECT_EQ(encodeBase64("a"), "YQ==");
  EXPECT_EQ(decodeBase64(""), "");
}

TEST(Base64Test, RefusesWhatIsNone) {
  for (const auto* text : {"Y", "YQ", "YQ=", "YQ===", "Y===", "====", "Y=Q=", "YQ==YQ==", "é===",
                           "YQ=\n", "YWJj*AAA"}) {
    EXPECT_FALSE(decodeBase64(text)) << text;
  }
}

}  // namespace
}  // namespace svc::hostprotocol
