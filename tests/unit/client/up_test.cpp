#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "browser.h"
#include "client_fixture.h"
#include "commands/commands.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kWindowLink =
    R"({"ok":true,"url":"http://127.0.0.1:4700/api/v1/access/enter?code=0123abcd"})";
constexpr auto kTodoRuns =
    R"({"id":"todo","provenance":"path","status":"running","enabled":true,"cliCommand":{"name":"todo","shadowed":false}})";

std::string pluginsReply(const std::string& records) {
  return R"({"ok":true,"plugins":[)" + records + "]}";
}

/// A server runs: its data directory is locked, and server.json names its address.
class UpTest : public ClientTest {
 protected:
  void SetUp() override {
    auto pattern = (std::filesystem::temp_directory_path() / "svc-up-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    lock_ = ::open((directory_ / "server.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(::write(lock_, "4711\n", 5), 5);
    ASSERT_EQ(::flock(lock_, LOCK_EX | LOCK_NB), 0);
    std::ofstream(directory_ / "server.json")
        << R"({"pid":4711,"url":"http://127.0.0.1:4700","version":"1.2.3"})";
  }
  void TearDown() override {
    ::close(lock_);
    std::filesystem::remove_all(directory_);
  }

  /// On a terminal when a person looks on.
  Context made(bool person) {
    auto made = context();
    made.choice.data_dir = directory_.string();
    made.console.in_terminal = made.console.out_terminal = made.console.err_terminal = person;
    made.launch = [this](const std::vector<std::string>& argv) {
      launched.push_back(argv);
      return launch_status;
    };
    made.on_interrupt = [this](const std::string& text) { notes.push_back(text); };
    return made;
  }
  int upWith(bool person, bool may_open = true) {
    auto with = made(person);
    return up(with, may_open);
  }
  void expectRunning(const std::string& plugins) {
    expectGet("/readyz", "{}");
    expectGet("/api/v1/plugins", plugins);
  }
  std::filesystem::path directory_;
  int lock_ = -1;
  std::vector<std::vector<std::string>> launched;
  Status launch_status;
  std::vector<std::string> notes;
};

TEST_F(UpTest, OpensTheWindowOfAServerThatRunsAlready) {
  variables["DISPLAY"] = ":0";
  expectRunning(pluginsReply(kTodoRuns));
  expectPost("/api/v1/access/links", kWindowLink);
  EXPECT_EQ(upWith(true), 0);
  // No secret on a command line that every user of the machine can read.
  EXPECT_THAT(launched, ElementsAre(ElementsAre("xdg-open", "http://127.0.0.1:4700/")));
  EXPECT_EQ(out.str(),
            "svcd already runs at http://127.0.0.1:4700 (pid 4711)\n"
            "1 plugin runs.\n"
            "The window opens in your browser: http://127.0.0.1:4700/\n");
  EXPECT_THAT(err.str(), HasSubstr("  svc todo --help "));
}

TEST_F(UpTest, PrintsALinkWhereNoBrowserCanBeStarted) {
  variables["DISPLAY"] = ":0";
  launch_status = Error{errc::kNotFound, "there is no xdg-open"};
  for (const bool may_open : {true, false}) {
    out.str("");
    expectRunning(pluginsReply(kTodoRuns));
    expectPost("/api/v1/access/links", kWindowLink);
    EXPECT_EQ(upWith(true, may_open), 0);
    EXPECT_THAT(out.str(), HasSubstr("/api/v1/access/enter?code=0123abcd\n"));
  }
  EXPECT_EQ(launched.size(), 1U);
}

TEST_F(UpTest, StartsNoBrowserForAScript) {
  variables["DISPLAY"] = ":0";
  expectRunning(pluginsReply(kTodoRuns));
  expectPost("/api/v1/access/links", kWindowLink);
  EXPECT_EQ(upWith(false), 0);
  EXPECT_TRUE(launched.empty());
}

TEST_F(UpTest, StartsNoBrowserAtTheAddressOfAProxy) {
  variables["DISPLAY"] = ":0";
  expectRunning(pluginsReply(kTodoRuns));
  expectPost("/api/v1/access/links",
             R"({"ok":true,"url":"https://svc.example/base/api/v1/access/enter?code=1"})");
  EXPECT_EQ(upWith(true), 0);
  EXPECT_TRUE(launched.empty());
  EXPECT_THAT(out.str(), HasSubstr("https://svc.example/base/api/v1/access/enter?code=1\n"));
}

TEST_F(UpTest, WaitsForPluginsAndSaysWhyOneDoesNotRun) {
  expectRunning(pluginsReply(R"({"id":"notes","status":"starting","enabled":true})"));
  expectGet(
      "/api/v1/plugins",
      pluginsReply(
          std::string(kTodoRuns) +
          R"(,{"id":"notes","status":"error","statusDetail":"server.ts:1: no","enabled":true},)"
          R"({"id":"mail","status":"needs-configuration","enabled":true},)"
          R"({"id":"off","status":"disabled","enabled":false})"));
  expectPost("/api/v1/access/links", kWindowLink);
  EXPECT_EQ(upWith(false), 0);
  EXPECT_EQ(pauses.size(), 1U);
  EXPECT_THAT(out.str(), HasSubstr("1 of 3 plugins run.\n"));
  EXPECT_THAT(err.str(), HasSubstr("  notes: error: server.ts:1: no\n"
                                   "    fix: svc plugin show notes; then svc plugin reload notes\n"
                                   "  mail: needs-configuration\n"
                                   "    fix: svc plugin config mail\n"));
  EXPECT_THAT(err.str(), Not(HasSubstr("off:")));
}

TEST_F(UpTest, CtrlCWhileItWaitsLeavesTheServerRunningAndSaysSo) {
  expectRunning(pluginsReply(kTodoRuns));
  expectPost("/api/v1/access/links", kWindowLink);
  EXPECT_EQ(upWith(false), 0);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("The server runs on; `svc status` shows it, `svc server "
                                           "stop` ends it."),
                                 ""));
}

TEST_F(UpTest, NamesWhatComesWithTheServiceWhenNothingIsInstalled) {
  const auto bundled = directory_ / "share/svc/builtin/author";
  std::filesystem::create_directories(bundled);
  std::ofstream(bundled / "package.json")
      << R"({"name":"svc-plugin-author","description":"Writes plugins."})";
  for (const bool is_installed : {false, true}) {
    err.str("");
    expectRunning(pluginsReply(
        is_installed ? R"({"id":"author","provenance":"builtin","status":"running"})" : ""));
    expectPost("/api/v1/access/links", kWindowLink);
    auto with = made(false);
    with.environment.program_dir = directory_ / "bin";
    EXPECT_EQ(up(with, true), 0);
    const auto offered = HasSubstr("  svc plugin install builtin:author  Writes plugins.\n");
    if (is_installed) {
      EXPECT_THAT(err.str(), Not(offered));
    } else {
      EXPECT_THAT(err.str(), offered);
    }
  }
}

TEST_F(UpTest, NamesTheExamplesWhereNothingIsInstalled) {
  const TempTree tree;
  writeExample(tree, "notes", "Notes.", "share/svc");
  writeExample(tree, "todo", "A todo list.", "share/svc");
  expectRunning(pluginsReply(""));
  expectPost("/api/v1/access/links", kWindowLink);
  auto with = made(false);
  with.environment.program_dir = tree.path() / "bin";
  EXPECT_EQ(up(with, true), 0);
  EXPECT_THAT(err.str(), HasSubstr("  svc plugin install todo@examples  A todo list.\n"));
  EXPECT_THAT(err.str(), HasSubstr("  svc plugin examples               All 2 examples.\n"));
}

TEST_F(UpTest, JsonIsOneEnvelopeWithoutQuestions) {
  variables["DISPLAY"] = ":0";
  expectRunning(pluginsReply(""));
  expectPost("/api/v1/access/links", kWindowLink);
  auto with = made(true);
  with.console.json = true;
  EXPECT_EQ(up(with, true), 0);
  EXPECT_TRUE(launched.empty());
  EXPECT_EQ(
      out.str(),
      R"({"ok":true,"server":{"url":"http://127.0.0.1:4700","pid":4711,"started":false},"plugins":[],)"
      R"("link":"http://127.0.0.1:4700/api/v1/access/enter?code=0123abcd",)"
      R"("nextSteps":["svc plugin new hello","svc server stop"]})"
      "\n");
}

TEST_F(UpTest, AServerOfAnotherAddressIsNotItsToStart) {
  auto with = made(false);
  with.choice.server = "http://far.example";
  EXPECT_EQ(up(with, true), 2);
  EXPECT_THAT(err.str(), HasSubstr("`svc --server http://far.example open` shows its window"));
}

TEST_F(UpTest, OverviewShowsTheServerThePluginsAndWhatToDo) {
  expectGet("/api/v1/plugins", pluginsReply(kTodoRuns));
  auto with = made(true);
  EXPECT_EQ(overview(with), 0);
  EXPECT_THAT(out.str(), HasSubstr("  Server   http://127.0.0.1:4700 (pid 4711, 1.2.3)\n"
                                   "  Plugins  1 of 1 run: todo\n"));
  EXPECT_THAT(out.str(), HasSubstr("  svc up                opens the window\n"));
}

TEST_F(UpTest, OverviewWithoutAServerStartsWithUp) {
  expect("GET", "/api/v1/plugins", Error{errc::kUnavailable, "connection refused"});
  auto with = made(true);
  EXPECT_EQ(overview(with), 0);
  EXPECT_THAT(out.str(),
              HasSubstr("  Server   none runs\n\n"
                        "  svc up                starts the server and opens the window\n"));
}

class BrowserTest : public ::testing::Test {
 protected:
  std::optional<std::string> withVariables(std::map<std::string, std::string> variables) {
    return browserProgram({.variable =
                               [variables = std::move(variables)](const std::string& name) {
                                 const auto found = variables.find(name);
                                 return found == variables.end() ? std::nullopt
                                                                 : std::optional(found->second);
                               },
                           .working_dir = {},
                           .program_dir = {}});
  }
};

TEST_F(BrowserTest, IsTheDesktopsWhereThereIsOne) {
  EXPECT_EQ(withVariables({{"WAYLAND_DISPLAY", "wayland-0"}}), "xdg-open");
  EXPECT_EQ(withVariables({{"DISPLAY", ":0"}}), "xdg-open");
  EXPECT_EQ(withVariables({{"DISPLAY", ""}}), std::nullopt);
}

TEST_F(BrowserTest, IsTheOneThatIsNamed) {
  EXPECT_EQ(withVariables({{"BROWSER", "firefox"}, {"SSH_CONNECTION", "x"}}), "firefox");
  EXPECT_EQ(withVariables({{"BROWSER", "none"}, {"DISPLAY", ":0"}}), std::nullopt);
  EXPECT_EQ(withVariables({{"BROWSER", "firefox:w3m %s"}, {"DISPLAY", ":0"}}), "xdg-open");
}

TEST_F(BrowserTest, IsNoneInASessionFromAnotherMachine) {
  EXPECT_EQ(withVariables({{"SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22"}, {"DISPLAY", ":10"}}),
            std::nullopt);
}

}  // namespace
}  // namespace svc::client
