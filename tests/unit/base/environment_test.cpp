#include "svc/base/environment.h"

#include <gtest/gtest.h>

namespace svc::base {
namespace {

TEST(CleanEnvironmentTest, PassesWhatProgramsOfTheUserNeed) {
  const Environment own{{"HOME", "/h"},         {"USER", "u"},          {"LC_ALL", "C"},
                        {"XDG_DATA_HOME", "x"}, {"TZ", "UTC"},          {"SVC_DATA_DIR", "/d"},
                        {"AWS_SECRET", "s"},    {"NODE_OPTIONS", "-r"}, {"LD_PRELOAD", "l"},
                        {"PATH", "/daemon"},    {"HTTPS_PROXY", "p"},   {"XDG", "no"}};
  EXPECT_EQ(cleanEnvironment(own, "/login"), (Environment{{"HOME", "/h"},
                                                          {"USER", "u"},
                                                          {"LC_ALL", "C"},
                                                          {"XDG_DATA_HOME", "x"},
                                                          {"TZ", "UTC"},
                                                          {"PATH", "/login"},
                                                          {"HTTPS_PROXY", "p"}}));
}

}  // namespace
}  // namespace svc::base
