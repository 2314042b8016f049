#include "command_source.h"

#include "svc/common/codes.h"
#include "svc/common/limits/mcp.h"

#include "mcp_fixture.h"
#include "mocks/mock_commands.h"

namespace svc::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::NiceMock;
using ::testing::Return;

class CommandSourceTest : public ::testing::Test {
 protected:
  CommandSourceTest() {
    ON_CALL(commands_, list)
        .WillByDefault(Return(std::vector<cli::Command>{
            {.plugin_id = "todo",
             .name = "todo",
             .summary = "Lists of things",
             .commands = {{.name = "list", .summary = "Lists", .usage = "todo list [--all]"}}},
            {.plugin_id = "other", .name = "todo", .summary = "", .commands = {}, .shadowed = true},
            {.plugin_id = "self",
             .name = "self",
             .summary = "",
             .commands = {},
             .renders_help = true},
        }));
    ON_CALL(commands_, run)
        .WillByDefault([this](cli::CommandRun run, const std::stop_token&,
                              Completion<cli::CommandOutcome> done) {
          run_ = std::move(run);
          done(outcome_);
        });
    static_cast<void>(source_.list(ListKind::kTools, {}));
  }
  common::Json call(const std::string& arguments, const std::string& name = "cli_todo") {
    common::Json json;
    std::string plugin_id;
    for (const auto& item : source_.list(ListKind::kTools, {})) {
      plugin_id = item.key == name ? item.plugin_id : plugin_id;
    }
    source_.answer(
        {.method = "tools/call",
         .key = name,
         .plugin_id = plugin_id,
         .params = common::RawJson(R"({"arguments":)" + arguments + "}")},
        [&json](const Result<Answer>& result) { json = parsed(result.value().result.text()); });
    return json;
  }
  static std::string text(const common::Json& result) {
    std::string all;
    for (const auto& part : result["content"].items()) {
      all += (all.empty() ? "" : "|") + part["text"].asString();
    }
    return all;
  }

  NiceMock<cli::MockCommands> commands_;
  CommandSource source_{commands_};
  Result<cli::CommandOutcome> outcome_{cli::CommandOutcome{0, "out", ""}};
  std::optional<cli::CommandRun> run_;
};

TEST_F(CommandSourceTest, HelpIsGivenForCommandsThatHaveNone) {
  EXPECT_THAT(text(call(R"({"args":["list","--help"]})")),
              HasSubstr("`todo list [--all]` — Lists"));
  EXPECT_THAT(text(call(R"({"args":["-h"]})")), HasSubstr("Lists of things"));
  EXPECT_FALSE(run_.has_value());
  (void)call(R"({"args":["--","--help"]})");
  EXPECT_EQ(run_.value().plugin_id, "todo");
  (void)call(R"({"args":["--help"]})", "cli_self");
  EXPECT_EQ(run_.value().plugin_id, "self");
}

TEST_F(CommandSourceTest, EveryCommandIsATool) {
  const auto items = source_.list(ListKind::kTools, {});
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0].key, "cli_todo");
  const auto tool = parsed(items[0].json.text());
  EXPECT_EQ(tool["title"].asString(), "svc todo");
  EXPECT_EQ(tool["annotations"].dump(), R"({"title":"svc todo"})");
  EXPECT_EQ(tool["description"].asString(),
            "Lists of things\n\nRuns `svc todo`, a command of the plugin todo.\n\n"
            "- `todo list [--all]` — Lists");
  EXPECT_EQ(tool["inputSchema"]["properties"]["args"]["items"].dump(), R"({"type":"string"})");
  EXPECT_EQ(tool["inputSchema"]["required"].dump(), R"(["args"])");
  EXPECT_EQ(items[1].key, "cli_todo_other");
  EXPECT_THAT(items[1].json.text(), HasSubstr("svc plugin run other"));
}

TEST_F(CommandSourceTest, ARequestThatGoesOnFromNowhereRunsNothing) {
  bool refused = false;
  source_.answer(
      {.method = "tools/call",
       .key = "cli_todo",
       .params = common::RawJson(R"({"arguments":{"args":["list"]},"requestState":"old"})"),
       .modern = true},
      [&refused](const Result<Answer>& result) {
        refused = !result && result.error().code == errc::kInvalidInput;
      });
  EXPECT_TRUE(refused);
  EXPECT_FALSE(run_.has_value());
}

TEST_F(CommandSourceTest, NamesFitWhatModelsTake) {
  const std::string common_start(100, 'a');
  const auto one =
      toolName({.plugin_id = "p", .name = common_start + "1", .summary = "", .commands = {}});
  const auto two =
      toolName({.plugin_id = "p", .name = common_start + "2", .summary = "", .commands = {}});
  EXPECT_EQ(one.size(), limits::kMcpToolName);
  EXPECT_NE(one, two);
  EXPECT_EQ(one.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-"), std::string::npos);
}

TEST_F(CommandSourceTest, RunsTheCommandOfThePlugin) {
  const auto result = call(R"({"args":["list","--all"],"cwd":"/w"})");
  EXPECT_EQ(run_->plugin_id, "todo");
  EXPECT_EQ(run_->argv, (std::vector<std::string>{"list", "--all"}));
  EXPECT_EQ(run_->cwd, "/w");
  EXPECT_FALSE(run_->thread_id.has_value());
  EXPECT_EQ(text(result), "out");
  EXPECT_FALSE(result["isError"].asBool(true));
  call(R"({"args":[]})", "cli_todo_other");
  EXPECT_EQ(run_->plugin_id, "other");
}

TEST_F(CommandSourceTest, ACommandThatIsNoMoreListedIsRunOfItsPlugin) {
  ON_CALL(commands_, list).WillByDefault(Return(std::vector<cli::Command>()));
  static_cast<void>(source_.list(ListKind::kTools, {}));
  source_.answer({.method = "tools/call",
                  .key = "cli_todo",
                  .plugin_id = "todo",
                  .params = common::RawJson(R"({"arguments":{"args":["--help"]}})")},
                 [](const Result<Answer>&) {});
  EXPECT_EQ(run_->plugin_id, "todo");
}

TEST_F(CommandSourceTest, TheNameOfAToolMaySayItsPlugin) {
  EXPECT_EQ(pluginOfToolName("cli_todo"), "todo");
  EXPECT_EQ(pluginOfToolName("cli_list_my-todo"), "my-todo");
  EXPECT_EQ(pluginOfToolName("todo_add"), "");
}

TEST_F(CommandSourceTest, OutputsAndExitCodesAreText) {
  struct Case {
    cli::CommandOutcome outcome;
    const char* text;
    bool failed;
  };
  for (const auto& [outcome, expected, failed] :
       {Case{{0, "", ""}, "", false}, Case{{0, "o", "e"}, "o|e", false},
        Case{{3, "o", "e"}, "o|e|exit code 3", true}, Case{{1, "", ""}, "exit code 1", true},
        Case{{0, "", "e"}, "e", false}}) {
    outcome_ = outcome;
    const auto result = call(R"({"args":[]})");
    EXPECT_EQ(text(result), expected);
    EXPECT_EQ(result["isError"].asBool(), failed);
  }
}

TEST_F(CommandSourceTest, AFailedRunIsTextToo) {
  outcome_ = Error{errc::kPluginNotRunning, "plugin \"todo\" is not running"};
  const auto result = call(R"({"args":[]})");
  EXPECT_TRUE(result["isError"].asBool());
  EXPECT_EQ(text(result), "plugin \"todo\" is not running");
}

TEST_F(CommandSourceTest, WrongArgumentsAreToldToTheModel) {
  for (const auto& [arguments, problem] :
       {std::pair{"{}", "args: expected an array of strings"},
        std::pair{R"({"args":"list"})", "args: expected an array of strings"},
        std::pair{R"({"args":[1]})", "args: expected strings"},
        std::pair{R"({"args":[],"cwd":1})", "cwd: expected a string"},
        std::pair{R"({"args":[],"argv":[]})", "there is no argument \"argv\""}}) {
    run_.reset();
    const auto result = call(arguments);
    EXPECT_TRUE(result["isError"].asBool()) << arguments;
    EXPECT_EQ(text(result), std::string("Invalid arguments for tool cli_todo: ") + problem);
    EXPECT_FALSE(run_.has_value());
  }
}

}  // namespace
}  // namespace svc::mcp
