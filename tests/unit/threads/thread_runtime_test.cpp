#include "thread_runtime.h"

#include <vector>

#include <gmock/gmock.h>

#include "svc/common/limits/hosts.h"

#include "fakes/fake_clock.h"

namespace svc::threads {
namespace {

using ::testing::ElementsAre;

class ThreadRuntimeTest : public ::testing::Test {
 protected:
  std::string shown(const std::string& status,
                    const std::string& environment = R"({"hostId":"host_a"})") const {
    return runtime_
        .of({.id = "thr_a", .status = status, .environment = environment})["displayStatus"]
        .asString();
  }
  common::Json grace() const {
    return runtime_.of({.id = "thr_a",
                        .status = "active",
                        .environment = R"({"hostId":"host_a"})"})["hostReconnectGraceExpiresAt"];
  }

  svc::test::FakeClock clock_;
  std::vector<std::string> changed_;
  ThreadRuntime runtime_{clock_,
                         [this](const std::string& host_id) { changed_.push_back(host_id); },
                         [](const std::string& host_id) { return host_id == "host_busy"; }};
};

TEST_F(ThreadRuntimeTest, AMachineThatMayComeBackIsWaitedForWhileAThreadIsBusy) {
  runtime_.hostOpened("host_a");
  for (const char* status : {"pending", "idle", "starting", "active", "stopping", "error"}) {
    EXPECT_EQ(shown(status), status);
  }
  EXPECT_TRUE(grace().isNull());
  runtime_.hostClosed("host_a");
  EXPECT_EQ(grace().asInteger(), clock_.nowMs() + limits::kSessionWorkGrace.count());
  for (const char* status : {"starting", "active", "stopping"}) {
    EXPECT_EQ(shown(status), "host-reconnecting");
  }
  for (const char* status : {"pending", "idle", "error"}) {
    EXPECT_EQ(shown(status), status);
  }
  EXPECT_EQ(shown("active", R"({"hostId":"host_b"})"), "active");
  runtime_.hostOpened("host_a");
  EXPECT_EQ(shown("active"), "active");
  EXPECT_THAT(changed_, ElementsAre("host_a", "host_a", "host_a"));
}

TEST_F(ThreadRuntimeTest, BusyThreadsAreWorkOfTheirMachine) {
  EXPECT_TRUE(runtime_.hasWork("host_busy"));
  EXPECT_FALSE(runtime_.hasWork("host_a"));
}

TEST_F(ThreadRuntimeTest, ATurnThatIsToBeginWaitsForItsMachine) {
  EXPECT_EQ(shown("starting"), "waiting-for-host");
  EXPECT_EQ(shown("starting", "{}"), "starting") << "which machine is not known yet";
  runtime_.hostOpened("host_a");
  runtime_.hostClosed("host_a");
  runtime_.hostGone("host_a");
  EXPECT_EQ(shown("starting"), "waiting-for-host");
  EXPECT_EQ(shown("stopping"), "stopping");
  EXPECT_TRUE(grace().isNull());
}

TEST_F(ThreadRuntimeTest, AnEnvironmentThatIsMadeIsShown) {
  runtime_.hostOpened("host_a");
  runtime_.setProvisioning("thr_a", true);
  EXPECT_EQ(shown("starting"), "provisioning");
  EXPECT_EQ(shown("stopping"), "stopping");
  runtime_.setProvisioning("thr_a", false);
  EXPECT_EQ(shown("starting"), "starting");
}

}  // namespace
}  // namespace svc::threads
