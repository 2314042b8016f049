#include "svc/common/source_map.h"

#include <gtest/gtest.h>

namespace svc::common {
namespace {

// Line 1 of the output: column 0 -> a.ts 1:1, column 4 -> a.ts 1:3. Line 3: column 2 -> lib/b.ts 5:1.
constexpr const char* kMap =
    R"({ "version": 3, "sources": ["a.ts", "lib/b.ts", ""], "mappings": "AAAA,IAAE;;ECIF" })";

std::string at(const SourceMap& map, std::uint32_t line, std::uint32_t column) {
  const auto found = map.find(line, column);
  return found ? found->source + ":" + std::to_string(found->line) + ":" +
                     std::to_string(found->column)
               : "nothing";
}

TEST(SourceMapTest, FindsTheSegmentThatCoversAPosition) {
  const auto map = SourceMap::parse(kMap, "/p/server.ts");
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(at(*map, 1, 1), "/p/a.ts:1:1");
  EXPECT_EQ(at(*map, 1, 4), "/p/a.ts:1:1");
  EXPECT_EQ(at(*map, 1, 5), "/p/a.ts:1:3");
  EXPECT_EQ(at(*map, 1, 500), "/p/a.ts:1:3");
  EXPECT_EQ(at(*map, 3, 3), "/p/lib/b.ts:5:1");
}

TEST(SourceMapTest, FindsNothingOutsideOfItsSegments) {
  const auto map = SourceMap::parse(kMap, "/p/server.ts");
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(at(*map, 2, 1), "nothing");
  EXPECT_EQ(at(*map, 3, 1), "nothing") << "before the first segment of the line";
  EXPECT_EQ(at(*map, 9, 1), "nothing");
  EXPECT_EQ(at(*map, 0, 0), "nothing");
}

TEST(SourceMapTest, RefusesWhatIsNotAMap) {
  EXPECT_FALSE(SourceMap::parse("nonsense", "/p/x").has_value());
  EXPECT_FALSE(SourceMap::parse(R"({ "sources": [], "mappings": "!!" })", "/p/x").has_value());
  EXPECT_FALSE(SourceMap::parse(R"({ "sources": [], "mappings": "D" })", "/p/x").has_value())
      << "a negative column";
}

TEST(SourceMapTest, IgnoresSegmentsOfSourcesItDoesNotName) {
  const auto map = SourceMap::parse(R"({ "sources": [""], "mappings": "AAAA" })", "/p/x");
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(at(*map, 1, 1), "nothing");
}

}  // namespace
}  // namespace svc::common
