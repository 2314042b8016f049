// `svc server …`: a server in the background, found and ended through its data directory.
#include "harness/server.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ServerControlTest : public ::testing::Test {
 protected:
  ~ServerControlTest() override { static_cast<void>(svc({"server", "stop"})); }

  Outcome svc(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {SVC_TEST_SVC, "--data-dir", data_.path().string()});
    return runCommand({.argv = std::move(arguments), .directory = data_.path()});
  }

 private:
  TempDir data_;
};

TEST_F(ServerControlTest, StartsFindsAndStops) {
  EXPECT_EQ(svc({"server", "stop"}).exit_code, 69);
  const auto started = svc({"server", "start", "--listen", "127.0.0.1:0"});
  ASSERT_EQ(started.exit_code, 0) << started.err;
  EXPECT_THAT(started.out, StartsWith("svcd is running at http://127.0.0.1:"));
  EXPECT_EQ(svc({"status"}).exit_code, 0);
  EXPECT_THAT(svc({"server", "start"}).out, StartsWith("svcd already runs at http://127.0.0.1:"));
  EXPECT_THAT(svc({"server", "logs", "-n", "5"}).out, HasSubstr("\"level\""));
  const auto stopped = svc({"server", "stop"});
  EXPECT_EQ(stopped.exit_code, 0) << stopped.err;
  EXPECT_EQ(svc({"status"}).exit_code, 69);
}

TEST_F(ServerControlTest, RestartsWithTheSameArguments) {
  ASSERT_EQ(
      svc({"server", "start", "--listen", "127.0.0.1:0", "--modules", kMemoryModules}).exit_code,
      0);
  const auto restarted = svc({"server", "restart"});
  ASSERT_EQ(restarted.exit_code, 0) << restarted.err;
  const auto status = svc({"status"});
  EXPECT_EQ(status.exit_code, 0) << status.err;
  EXPECT_THAT(status.out, HasSubstr("storage-memory"));
}

TEST_F(ServerControlTest, PluginsRunWhenTheStartIsOver) {
  ASSERT_EQ(svc({"server", "start", "--listen", "127.0.0.1:0"}).exit_code, 0);
  ASSERT_EQ(svc({"plugin", "install", example("todo").string(), "--yes"}).exit_code, 0);
  const auto restarted = svc({"server", "restart"});
  ASSERT_EQ(restarted.exit_code, 0) << restarted.err;
  EXPECT_EQ(restarted.err, "");
  EXPECT_THAT(svc({"plugin", "show", "todo"}).out, HasSubstr("todo@0.1.0  running"));
}

TEST_F(ServerControlTest, ShowsWhyAServerDoesNotStart) {
  const auto failed = svc({"server", "start", "--listen.prot=1"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, HasSubstr("listen.port"));
}

}  // namespace
}  // namespace svc::test
