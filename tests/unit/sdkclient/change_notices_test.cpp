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

TEST(ChangeNoticesTest, ReachTheNextLoadOfAPluginThatIsBeingReplaced) {
  plugins::FakeLoadedPlugins loaded;
  const auto previous = loaded.load("a");
  previous->registers("sdk-subscriptions", R"(["system:changed"])");
  loaded.hold("a");
  notifySubscribers(loaded, "system:changed", common::Json::object().set("changes", 1));
  const auto next = loaded.load("a", {{"sdk-subscriptions", R"(["system:changed"])"}});
  EXPECT_TRUE(previous->calls.empty());
  ASSERT_EQ(next->calls.size(), 1U);
  EXPECT_EQ(next->calls[0].invocation.body, R"({"changes":1})");
}

TEST(ChangeNoticesTest, NameTheRecordWhenThereIsOne) {
  EXPECT_EQ(changeNotice({.entity = "host", .id = "host_a", .kinds = {"host-updated"}}).dump(),
            R"({"id":"host_a","changes":["host-updated"]})");
  EXPECT_EQ(changeNotice({.entity = "host", .kinds = {"host-connected", "host-updated"}}).dump(),
            R"({"changes":["host-connected","host-updated"]})");
}

TEST(ChangeNoticesTest, CarryTheirMetadataAndNoFrames) {
  realtime::Change change{.entity = "thread",
                          .id = "thr_a",
                          .kinds = {"events-appended"},
                          .metadata = R"({"projectId":"p"})",
                          .audience = realtime::Audience::kList};
  const std::string notice =
      R"({"id":"thr_a","changes":["events-appended"],"metadata":{"projectId":"p"}})";
  EXPECT_EQ(changeNotice(change).dump(), notice);
  change.audience = realtime::Audience::kNobody;
  EXPECT_EQ(changeNotice(change).dump(), notice);
  change.audience = realtime::Audience::kDetail;
  EXPECT_TRUE(changeNotice(change).isNull());
  change.kinds = {"queue-changed"};
  EXPECT_FALSE(changeNotice(change).isNull());
}

}  // namespace
}  // namespace svc::sdkclient
