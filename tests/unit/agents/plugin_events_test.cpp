#include "plugin_events.h"

#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "fakes/fake_generation.h"

namespace svc::agents {
namespace {

TEST(PluginEventsTest, CallsEveryHandlerInOrder) {
  plugins::FakeLoadedPlugins loaded;
  const auto first = loaded.load("a");
  const auto second = loaded.load("b");
  first->registers("events", R"({"thread.idle":[1,4],"thread.created":[2]})");
  second->registers("events", R"({"thread.created":[1]})");
  PluginEvents events(loaded);
  events.emit("thread.idle", common::RawJson(R"({"n":1})"));
  events.emit("thread.created", common::RawJson(R"({"n":2})"));
  ASSERT_EQ(first->calls.size(), 3U);
  EXPECT_EQ(first->calls[0].source, "event:thread.idle");
  EXPECT_EQ(first->calls[0].invocation.function, "events.emit");
  EXPECT_EQ(first->calls[0].invocation.meta, "1");
  EXPECT_EQ(first->calls[0].invocation.body, R"({"n":1})");
  EXPECT_EQ(first->calls[1].invocation.meta, "4");
  EXPECT_EQ(first->calls[2].source, "event:thread.created");
  EXPECT_EQ(second->calls.size(), 1U);
}

TEST(PluginEventsTest, SaysWhenAnEventWasDropped) {
  plugins::FakeLoadedPlugins loaded;
  const auto generation = loaded.load("a");
  generation->registers("events", R"({"thread.idle":[1]})");
  PluginEvents(loaded).emit("thread.idle", common::RawJson("{}"));
  generation->answer("events.emit", Error{errc::kOverloaded, "65536 calls wait"});
  ASSERT_EQ(generation->lines.size(), 1U);
  EXPECT_EQ(generation->lines[0], R"(warn: event "thread.idle" was dropped: 65536 calls wait)");
}

}  // namespace
}  // namespace svc::agents
