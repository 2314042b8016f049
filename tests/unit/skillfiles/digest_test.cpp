#include "digest.h"

#include <Poco/SHA2Engine.h>
#include <gtest/gtest.h>

#include "svc/skillfiles/skill_tree.h"

namespace svc::skillfiles {
namespace {

std::string expected(const std::string& text) {
  Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
  engine.update(text);
  return Poco::DigestEngine::digestToHex(engine.digest());
}

TEST(Sha256Test, HasTheValuesOfTheStandard) {
  EXPECT_EQ(digestOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digestOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digestOf(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, EveryLengthAroundABlockIsThatOfTheLibrary) {
  std::string text;
  for (int length = 0; length < 300; ++length) {
    EXPECT_EQ(digestOf(text), expected(text)) << length;
    text += static_cast<char>(length * 7);
  }
}

TEST(Sha256Test, PiecesAreTheWhole) {
  const std::string text(1000, '\xe4');
  for (std::size_t piece = 1; piece < 140; ++piece) {
    Sha256 sum;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      sum.add(std::string_view(text).substr(at, piece));
    }
    EXPECT_EQ(sum.hex(), expected(text)) << piece;
  }
}

}  // namespace
}  // namespace svc::skillfiles
