#include "plugin_events.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

#include "fakes/fake_generation.h"

namespace svc::agents {
namespace {

TEST(PluginEventsTest, CallsEveryHandlerInOrder) {
  plugins::FakeLoadedPlugins loaded;
  const auto first = loaded.load("a");
  const auto second = loaded.load("b");
  const auto handlers = std::make_shared<EventHandlers>();
  handlers->add({"a", first->loadId()}, "thread.idle", 4);
  handlers->add({"a", first->loadId()}, "thread.idle", 1);
  handlers->add({"a", first->loadId()}, "thread.idle", 3);
  handlers->remove({"a", first->loadId()}, "thread.idle", 3);
  handlers->add({"a", first->loadId()}, "thread.created", 2);
  handlers->add({"b", second->loadId()}, "thread.created", 1);
  const auto events = std::make_shared<PluginEvents>(loaded, handlers);
  events->emit("thread.idle", common::RawJson(R"({"n":1})"));
  events->emit("thread.created", common::RawJson(R"({"n":2})"));
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
  auto kept = handlers->keep({"a", 7});
  const auto other = handlers->keep({"a", 8});
  handlers->add({"a", 7}, "thread.idle", 1);
  handlers->add({"a", 8}, "thread.idle", 2);
  kept.reset();
  EXPECT_EQ(handlers->of({"a", 7}, "thread.idle"), std::vector<std::int64_t>());
  EXPECT_EQ(handlers->of({"a", 8}, "thread.idle"), std::vector<std::int64_t>{2});
  EXPECT_EQ(handlers->of({"a", 8}, "thread.created"), std::vector<std::int64_t>());
  EXPECT_TRUE(handlers->isHeard("a", "thread.idle"));
  handlers->remove({"a", 9}, "thread.idle", 2);
  handlers->remove({"a", 8}, "thread.idle", 2);
  EXPECT_FALSE(handlers->isHeard("a", "thread.idle"));
}

TEST(PluginEventsTest, SaysWhenAnEventWasDropped) {
  plugins::FakeLoadedPlugins loaded;
  const auto generation = loaded.load("a");
  const auto handlers = std::make_shared<EventHandlers>();
  handlers->add({"a", generation->loadId()}, "thread.idle", 1);
  std::make_shared<PluginEvents>(loaded, handlers)->emit("thread.idle", common::RawJson("{}"));
  generation->answer("events.emit", Error{errc::kOverloaded, "65536 calls wait"});
  ASSERT_EQ(generation->lines.size(), 1U);
  EXPECT_EQ(generation->lines[0], R"(warn: event "thread.idle" was dropped: 65536 calls wait)");
}

class ReloadedEventsTest : public ::testing::Test {
 protected:
  std::shared_ptr<plugins::FakeGeneration> load() {
    // The factory comes before the switch.
    handlers_->add({"a", ++last_load_}, "thread.idle", 1);
    return loaded_.load("a");
  }
  void emit(int number) { events_->emit("thread.idle", common::RawJson(std::to_string(number))); }
  static std::vector<std::string> heard(const plugins::FakeGeneration& generation) {
    std::vector<std::string> out;
    for (const auto& call : generation.calls) {
      out.push_back(call.invocation.body);
    }
    return out;
  }

  std::uint64_t last_load_ = 0;
  plugins::FakeLoadedPlugins loaded_;
  std::shared_ptr<EventHandlers> handlers_ = std::make_shared<EventHandlers>();
  std::shared_ptr<PluginEvents> events_ = std::make_shared<PluginEvents>(loaded_, handlers_);
};

TEST_F(ReloadedEventsTest, AnEventWaitsForTheLoadThatTakesOver) {
  const auto previous = load();
  emit(1);
  loaded_.hold("a");
  emit(2);
  emit(3);
  EXPECT_EQ(heard(*previous), std::vector<std::string>{"1"});
  const auto next = load();
  emit(4);
  EXPECT_EQ(heard(*previous), std::vector<std::string>{"1"});
  EXPECT_EQ(heard(*next), (std::vector<std::string>{"2", "3", "4"}));
}

TEST_F(ReloadedEventsTest, WhatANewLoadAloneHearsWaitsForIt) {
  loaded_.load("a");
  loaded_.hold("a");
  handlers_->add({"a", 2}, "thread.idle", 1);
  emit(1);
  EXPECT_EQ(heard(*loaded_.load("a")), std::vector<std::string>{"1"});
}

TEST_F(ReloadedEventsTest, APluginThatIsNotLoadedAgainIsToldNothing) {
  load();
  loaded_.hold("a");
  emit(1);
  loaded_.unload("a");
  const auto later = load();
  emit(2);
  EXPECT_EQ(heard(*later), std::vector<std::string>{"2"});
}

TEST_F(ReloadedEventsTest, SaysHowManyEventsFoundNoRoom) {
  load();
  loaded_.hold("a");
  for (std::size_t event = 0; event < limits::kHeldCalls + 2; ++event) {
    emit(0);
  }
  const auto next = load();
  EXPECT_EQ(next->calls.size(), limits::kHeldCalls);
  ASSERT_EQ(next->lines.size(), 1U);
  EXPECT_EQ(next->lines[0],
            "warn: 2 events were dropped while the plugin was reloading: 1024 waited already "
            "(limit heldCalls)");
  emit(1);
  EXPECT_EQ(next->lines.size(), 1U);
}

}  // namespace
}  // namespace svc::agents
