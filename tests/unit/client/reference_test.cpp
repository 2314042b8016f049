#include "reference.h"

#include <fstream>
#include <functional>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::client {
namespace {

using ::testing::HasSubstr;

TEST(ReferenceTest, TheDocumentIsWhatTheDefinitionsSay) {
  std::ifstream file(SVC_SOURCE_DIR "/docs/cli.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, markdownReference(commandTree()))
      << "docs/cli.md is out of date: cmake --build build/dev --target svc_cli_reference";
}

TEST(ReferenceTest, EveryCommandAndOptionSaysWhatItDoes) {
  const std::function<void(const CommandInfo&)> look = [&](const CommandInfo& command) {
    EXPECT_FALSE(command.help.empty()) << command.line;
    EXPECT_FALSE(command.help.ends_with('.')) << command.line;
    for (const auto& option : command.options) {
      EXPECT_FALSE(option.help.empty()) << command.line << ' ' << option.names.front();
    }
    for (const auto& below : command.commands) {
      look(below);
    }
  };
  for (const auto& command : commandTree().commands) {
    look(command);
  }
}

TEST(ReferenceTest, EveryGroupHasAPage) {
  const auto pages = manualPages(commandTree(), "1.2.3");
  EXPECT_THAT(pages,
              ::testing::IsSupersetOf(std::vector<std::pair<const std::string, std::string>>{
                  {"svc.1", pages.at("svc.1")}, {"svc-plugin.1", pages.at("svc-plugin.1")}}));
  EXPECT_THAT(pages.at("svc.1"), HasSubstr("svc\\-plugin"));
  EXPECT_THAT(pages.at("svc.1"), HasSubstr("\"svc 1.2.3\""));
  EXPECT_THAT(pages.at("svc-plugin.1"), HasSubstr(".SS svc plugin install [options] <source>\n"));
}

TEST(ReferenceTest, SynopsisShowsWhatIsNeeded) {
  const auto tree = commandTree();
  const auto* const plugin = tree.command("plugin");
  ASSERT_NE(plugin, nullptr);
  EXPECT_EQ(plugin->synopsis(), "svc plugin <command>");
  EXPECT_EQ(plugin->command("reload")->synopsis(), "svc plugin reload [id]");
  EXPECT_EQ(plugin->command("run")->synopsis(), "svc plugin run [args…]");
  EXPECT_EQ(plugin->command("config")->synopsis(), "svc plugin config <id> [command]");
}

}  // namespace
}  // namespace svc::client
