#include "commands/server_program.h"

#include <gtest/gtest.h>

namespace svc::client {
namespace {

std::string refusal(const ProcessOutcome& outcome) {
  const auto status = mayStart(outcome);
  return status ? "" : status.error().message;
}

TEST(ServerProgramTest, WhatIsNotThereNowKeepsNoServerFromStarting) {
  EXPECT_EQ(refusal({0, R"({"problems":[]})", ""}), "");
  EXPECT_EQ(
      refusal({0, R"({"problems":[{"key":"build.node","code":"unavailable","message":"m"}]})", ""}),
      "");
}

TEST(ServerProgramTest, AWrongValueDoesAndIsNamed) {
  EXPECT_EQ(refusal({0,
                     R"({"problems":[{"key":"a","code":"unavailable","message":"x"},)"
                     R"({"key":"b","code":"invalid_argument","message":"b: wrong"},)"
                     R"({"key":"c","code":"invalid_argument","message":"c: wrong"}]})",
                     ""}),
            "b: wrong; c: wrong");
  EXPECT_EQ(refusal({1, "", "svcd: unknown configuration key \"x\"\n"}),
            "unknown configuration key \"x\"");
  EXPECT_FALSE(mayStart({0, "no json", ""}).ok());
}

}  // namespace
}  // namespace svc::client
