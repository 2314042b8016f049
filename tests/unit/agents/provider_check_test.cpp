#include "provider_check.h"

#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "fakes/fake_generation.h"

namespace svc::agents {
namespace {

class ProviderCheckTest : public ::testing::Test {
 protected:
  static void declare(plugins::FakeGeneration& generation) {
    generation.registers("manifest", R"({"host":"host.ts"})");
    generation.registers("providers", R"([{"id":"agent"}])");
  }
  std::shared_ptr<plugins::FakeGeneration> committed(const std::string& id) {
    auto generation = loaded_.load(id);
    declare(*generation);
    return generation;
  }
  static std::shared_ptr<plugins::FakeGeneration> provisional(const std::string& id) {
    auto generation = std::make_shared<plugins::FakeGeneration>(id, 100);
    declare(*generation);
    return generation;
  }

  plugins::FakeLoadedPlugins loaded_;
  std::string configured_;
  ProviderCheck check_{loaded_, [this](const std::string& id) { return id == configured_; }};
};

TEST_F(ProviderCheckTest, AsksForAHostEntry) {
  plugins::FakeGeneration generation("todo", 1);
  generation.registers("manifest", R"({"host":""})");
  EXPECT_EQ(check_.refusal(generation, "agent"),
            "provider \"agent\" needs a host entry (svc.host in package.json)");
  generation.registers("manifest", R"({"host":"host.ts"})");
  EXPECT_EQ(check_.refusal(generation, "agent"), "");
}

TEST_F(ProviderCheckTest, RefusesAnIdOfAnotherPlugin) {
  committed("first");
  const auto second = provisional("second");
  EXPECT_EQ(check_.refusal(*second, "agent"),
            "provider \"agent\" is declared by plugin \"first\" already");
  const auto status = check_.prepare(second);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, errc::kConflict);
  EXPECT_EQ(status.error().message,
            "providers.register: provider \"agent\" is declared by plugin \"first\" already");
}

TEST_F(ProviderCheckTest, RefusesTheIdOfAConfiguredAgent) {
  configured_ = "agent";
  const auto status = check_.prepare(provisional("first"));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, errc::kConflict);
  EXPECT_EQ(
      status.error().message,
      "providers.register: provider \"agent\" is the id of a configured agent (agents.agent in "
      "config.json); one of both needs another id");
}

TEST_F(ProviderCheckTest, LetsAReloadDeclareItsOwnAgain) {
  committed("first");
  EXPECT_TRUE(check_.prepare(provisional("first")).ok());
}

TEST_F(ProviderCheckTest, RefusesTheSecondOfTwoLoadsThatAreUnderWay) {
  auto first = provisional("first");
  const auto second = provisional("second");
  EXPECT_TRUE(check_.prepare(first).ok());
  EXPECT_FALSE(check_.prepare(second).ok());
  first.reset();  // that load has failed
  EXPECT_TRUE(check_.prepare(second).ok());
}

TEST_F(ProviderCheckTest, FreesTheIdsOfADisposedLoad) {
  const auto first = provisional("first");
  EXPECT_TRUE(check_.prepare(first).ok());
  check_.release(*first);
  EXPECT_TRUE(check_.prepare(provisional("second")).ok());
}

}  // namespace
}  // namespace svc::agents
