#include "service_unit.h"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::client {
namespace {

using ::testing::ElementsAre;

TEST(ServiceUnitTest, IsThatWhoseProgramTheProcessIs) {
  const base::Environment variables{{"SYSTEMD_EXEC_PID", "120"}};
  const auto of_machine = serviceUnit(variables, "0::/system.slice/svcd.service\n", 120);
  ASSERT_TRUE(of_machine);
  EXPECT_THAT(of_machine->command("restart"),
              ElementsAre("systemctl", "--no-ask-password", "restart", "svcd.service"));
  EXPECT_EQ(of_machine->shown("restart"), "sudo systemctl restart svcd.service");

  const auto of_user = serviceUnit(
      variables, "0::/user.slice/user-1000.slice/user@1000.service/app.slice/svcd.service\n", 120);
  ASSERT_TRUE(of_user);
  EXPECT_THAT(of_user->command("restart"),
              ElementsAre("systemctl", "--user", "--no-ask-password", "restart", "svcd.service"));
  EXPECT_EQ(of_user->shown("restart"), "systemctl --user restart svcd.service");

  const auto of_hierarchies =
      serviceUnit(variables, "4:memory:/\n1:name=systemd:/system.slice/mine.service\n0::/\n", 120);
  ASSERT_TRUE(of_hierarchies);
  EXPECT_EQ(of_hierarchies->name, "mine.service");
}

TEST(ServiceUnitTest, WhatAShellOfAServiceHasStartedIsNone) {
  constexpr const char* kGroup = "0::/system.slice/cron.service\n";
  EXPECT_FALSE(serviceUnit({{"SYSTEMD_EXEC_PID", "7"}}, kGroup, 120));
  EXPECT_FALSE(serviceUnit({}, kGroup, 120));
  const base::Environment own{{"SYSTEMD_EXEC_PID", "120"}};
  for (const char* group :
       {"", "0::", "0::/\n", "nonsense", "0::/user.slice/user-1000.slice/session-2.scope\n"}) {
    EXPECT_FALSE(serviceUnit(own, group, 120)) << group;
  }
}

TEST(ServiceUnitTest, ThisTestIsNone) {
  EXPECT_FALSE(serviceUnitOf(::getpid()));
  EXPECT_FALSE(serviceUnitOf(-1));
}

}  // namespace
}  // namespace svc::client
