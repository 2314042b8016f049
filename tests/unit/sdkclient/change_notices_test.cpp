#include "change_notices.h"

#include <gtest/gtest.h>

#include "fakes/fake_generation.h"

namespace svc::sdkclient {
namespace {

TEST(ChangeNoticesTest, ReachThePluginsThatWaitForTheEvent) {
  plugins::FakeLoadedPlugins loaded;
  const auto waiting = loaded.load("a");
  const auto other = loaded.load("b");
  loaded.load("c");
  waiting->registers("sdk-subscriptions", R"(["host:changed","system:changed"])");
  other->registers("sdk-subscriptions", R"(["thread:changed"])");
  notifySubscribers(loaded, "system:changed", common::Json::object().set("changes", 1));
  ASSERT_EQ(waiting->calls.size(), 1U);
  EXPECT_EQ(waiting->calls[0].source, "event:system:changed");
  EXPECT_EQ(waiting->calls[0].invocation.function, "sdk.notify");
  EXPECT_EQ(waiting->calls[0].invocation.meta, "system:changed");
  EXPECT_EQ(waiting->calls[0].invocation.body, R"({"changes":1})");
  EXPECT_TRUE(other->calls.empty());
}

TEST(ChangeNoticesTest, NameTheRecordWhenThereIsOne) {
  EXPECT_EQ(changeNotice("host_a", {"host-updated"}).dump(),
            R"({"id":"host_a","changes":["host-updated"]})");
  EXPECT_EQ(changeNotice("", {"host-connected", "host-updated"}).dump(),
            R"({"changes":["host-connected","host-updated"]})");
}

}  // namespace
}  // namespace svc::sdkclient
