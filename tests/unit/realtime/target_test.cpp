#include "target.h"

#include <gtest/gtest.h>

namespace svc::realtime {
namespace {

std::string keyOf(const std::string& target) {
  const auto parsed = common::Json::parse(target);
  const auto key = targetKey(parsed.value());
  return key ? key.value() : "error: " + key.error().message;
}

TEST(TargetTest, ReadsLists) {
  for (const auto* kind :
       {"thread-list", "project-list", "environment-list", "host-list", "system"}) {
    EXPECT_EQ(keyOf(std::string(R"({"kind":")") + kind + "\"}"), kind);
  }
}

TEST(TargetTest, ReadsDetails) {
  EXPECT_EQ(keyOf(R"({"kind":"thread-detail","threadId":"a"})"), "thread-detail:a");
  EXPECT_EQ(keyOf(R"({"kind":"project-detail","projectId":"b"})"), "project-detail:b");
  EXPECT_EQ(keyOf(R"({"kind":"environment-detail","environmentId":"c"})"), "environment-detail:c");
  EXPECT_EQ(keyOf(R"({"kind":"host-detail","hostId":"d"})"), "host-detail:d");
}

TEST(TargetTest, NamesTheMissingId) {
  EXPECT_EQ(keyOf(R"({"kind":"host-detail","threadId":"d"})"),
            "error: target host-detail needs hostId");
  EXPECT_EQ(keyOf(R"({"kind":5})"), "error: unknown target kind");
  EXPECT_EQ(keyOf("null"), "error: unknown target kind");
}

TEST(TargetTest, MatchesAChange) {
  EXPECT_EQ(changeKeys("host", "h1").list, "host-list");
  EXPECT_EQ(changeKeys("host", "h1").detail, "host-detail:h1");
  EXPECT_EQ(changeKeys("system", "").list, "system");
  EXPECT_EQ(changeKeys("system", "").detail, "");
}

}  // namespace
}  // namespace svc::realtime
