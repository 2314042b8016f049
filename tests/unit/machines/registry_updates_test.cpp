#include <gmock/gmock.h>

#include "svc/common/codes.h"

#include "fixture.h"

namespace svc::machines {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

class RegistryUpdatesTest : public MachinesFixture {
 protected:
  bool rejected(int protocol, const std::string& platform = "linux-x64") {
    return registry_->rejectedProtocol(id_, protocol, platform);
  }
  std::string message() { return record(id_)["stateMessage"].asString(); }

  const std::string id_ = enrolled("mac").host_id;
};

TEST_F(RegistryUpdatesTest, AnOlderDaemonOfAPlatformWithAPackageIsOfferedIt) {
  EXPECT_TRUE(rejected(0));
  EXPECT_THAT(message(), AllOf(HasSubstr("update svc on the machine"), HasSubstr("--auto-update")));
  EXPECT_FALSE(rejected(0, "linux-arm64"));
  EXPECT_THAT(message(), Not(HasSubstr("--auto-update")));
  EXPECT_FALSE(rejected(0, ""));
}

TEST_F(RegistryUpdatesTest, ANewerDaemonIsOfferedNothing) {
  EXPECT_FALSE(rejected(2));
  EXPECT_THAT(message(), HasSubstr("update svc on the server"));
}

TEST_F(RegistryUpdatesTest, WhyAnUpdateFailedIsShownAndLoggedOnce) {
  EXPECT_TRUE(rejected(0));
  announced_.clear();
  EXPECT_EQ(registry_->reportUpdate(id_, "no space left"), 0);
  EXPECT_EQ(registry_->reportUpdate(id_, "no space left"), 0);
  EXPECT_THAT(announced_, ElementsAre(Pair(id_, "host-updated")));
  EXPECT_THAT(message(), AllOf(HasSubstr("could not update itself: no space left"),
                               HasSubstr("svc machine retry-update " + id_)));
  const auto log = logged();
  EXPECT_EQ(log.find("no space left"), log.rfind("no space left"));
  EXPECT_EQ(registry_->reportUpdate(id_, ""), 0);
  EXPECT_THAT(message(), Not(HasSubstr("no space left")));
}

TEST_F(RegistryUpdatesTest, ARequestForAnotherTryForgetsTheFailureAndReachesTheDaemon) {
  EXPECT_TRUE(rejected(0));
  EXPECT_EQ(registry_->reportUpdate(id_, "broken"), 0);
  const auto shown = registry_->retryUpdate(id_).value();
  EXPECT_THAT(shown["stateMessage"].asString(), Not(HasSubstr("broken")));
  EXPECT_EQ(registry_->reportUpdate(id_, ""), clock_.nowMs());
  registry_->connected(id_, {});
  EXPECT_EQ(registry_->reportUpdate(id_, ""), 0) << "it is over";
}

TEST_F(RegistryUpdatesTest, AnotherTryThatCannotHelpIsRefusedWithTheReason) {
  EXPECT_EQ(registry_->retryUpdate("host_x").error().code, errc::kNotFound);
  EXPECT_EQ(registry_->retryUpdate(id_).error().code, errc::kConflict);
  EXPECT_THAT(registry_->retryUpdate(id_).error().message, HasSubstr("nothing to update"));
  EXPECT_FALSE(rejected(0, "linux-arm64"));
  EXPECT_THAT(registry_->retryUpdate(id_).error().message, HasSubstr("(linux-arm64)"));
  EXPECT_FALSE(rejected(2));
  EXPECT_THAT(registry_->retryUpdate(id_).error().message, HasSubstr("update svc on the server"));
}

TEST_F(RegistryUpdatesTest, AfterARestartARefusedMachineMayStillBeToldToTry) {
  EXPECT_FALSE(rejected(0, "linux-arm64"));
  restart();
  EXPECT_TRUE(registry_->retryUpdate(id_).ok()) << "the platform is not known yet";
}

TEST_F(RegistryUpdatesTest, TheSameRefusalIsAnnouncedOnce) {
  EXPECT_TRUE(rejected(0));
  announced_.clear();
  EXPECT_TRUE(rejected(0));
  EXPECT_THAT(announced_, IsEmpty());
}

}  // namespace
}  // namespace svc::machines
