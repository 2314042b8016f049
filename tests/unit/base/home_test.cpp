#include "svc/base/home.h"

#include <pwd.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace svc::base {
namespace {

TEST(HomeTest, TheVariableComesFirstAndThePasswordFileKnowsTheRest) {
  EXPECT_EQ(homeDirectory("/somewhere"), "/somewhere");
  const auto* const entry = ::getpwuid(::getuid());
  EXPECT_EQ(homeDirectory(""), entry != nullptr ? entry->pw_dir : "/");
}

}  // namespace
}  // namespace svc::base
