#include "svc/common/same_json.h"

#include <gtest/gtest.h>

namespace svc::common {
namespace {

TEST(SameJsonTest, MembersOfObjectsHaveNoOrder) {
  EXPECT_TRUE(isSameJson("1", "1"));
  EXPECT_TRUE(isSameJson(R"({"a":1,"b":{"c":[],"d":"x"}})", R"({"b":{"d":"x","c":[]},"a":1})"));
  EXPECT_TRUE(isSameJson(R"([{"a":1,"b":2}])", R"([{"b":2,"a":1}])"));
}

TEST(SameJsonTest, AllElseCounts) {
  EXPECT_FALSE(isSameJson("[1,2]", "[2,1]"));
  EXPECT_FALSE(isSameJson(R"({"a":1,"b":2})", R"({"a":2,"b":1})"));
  EXPECT_FALSE(isSameJson(R"({"a":1,"b":2})", R"({"a":1,"c":2})"));
  EXPECT_FALSE(isSameJson(R"({"a":1})", R"([["a"]])"));
  EXPECT_FALSE(isSameJson(R"({"a":1})", R"({"a":1,"b":2})"));
  EXPECT_FALSE(isSameJson("true", "null"));
  EXPECT_FALSE(isSameJson(R"("1")", "123"));
  EXPECT_FALSE(isSameJson(R"("\ud800")", R"("\ud801")"));
}

}  // namespace
}  // namespace svc::common
