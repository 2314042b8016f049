#include "svc/base/user_shell.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "unit/plugins/temp_directory.h"

namespace svc::base {
namespace {

TEST(UserShellTest, IsTheOneOfTheEnvironment) {
  EXPECT_EQ(userShell({{"SHELL", "/bin/sh"}}), "/bin/sh");
}

TEST(UserShellTest, IsThatOfTheAccountWithoutOne) {
  EXPECT_EQ(userShell({}), userShell({{"SHELL", ""}}));
  EXPECT_TRUE(userShell({}).starts_with('/'));
}

TEST(UserShellTest, OneThatCannotBeRunIsReplaced) {
  EXPECT_EQ(userShell({{"SHELL", "/nothing/here"}}), "/bin/sh");
}

TEST(UserShellTest, WhoMayOnlyRunServicesHasAShellThatRunsCommands) {
  test::TempDirectory directory;
  for (const auto* name : {"nologin", "false"}) {
    const auto file =
        directory.write(name, "#!/bin/sh\necho This account is not available.\nexit 1\n");
    ::chmod(file.c_str(), 0700);
    EXPECT_EQ(userShell({{"SHELL", file.string()}}), "/bin/sh");
  }
}

}  // namespace
}  // namespace svc::base
