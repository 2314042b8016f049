#include "byte_range.h"

#include <gmock/gmock.h>

namespace svc::files {
namespace {

std::string read(std::string_view header, std::uint64_t size = 10) {
  const auto answer = readRange(header, size);
  if (answer.kind == RangeKind::kUnsatisfiable) {
    return "unsatisfiable";
  }
  return (answer.kind == RangeKind::kWhole ? "whole " : "part ") +
         std::to_string(answer.range.first) + "+" + std::to_string(answer.range.length);
}

TEST(ByteRangeTest, APartIsWhatThereIsOfIt) {
  EXPECT_EQ(read("bytes=0-3"), "part 0+4");
  EXPECT_EQ(read("bytes=4-"), "part 4+6");
  EXPECT_EQ(read("bytes=9-99"), "part 9+1");
  EXPECT_EQ(read("bytes=-3"), "part 7+3");
  EXPECT_EQ(read("bytes=-99"), "part 0+10");
}

TEST(ByteRangeTest, WhatIsBehindTheEndIsUnsatisfiable) {
  EXPECT_EQ(read("bytes=10-"), "unsatisfiable");
  EXPECT_EQ(read("bytes=-0"), "unsatisfiable");
  EXPECT_EQ(read("bytes=0-", 0), "unsatisfiable");
  EXPECT_EQ(read("bytes=-5", 0), "unsatisfiable");
}

TEST(ByteRangeTest, EverythingElseIsTheWhole) {
  for (const auto* header :
       {"", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-2", "bytes=0-1,3-4", "items=0-1",
        "bytes=-1-2", "bytes=99999999999999999999-", "bytes= 0-1", "bytes=+1-2"}) {
    EXPECT_EQ(read(header), "whole 0+10") << header;
  }
}

}  // namespace
}  // namespace svc::files
