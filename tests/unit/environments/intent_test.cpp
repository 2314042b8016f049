#include "intent.h"

#include <gtest/gtest.h>

#include "svc/common/codes.h"

namespace svc::environments {
namespace {

Result<Intent> read(std::string_view text) { return readIntent(common::Json::parse(text).value()); }

TEST(IntentTest, EveryFormOfTheContractIsRead) {
  EXPECT_EQ(read(R"({"type":"project-default"})").value().kind, Intent::Kind::kProjectDefault);
  EXPECT_EQ(read(R"({"type":"reuse","environmentId":"env_a"})").value().environment_id, "env_a");
  const auto folder =
      read(R"({"type":"host","hostId":"h","workspace":{"type":"unmanaged","path":null,
               "branch":{"kind":"new","baseBranch":"main"}}})");
  EXPECT_EQ(folder.value().host_id, "h");
  EXPECT_TRUE(folder.value().branch->is_new);
  EXPECT_EQ(folder.value().branch->base, "main");
  for (const char* base : {R"("dev")", R"({"kind":"named","name":"dev"})"}) {
    EXPECT_EQ(read(std::string(R"({"type":"host","workspace":{"type":"managed-worktree",)") +
                   R"("baseBranch":)" + base + "}}")
                  .value()
                  .base_branch,
              "dev");
  }
  EXPECT_EQ(read(R"({"type":"host","workspace":{"type":"personal"}})").value().kind,
            Intent::Kind::kPersonal);
}

TEST(IntentTest, WhatIsNoneIsNamed) {
  for (
      const char* text :
      {"{}", R"({"type":"reuse"})", R"({"type":"host"})", R"({"type":"host","workspace":{}})",
       R"({"type":"host","workspace":{"type":"unmanaged","path":"relative"}})",
       R"({"type":"host","workspace":{"type":"unmanaged","path":7}})",
       R"({"type":"host","workspace":{"type":"unmanaged","branch":{"kind":"existing"}}})",
       R"({"type":"host","workspace":{"type":"managed-worktree","baseBranch":{"kind":"named"}}})"}) {
    const auto refused = read(text);
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_EQ(refused.error().code, errc::kInvalidInput);
  }
}

}  // namespace
}  // namespace svc::environments
