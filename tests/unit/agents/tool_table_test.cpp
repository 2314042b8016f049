#include "tool_table.h"

#include <gtest/gtest.h>

#include "fakes/fake_generation.h"

namespace svc::agents {
namespace {

using plugins::FakeLoadedPlugins;
using plugins::PluginRecord;
using plugins::PluginStatus;

constexpr auto kAdd =
    R"([{"name":"add","description":"Adds","inputSchema":{"type":"object"},"instructions":"Use it."}])";

PluginRecord record(PluginStatus status) {
  PluginRecord out;
  out.enabled = true;
  out.status = status;
  return out;
}

class ToolTableTest : public ::testing::Test {
 protected:
  std::shared_ptr<plugins::FakeGeneration> load(const std::string& id,
                                                const std::string& tools = kAdd) {
    auto generation = loaded_.load(id);
    generation->registers("agent-tools", tools);
    return generation;
  }
  void settle() { table_.recordsChanged({record(PluginStatus::kRunning)}); }
  /// "plugin:tool …" of what is on offer.
  std::string offered() {
    std::string out;
    for (const auto& entry : table_.refresh()) {
      out += (out.empty() ? "" : " ") + entry.tool.plugin_id + ":" + entry.tool.name;
    }
    return out;
  }

  FakeLoadedPlugins loaded_;
  ToolTable table_{loaded_};
};

TEST_F(ToolTableTest, OffersWhatPluginsRegistered) {
  load("todo");
  const auto entries = table_.refresh();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].tool.description, "Adds");
  EXPECT_EQ(entries[0].tool.instructions, "Use it.");
  EXPECT_EQ(entries[0].tool.input_schema.dump(), R"({"type":"object"})");
  EXPECT_TRUE(entries[0].tool.presentation.isNull());
}

TEST_F(ToolTableTest, OrdersByPluginAndThenAsRegistered) {
  load("b", R"([{"name":"z"},{"name":"a"}])");
  load("a", R"([{"name":"y"}])");
  EXPECT_EQ(offered(), "a:y b:z b:a");
}

TEST_F(ToolTableTest, GivesANameToTheLowestIdWhileTheServerStarts) {
  const auto late = load("b");
  EXPECT_EQ(offered(), "b:add");
  table_.recordsChanged({record(PluginStatus::kStarting)});
  load("a");
  EXPECT_EQ(offered(), "a:add");
  ASSERT_EQ(late->problems.size(), 1U);
  EXPECT_EQ(late->problems[0].code, "agent_tool_shadowed");
  EXPECT_NE(late->problems[0].message.find("\"add\" belongs to plugin \"a\""), std::string::npos);
}

TEST_F(ToolTableTest, LetsTheHolderKeepItsNameLater) {
  load("b");
  settle();
  EXPECT_EQ(offered(), "b:add");
  const auto newcomer = load("a");
  EXPECT_EQ(offered(), "b:add");
  load("b");  // a reload is still the holder
  EXPECT_EQ(offered(), "b:add");
  EXPECT_EQ(newcomer->problems.size(), 1U);
}

TEST_F(ToolTableTest, ReportsALostNameOncePerLoad) {
  load("a");
  const auto loser = load("b");
  settle();
  EXPECT_EQ(offered(), "a:add");
  EXPECT_EQ(offered(), "a:add");
  EXPECT_EQ(loser->problems.size(), 1U);
  const auto reloaded = load("b");
  EXPECT_EQ(offered(), "a:add");
  EXPECT_EQ(reloaded->problems.size(), 1U);
}

TEST_F(ToolTableTest, PassesANameOnWhenItsHolderIsGone) {
  load("a");
  const auto heir = load("b");
  settle();
  EXPECT_EQ(offered(), "a:add");
  EXPECT_EQ(heir->problems.size(), 1U);
  loaded_.unload("a");
  EXPECT_EQ(offered(), "b:add");
  EXPECT_THAT(heir->problems, ::testing::IsEmpty());
}

TEST_F(ToolTableTest, WarnsOfNamesThatClientsMayNotTake) {
  const auto odd =
      load("odd", R"([{"name":")" + std::string(51, 'x') + R"("},{"name":"cli_todo"}])");
  EXPECT_EQ(offered(), "odd:" + std::string(51, 'x') + " odd:cli_todo");
  offered();
  ASSERT_EQ(odd->problems.size(), 2U);
  EXPECT_EQ(odd->problems[0].code, "agent_tool_name");
  EXPECT_NE(odd->problems[0].message.find("has 51 characters"), std::string::npos);
  EXPECT_NE(odd->problems[1].message.find("where there is a command \"todo\""), std::string::npos);
  const auto fine = load("fine", R"([{"name":")" + std::string(50, 'x') + R"("}])");
  offered();
  EXPECT_THAT(fine->problems, ::testing::IsEmpty());
}

}  // namespace
}  // namespace svc::agents
