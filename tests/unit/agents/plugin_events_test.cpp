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
  const auto handlers = std::make_shared<EventHandlers>();
  handlers->add(first->loadId(), "thread.idle", 4);
  handlers->add(first->loadId(), "thread.idle", 1);
  handlers->add(first->loadId(), "thread.idle", 3);
  handlers->remove(first->loadId(), "thread.idle", 3);
  handlers->add(first->loadId(), "thread.created", 2);
  handlers->add(second->loadId(), "thread.created", 1);
  PluginEvents events(loaded, handlers);
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

TEST(EventHandlersTest, HandlersGoWithTheirLoad) {
  const auto handlers = std::make_shared<EventHandlers>();
  auto kept = handlers->keep(7);
  const auto other = handlers->keep(8);
  handlers->add(7, "thread.idle", 1);
  handlers->add(8, "thread.idle", 2);
  kept.reset();
  EXPECT_EQ(handlers->of(7, "thread.idle"), std::vector<std::int64_t>());
  EXPECT_EQ(handlers->of(8, "thread.idle"), std::vector<std::int64_t>{2});
  EXPECT_EQ(handlers->of(8, "thread.created"), std::vector<std::int64_t>());
  handlers->remove(9, "thread.idle", 2);
}

TEST(PluginEventsTest, SaysWhenAnEventWasDropped) {
  plugins::FakeLoadedPlugins loaded;
  const auto generation = loaded.load("a");
  const auto handlers = std::make_shared<EventHandlers>();
  handlers->add(generation->loadId(), "thread.idle", 1);
  PluginEvents(loaded, handlers).emit("thread.idle", common::RawJson("{}"));
  generation->answer("events.emit", Error{errc::kOverloaded, "65536 calls wait"});
  ASSERT_EQ(generation->lines.size(), 1U);
  EXPECT_EQ(generation->lines[0], R"(warn: event "thread.idle" was dropped: 65536 calls wait)");
}

}  // namespace
}  // namespace svc::agents
