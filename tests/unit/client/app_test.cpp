#include "app.h"

#include <algorithm>
#include <fstream>
#include <set>

#include "svc/common/limits/http.h"
#include "svc/common/reserved_names.h"

#include "cli/definition.h"
#include "cli/help.h"
#include "client_fixture.h"
#include "text.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;

class AppTest : public ClientTest {
 protected:
  int runWith(std::vector<std::string> arguments) {
    auto made = context();
    return run(made, std::move(arguments));
  }
};

TEST_F(AppTest, StatusOfAServerThatDoesNotAnswerSaysSoSoon) {
  expect("GET", "/readyz", Error{errc::kTimeout, "no answer in time"});
  EXPECT_EQ(runWith({"status"}), 69);
  EXPECT_EQ(requests.back().timeout, std::chrono::seconds(10));
  EXPECT_THAT(err.str(), HasSubstr("svc server restart"));
}

TEST_F(AppTest, PrintsItsVersion) {
  EXPECT_EQ(runWith({"--version"}), 0);
  EXPECT_THAT(out.str(), ::testing::StartsWith("svc 0."));
}

TEST_F(AppTest, OutputThatCannotBeWrittenIsAFailure) {
  out.setstate(std::ios::badbit);
  EXPECT_EQ(runWith({"--version"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("the output could not be written"));
  EXPECT_EQ(runWith({"--nonsense"}), 2);
}

TEST_F(AppTest, AFullDeviceIsAFailure) {
  std::ofstream full("/dev/full");
  auto made = context();
  Context writing{.console = {.in = in, .out = full, .err = err},
                  .environment = made.environment,
                  .choice = {},
                  .connector = made.connector,
                  .sleep = made.sleep};
  EXPECT_EQ(run(writing, {"completion", "bash"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("the output could not be written"));
}

TEST_F(AppTest, PrintsHelpInEveryForm) {
  EXPECT_EQ(runWith({}), 0);
  const auto text = out.str();
  EXPECT_THAT(text, HasSubstr("plugin"));
  for (const std::vector<std::string>& form :
       {std::vector<std::string>{"--help"}, {"help"}, {"-h"}}) {
    out.str("");
    EXPECT_EQ(runWith(form), 0);
    EXPECT_EQ(out.str(), text);
  }
}

TEST_F(AppTest, NamesTheServerWouldRefuseAreWrongUsage) {
  const auto longer = [](std::size_t characters) {
    std::string name;
    for (std::size_t i = 0; i <= characters; ++i) {
      name += "\xC3\xA4";
    }
    return name;
  };
  const std::vector<std::pair<std::vector<std::string>, std::size_t>> commands{
      {{"mcp", "token", "create"}, 100},
      {{"mcp", "setup", "cursor", "--token"}, 100},
      {{"machine", "enroll", "--name"}, 100},
      {{"machine", "rename", "mac"}, 100},
      {{"project", "create"}, 200},
      {{"project", "rename", "shop"}, 200},
      {{"environment", "update", "env_1", "--name"}, 200},
      {{"terminal", "open", "--title"}, 200},
      {{"terminal", "rename", "term_1"}, 200},
      {{"thread", "update", "thr_1", "--title"}, 200},
      {{"thread", "fork", "thr_1", "--title"}, 200},
      {{"thread", "start", "hi", "--title"}, 200}};
  for (const auto& [command, limit] : commands) {
    for (const auto& name : {longer(limit), std::string("a\nb"), std::string("a\033[31mb")}) {
      auto words = command;
      words.push_back(name);
      if (command[1] == "create" && command[0] == "project") {
        words.emplace_back("/srv/shop");
      }
      err.str("");
      EXPECT_EQ(runWith(words), 2) << command[0] << ' ' << command[1];
      EXPECT_THAT(err.str(), HasSubstr(name.size() > 20 ? "characters, at most"
                                                        : "it has the control character"));
    }
  }
  EXPECT_EQ(runWith({"mcp", "token", "create", " desk"}), 2);
  EXPECT_EQ(runWith({"mcp", "setup", "cursor", "--token", "desk "}), 2);
  EXPECT_THAT(err.str(), HasSubstr("it has blanks around it"));
  EXPECT_TRUE(requests.empty());
}

TEST_F(AppTest, KeepsHiddenCommandsOutOfHelp) {
  EXPECT_EQ(runWith({"--help"}), 0);
  EXPECT_THAT(out.str(), ::testing::Not(HasSubstr("Not supported")));
}

TEST_F(AppTest, PrintsHelpOfACommand) {
  EXPECT_EQ(runWith({"help", "plugin", "install"}), 0);
  EXPECT_THAT(out.str(), HasSubstr("svc plugin install"));
  EXPECT_THAT(out.str(), HasSubstr("--yes"));
}

TEST_F(AppTest, AGroupAloneShowsItsHelp) {
  const std::vector<std::vector<std::string>> groups{{"plugin"}, {"thread"}, {"thread", "queue"}};
  for (const auto& words : groups) {
    out.str("");
    EXPECT_EQ(runWith(words), 0);
    EXPECT_THAT(out.str(), HasSubstr("<command> --help` says more about each."));
    EXPECT_EQ(err.str(), "");
  }
  EXPECT_EQ(runWith({"plugin", "--json"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("A subcommand is required"));
}

TEST_F(AppTest, HelpHasHeadingsExamplesAndTheManual) {
  EXPECT_EQ(runWith({"--help"}), 0);
  for (const auto* const part : {"\nUsage: svc [options] <command>\n", "\nPlugins:\n",
                                 "\nServer:\n", "\nFirst steps:\n", "`svc manual cli`"}) {
    EXPECT_THAT(out.str(), HasSubstr(part));
  }
  out.str("");
  EXPECT_EQ(runWith({"plugin", "new", "--help"}), 0);
  EXPECT_THAT(out.str(), HasSubstr("\nArguments:\n  <name>"));
  EXPECT_THAT(out.str(), HasSubstr("\nExamples:\n  svc plugin new hello "));
}

void expectFits(const CommandInfo& command, std::size_t columns) {
  std::istringstream lines(helpText(command, columns));
  for (std::string line; std::getline(lines, line);) {
    const auto text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    const bool may_be_wide =
        text.find(' ') == std::string::npos || command.notes.find(line) != std::string::npos;
    EXPECT_TRUE(displayWidth(line) <= columns || may_be_wide) << command.line << ": " << line;
  }
  for (const auto& below : command.commands) {
    expectFits(below, columns);
  }
}

TEST_F(AppTest, HelpFitsIntoTheTerminal) {
  for (const std::size_t columns : {40, 80}) {
    expectFits(commandTree(), columns);
  }
}

TEST_F(AppTest, AMessageThatIsTooLongIsNotSent) {
  in.str(std::string(limits::kRpcBody + 1, 'a'));
  EXPECT_EQ(runWith({"thread", "send", "thr_1", "-"}), 2);
  EXPECT_THAT(err.str(),
              HasSubstr("the message has 8388609 bytes, the server takes 8388608 at most "
                        "(limit rpcBody)\nhint: write it to a file"));
  EXPECT_TRUE(requests.empty());
}

TEST_F(AppTest, SuggestsSubcommands) {
  EXPECT_EQ(runWith({"plugin", "instal"}), 2);
  EXPECT_EQ(
      err.str(),
      "svc: unknown command \"svc plugin instal\"\nhint: did you mean `svc plugin install`?\n");
}

TEST_F(AppTest, ReportsUsageErrorsAsEnvelopeWithJson) {
  EXPECT_EQ(runWith({"plugin", "show", "--json"}), 2);
  EXPECT_THAT(out.str(), HasSubstr(R"({"ok":false,"error":{"code":"usage",)"));
  EXPECT_THAT(err.str(), HasSubstr("see `svc plugin show --help`"));
}

TEST(CoreNamesTest, AreTheCommandsOfTheProgramAndHelp) {
  Invocation in;
  CLI::App app("svc");
  defineCommands(app, in);
  std::set<std::string, std::less<>> commands{"help"};
  for (const auto* const command : app.get_subcommands({})) {
    commands.insert(command->get_name());
  }
  EXPECT_THAT(common::kCoreNames, ::testing::UnorderedElementsAreArray(commands));
}

std::vector<std::string> commandsFor(const std::string& word) {
  Invocation in;
  CLI::App app("svc");
  defineCommands(app, in, word);
  std::vector<std::string> names;
  for (const auto* const command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  return names;
}

TEST(DefineCommandsTest, MakesWhatTheFirstWordCanMean) {
  for (const auto& name : commandsFor({})) {
    EXPECT_THAT(commandsFor(name), ::testing::Contains(name));
  }
  EXPECT_THAT(commandsFor("thread"), ::testing::ElementsAre("thread"));
  EXPECT_THAT(commandsFor("todo"), ::testing::IsEmpty());
}

TEST_F(AppTest, SuggestsOptions) {
  EXPECT_EQ(runWith({"plugin", "install", "x", "--yse"}), 2);
  EXPECT_EQ(err.str(),
            "svc: unknown option \"--yse\" of `svc plugin install`\nhint: did you mean --yes?\n");
}

TEST_F(AppTest, SuggestsGlobalOptionsBehindACommand) {
  EXPECT_EQ(runWith({"plugin", "list", "--jsno"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("hint: did you mean --json?\n"));
}

TEST_F(AppTest, NamesAnUnknownLetter) {
  EXPECT_EQ(runWith({"plugin", "list", "-z"}), 2);
  EXPECT_EQ(
      err.str(),
      "svc: unknown option \"-z\" of `svc plugin list`\nhint: see `svc plugin list --help`\n");
}

TEST_F(AppTest, NamesAnArgumentTooMany) {
  EXPECT_EQ(runWith({"plugin", "list", "x"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("not expected: x\n"));
}

TEST_F(AppTest, TakesGlobalFlagsBeforeAndBehindACommand) {
  expectGet("/api/v1/plugins", R"({"ok":true,"plugins":[]})");
  expectGet("/api/v1/plugins", R"({"ok":true,"plugins":[]})");
  EXPECT_EQ(runWith({"--server", "http://127.0.0.1:9", "--json", "plugin", "list"}), 0);
  EXPECT_EQ(runWith({"plugin", "list", "--json", "--server=http://127.0.0.1:9"}), 0);
  EXPECT_EQ(connected_to, (std::vector<std::string>{"http://127.0.0.1:9", "http://127.0.0.1:9"}));
  EXPECT_EQ(out.str(), "{\"ok\":true,\"plugins\":[]}\n{\"ok\":true,\"plugins\":[]}\n");
}

TEST_F(AppTest, GivesEverythingBehindAPluginCommandToThePlugin) {
  expectGet("/api/v1/plugins/contributions", kContributions);
  expectPost("/api/v1/plugins/todo/cli", R"({"ok":true,"exitCode":0,"stdout":"","stderr":""})");
  EXPECT_EQ(runWith({"--no-color", "todo", "add", "--server", "x", "--json", "-n"}), 0);
  EXPECT_THAT(requests.back().body, HasSubstr(R"("argv":["add","--server","x","--json","-n"])"));
  EXPECT_EQ(connected_to.front(), "http://127.0.0.1:4700");
}

TEST_F(AppTest, GivesEverythingBehindRunToThePlugin) {
  expectPost("/api/v1/plugins/todo/cli", R"({"ok":true,"exitCode":4,"stdout":"","stderr":""})");
  EXPECT_EQ(runWith({"plugin", "run", "todo", "add", "--yes", "--json", "--", "x"}), 4);
  EXPECT_THAT(requests.back().body, HasSubstr(R"("argv":["add","--yes","--json","--","x"])"));
}

TEST_F(AppTest, WhatIsNoUtf8WouldBecomeAnotherNameAndIsRefused) {
  EXPECT_EQ(runWith({"file", "write", "na\xffme"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("the argument \"na\xef\xbf\xbdme\" is not UTF-8"));
  EXPECT_TRUE(requests.empty());
}

TEST_F(AppTest, TheCommandMayStandBehindTwoDashes) {
  EXPECT_EQ(runWith({"--", "version"}), runWith({"version"}));
  EXPECT_THAT(out.str(), HasSubstr("0.43"));
  EXPECT_EQ(out.str().find("Usage"), std::string::npos);
}

TEST_F(AppTest, AsksForAPluginId) { EXPECT_EQ(runWith({"plugin", "run"}), 2); }

TEST_F(AppTest, SaysHowToStartAServerWhenThereIsNone) {
  variables = {{"SVC_DATA_DIR", "/none"}};
  EXPECT_EQ(runWith({"plugin", "list", "--json"}), 69);
  EXPECT_THAT(out.str(), HasSubstr(R"("code":"unreachable")"));
  EXPECT_EQ(err.str(),
            "svc: no server is running for /none (there is no server.json)\n"
            "hint: start a server with `svc server start`, or run `svcd` in a terminal\n");
}

}  // namespace
}  // namespace svc::client
