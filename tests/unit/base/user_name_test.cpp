#include "svc/base/user_name.h"

#include <gtest/gtest.h>

namespace svc::base {
namespace {

TEST(ShownUserTest, HasTheNameWhereThereIsOne) {
  EXPECT_EQ(shownUser(0), "root (0)");
  EXPECT_EQ(shownUser(4123456789U), "uid 4123456789");
}

TEST(UserNameTest, IsWhatSudoTakes) {
  EXPECT_EQ(userName(0), "root");
  EXPECT_EQ(userName(4123456789U), "'#4123456789'");
}

}  // namespace
}  // namespace svc::base
