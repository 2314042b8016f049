#include "subprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::client {
namespace {

ProcessRequest shell(const std::string& script) {
  ProcessRequest request;
  request.argv = {"sh", "-c", script};
  return request;
}

TEST(SubprocessTest, CollectsBothStreamsAndTheCode) {
  const auto outcome = runProcess(shell("echo out; echo err >&2; exit 7"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome.value().out, "out\n");
  EXPECT_EQ(outcome.value().err, "err\n");
  EXPECT_EQ(outcome.value().exit_code, 7);
}

TEST(SubprocessTest, GivesNothingToRead) {
  const auto outcome = runProcess(shell("cat; echo done"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome.value().out, "done\n");
}

TEST(SubprocessTest, UsesTheGivenVariablesAndDirectory) {
  auto request = shell("echo $A; pwd");
  request.environment = {{"A", "b"}, {"PATH", "/usr/bin:/bin"}};
  request.directory = "/";
  const auto outcome = runProcess(request);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome.value().out, "b\n/\n");
}

TEST(SubprocessTest, SaysThatAProgramIsNotThere) {
  ProcessRequest request;
  request.argv = {"svc-no-such-program"};
  const auto outcome = runProcess(request);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, errc::kNotFound);
}

TEST(SubprocessTest, EndsAProgramThatTakesTooLongWithItsChildren) {
  auto request = shell("sleep 600 & sleep 600");
  request.bound = std::chrono::milliseconds(1);
  const auto outcome = runProcess(request);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, errc::kTimeout);
}

TEST(SubprocessTest, KeepsTheBeginningOfALongOutput) {
  const auto outcome = runProcess(shell("head -c 3000000 /dev/zero"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome.value().out.size(), std::size_t{1} << 20U);
}

}  // namespace
}  // namespace svc::client
