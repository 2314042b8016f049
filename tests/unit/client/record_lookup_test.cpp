#include "commands/record_lookup.h"

#include "client_fixture.h"

namespace svc::client {
namespace {

using PathOnTest = ClientTest;

TEST_F(PathOnTest, ARelativePathIsOneOfThisDirectoryOnTheServersOwnMachine) {
  const auto here = context().environment.working_dir;
  EXPECT_EQ(pathOn(context(), "", "sub/../é"), (here / "é").string());
  EXPECT_EQ(pathOn(context(), "", "/else/where"), "/else/where");
  EXPECT_EQ(pathOn(context(), "", "~/work"), "~/work");
  EXPECT_EQ(pathOn(context(), "", ""), "");
  EXPECT_EQ(pathOn(context(), "laptop", "sub"), "sub") << "it has other directories";
}

}  // namespace
}  // namespace svc::client
