#include "agents_part.h"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "fakes/fake_clock.h"
#include "fakes/fake_generation.h"

namespace svc::agents {
namespace {

class AgentsPartTest : public ::testing::Test {
 protected:
  Result<std::string> call(std::string_view name, const std::string& argument) {
    for (auto& function : part_.functions(generation_)) {
      if (function.name == name) {
        return function.sync(argument);
      }
    }
    return Error{errc::kNotFound, "no such function"};
  }

  plugins::FakeLoadedPlugins loaded_;
  std::shared_ptr<plugins::FakeGeneration> generation_ = loaded_.load("todo");
  std::string rechecked_;
  std::shared_ptr<Counterparts> counterparts_ = std::make_shared<Counterparts>();
  test::FakeClock clock_;
  std::shared_ptr<ToolCalls> calls_ = std::make_shared<ToolCalls>(loaded_, clock_);
  std::shared_ptr<ThreadForms> forms_ = std::make_shared<ThreadForms>();
  std::shared_ptr<EventHandlers> events_ = std::make_shared<EventHandlers>();
  int tools_changed_ = 0;
  plugins::ApiPart part_ = agentsPart(
      std::make_shared<ProviderCheck>(loaded_, [](const std::string&) { return false; }), calls_,
      counterparts_, forms_, events_,
      [this](const std::string& plugin_id) { rechecked_ = plugin_id; },
      [this] { ++tools_changed_; });
};

TEST_F(AgentsPartTest, CarriesItsScript) {
  EXPECT_EQ(part_.name, "agents");
  EXPECT_NE(part_.script.find("registerTool"), std::string_view::npos);
}

TEST_F(AgentsPartTest, AnswersWhyAProviderIsRefused) {
  EXPECT_EQ(call("providers.refusal", "agent").value(),
            "provider \"agent\" needs a host entry (svc.host in package.json)");
}

TEST_F(AgentsPartTest, PassesARecheckOnWithThePlugin) {
  EXPECT_TRUE(call("hooks.recheck", "\"message.dispatch\"").ok());
  EXPECT_EQ(rechecked_, "todo");
}

TEST_F(AgentsPartTest, PassesProgressOnToWhoeverListens) {
  std::vector<ToolProgress> heard;
  const auto number =
      calls_->listeners().add([&heard](const ToolProgress& report) { heard.push_back(report); });
  const auto report = common::Json::object().set("call", number).set("progress", 1);
  EXPECT_TRUE(call("tools.progress", common::Json(report).set("total", 2).dump()).ok());
  EXPECT_TRUE(call("tools.progress", common::Json(report).set("message", "half").dump()).ok());
  EXPECT_TRUE(call("tools.progress", R"({"call":99,"progress":1})").ok());
  EXPECT_TRUE(call("tools.progress", "not JSON").ok());
  calls_->listeners().remove(number);
  EXPECT_TRUE(call("tools.progress", report.dump()).ok());
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_EQ(heard[0].total, 2);
  EXPECT_EQ(heard[1].total, std::nullopt);
  EXPECT_EQ(heard[1].message, "half");
}

TEST_F(AgentsPartTest, KnowsWhatSomebodyActsOn) {
  EXPECT_EQ(call("agents.isServed", "agents.configure").value(), "no");
  auto first = counterparts_->serve({"agents.configure", "other"});
  const auto second = counterparts_->serve({"agents.configure"});
  first.reset();
  EXPECT_EQ(call("agents.isServed", "agents.configure").value(), "yes");
  EXPECT_EQ(call("agents.isServed", "other").value(), "no");
}

TEST_F(AgentsPartTest, KeepsHandlersOfEventsAsLongAsTheEnvironmentIsThere) {
  {
    auto functions = part_.functions(generation_);
    const auto tell = [&functions](std::string_view name, const std::string& argument) {
      for (auto& function : functions) {
        if (function.name == name) {
          EXPECT_TRUE(function.sync(argument).ok());
        }
      }
    };
    tell("events.on", R"({"event":"thread.idle","id":1})");
    tell("events.on", R"({"event":"thread.idle","id":2})");
    tell("events.off", R"({"event":"thread.idle","id":1})");
    tell("events.off", "not JSON");
    EXPECT_EQ(events_->of({"todo", generation_->loadId()}, "thread.idle"),
              std::vector<std::int64_t>{2});
  }
  EXPECT_EQ(events_->of({"todo", generation_->loadId()}, "thread.idle"),
            std::vector<std::int64_t>());
}

TEST_F(AgentsPartTest, PassesOnThatAToolWasRegistered) {
  EXPECT_TRUE(call("tools.changed", "").ok());
  EXPECT_EQ(tools_changed_, 1);
}

TEST_F(AgentsPartTest, IsQuietWhenTheLoadIsGone) {
  auto functions = part_.functions(generation_);
  generation_.reset();
  loaded_.unload("todo");
  for (auto& function : functions) {
    if (function.async) {
      function.async("{}", [](const Result<std::string>& answer) { EXPECT_FALSE(answer.ok()); });
      continue;
    }
    EXPECT_TRUE(function.sync("x").ok());
  }
  EXPECT_EQ(rechecked_, "");
}

}  // namespace
}  // namespace svc::agents
