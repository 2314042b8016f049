#include "command_table.h"

#include "command_fixture.h"

namespace svc::cli {
namespace {

using plugins::PluginStatus;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto kTodo = R"({"name":"todo","summary":"Todos","rendersHelp":true,
  "commands":[{"name":"list","summary":"Lists","usage":"todo list"}]})";

class CommandTableTest : public CommandFixture {
 protected:
  std::vector<std::string> shadowed() {
    std::vector<std::string> ids;
    for (const auto& command : table_.refresh()) {
      if (command.shadowed) {
        ids.push_back(command.plugin_id);
      }
    }
    return ids;
  }
  void settle() { table_.recordsChanged({record("x", PluginStatus::kRunning)}); }

  CommandTable table_{loaded_};
};

TEST_F(CommandTableTest, DescribesARegistration) {
  load("todo", kTodo);
  load("quiet", "null");
  const auto commands = table_.refresh();
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(commands[0].plugin_id, "todo");
  EXPECT_EQ(commands[0].summary, "Todos");
  EXPECT_TRUE(commands[0].renders_help);
  EXPECT_FALSE(commands[0].shadowed);
  ASSERT_EQ(commands[0].commands.size(), 1U);
  EXPECT_EQ(commands[0].commands[0].usage, "todo list");
}

TEST_F(CommandTableTest, TakesTheDescriptionOfThePluginWithoutASummary) {
  load("todo", R"({"name":"todo","commands":[]})");
  table_.recordsChanged({record("todo", PluginStatus::kRunning, "Keeps todos")});
  EXPECT_EQ(table_.refresh()[0].summary, "Keeps todos");
}

TEST_F(CommandTableTest, GivesCoreNamesToNoPlugin) {
  const auto status = load("s", R"({"name":"status"})");
  EXPECT_THAT(shadowed(), ElementsAre("s"));
  EXPECT_TRUE(status->registration_now["shadowed"].asBool());
  EXPECT_THAT(
      status->problems,
      ElementsAre("the command name \"status\" belongs to the service; this plugin's command "
                  "runs as svc plugin run s"));
  EXPECT_THAT(status->problem_codes, ElementsAre("cli_command_reserved"));
}

TEST_F(CommandTableTest, ReportsAndMarksOncePerLoad) {
  const auto first = load("s", R"({"name":"status"})");
  shadowed();
  shadowed();
  EXPECT_EQ(first->problems.size(), 1U);
  EXPECT_EQ(first->writes, 1);
  const auto second = load("s", R"({"name":"status"})");
  shadowed();
  EXPECT_EQ(second->problems.size(), 1U);
}

TEST_F(CommandTableTest, GivesANameToTheLowestIdWhileStarting) {
  table_.recordsChanged(
      {record("a", PluginStatus::kStarting), record("b", PluginStatus::kRunning)});
  load("b", R"({"name":"do"})");
  EXPECT_THAT(shadowed(), IsEmpty());
  load("a", R"({"name":"do"})");
  EXPECT_THAT(shadowed(), ElementsAre("b"));
}

TEST_F(CommandTableTest, KeepsTheHolderLater) {
  load("b", R"({"name":"do"})");
  settle();
  EXPECT_THAT(shadowed(), IsEmpty());
  load("a", R"({"name":"do"})");
  EXPECT_THAT(shadowed(), ElementsAre("a"));
  load("b", R"({"name":"do"})");  // a reload of the holder
  EXPECT_THAT(shadowed(), ElementsAre("a"));
}

TEST_F(CommandTableTest, FreesTheNameWithItsHolder) {
  load("b", R"({"name":"do"})");
  settle();
  shadowed();
  const auto other = load("a", R"({"name":"do"})");
  shadowed();
  EXPECT_THAT(other->problem_codes, ElementsAre("cli_command_shadowed"));
  unload("b");
  EXPECT_THAT(shadowed(), IsEmpty());
  EXPECT_FALSE(other->registration_now["shadowed"].asBool());
  EXPECT_THAT(other->problem_codes, IsEmpty());
}

TEST_F(CommandTableTest, StaysSettledWhenAPluginStartsLater) {
  settle();
  load("b", R"({"name":"do"})");
  shadowed();
  table_.recordsChanged({record("a", PluginStatus::kStarting)});
  load("a", R"({"name":"do"})");
  EXPECT_THAT(shadowed(), ElementsAre("a"));
}

}  // namespace
}  // namespace svc::cli
