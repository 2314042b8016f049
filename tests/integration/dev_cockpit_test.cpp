// `svc plugin dev` at a terminal: what it shows, its keys, and that the terminal is as it was afterwards.
#include <poll.h>
#include <termios.h>

#include <array>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "svc/base/environment.h"
#include "svc/base/pty.h"
#include "svc/base/spawn.h"

#include "harness/server.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCockpitSource = R"ts(
export default function (svc: any): void {
  svc.log.info("the factory has run");
}
)ts";

/// A program at a terminal of its own, of which this end stays open.
class AtTerminal {
 public:
  AtTerminal(std::vector<std::string> argv, const std::filesystem::path& directory,
             const std::map<std::string, std::string>& variables) {
    auto made = base::openPty({.rows = 40, .columns = 120});
    EXPECT_TRUE(made.ok());
    pty_ = std::move(made).value();
    auto environment = base::currentEnvironment();
    for (const auto& [name, value] : variables) {
      environment[name] = value;
    }
    auto started = base::spawn({.argv = std::move(argv),
                                .environment = std::move(environment),
                                .directory = directory,
                                .in = pty_.there.get(),
                                .out = pty_.there.get(),
                                .err = pty_.there.get(),
                                .group = base::ProcessGroup::kSession,
                                .controls_terminal = true});
    EXPECT_TRUE(started.ok()) << started.error().message;
    child_ = std::move(started).value();
  }
  /// What was shown until this text was; all that came within the time when it was not.
  std::string readUntil(const std::string& text) {
    const auto deadline = std::chrono::steady_clock::now() + kDeadline;
    std::string all;
    std::array<char, 4096> part{};
    while (all.find(text) == std::string::npos && std::chrono::steady_clock::now() < deadline) {
      pollfd readable{.fd = pty_.here.get(), .events = POLLIN, .revents = 0};
      ::poll(&readable, 1, 1000);
      const auto count = base::readSome(pty_.here.get(), part.data(), part.size());
      all.append(part.data(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(count, 0)));
    }
    return all;
  }
  void type(const std::string& keys) const { EXPECT_TRUE(base::writeAll(pty_.here.get(), keys)); }
  [[nodiscard]] bool givesKeys() const {
    termios now{};
    EXPECT_EQ(::tcgetattr(pty_.there.get(), &now), 0);
    return (now.c_lflag & (ICANON | ECHO)) == 0;
  }
  base::ExitStatus end() {
    EXPECT_TRUE(child_.awaitEnd(kDeadline));
    return child_.reap();
  }
  [[nodiscard]] const base::ChildProcess& child() const { return child_; }

 private:
  base::Pty pty_;
  base::ChildProcess child_;
};

class DevCockpitTerminalTest : public ServerTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(files.path() / "bin");
    std::ofstream(files.path() / "bin/npm") << "#!/bin/sh\necho \"npm $1 runs\"; exit 4\n";
    std::filesystem::permissions(files.path() / "bin/npm", std::filesystem::perms::owner_all);
    const auto manifest = plugin.path() / "package.json";
    std::ifstream in(manifest);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    text.insert(text.rfind('}'), R"(,"scripts":{"test":"x"})");
    std::ofstream(manifest) << text;
    server.install(plugin.path());
  }
  [[nodiscard]] std::map<std::string, std::string> variables() const {
    return {{"SVC_SERVER_URL", server.url()},
            {"BROWSER", "none"},
            {"NO_COLOR", "1"},
            {"PATH", (files.path() / "bin").string() + ":/usr/bin:/bin"}};
  }
  AtTerminal dev() { return {{SVC_TEST_SVC, "plugin", "dev"}, plugin.path(), variables()}; }

  PluginDir plugin{"cockpit", kCockpitSource};
  TempDir files;
};

TEST_P(DevCockpitTerminalTest, ShowsPageLogAndFailuresOfWindowsAndTakesKeys) {
  auto terminal = dev();
  EXPECT_THAT(terminal.readUntil("q quit"), HasSubstr("Watching "));
  EXPECT_TRUE(terminal.givesKeys());
  const auto first = terminal.readUntil("the factory has run");
  EXPECT_THAT(first, HasSubstr("initial build · reloaded cockpit\r\n"));
  EXPECT_THAT(first, HasSubstr("  → " + server.url() + "/plugins/cockpit\r\n"));

  const auto reported = server.http().post(
      "/api/v1/plugins/cockpit/app-report",
      R"json({"hash":"abc","generation":1,"phase":"render","slot":"nav-panel","message":"boom","stack":"at App (app.tsx:4:2)"})json");
  EXPECT_EQ(reported.status, 200);
  EXPECT_THAT(terminal.readUntil("app.tsx:4:2"),
              HasSubstr("error  window: render of nav-panel: boom"));

  terminal.type("r");
  EXPECT_THAT(terminal.readUntil("asked for · reloaded cockpit"), HasSubstr("asked for"));
  terminal.type("t");
  EXPECT_THAT(terminal.readUntil("Tests failed: npm test ended with exit status 4"),
              HasSubstr("npm test runs"));
  terminal.type("o");
  EXPECT_THAT(terminal.readUntil("good once"), HasSubstr(server.url() + "/plugins/cockpit"));
  terminal.type("i");
  EXPECT_THAT(terminal.readUntil("devtools://"), HasSubstr("Open it in Chrome or Edge"));
  terminal.type("?");
  EXPECT_THAT(terminal.readUntil("q  end"), HasSubstr("l  show the plugin's log"));
  terminal.type("q");
  EXPECT_TRUE(terminal.end().ok());
  EXPECT_FALSE(terminal.givesKeys());
}

TEST_P(DevCockpitTerminalTest, TheTerminalIsAsItWasAfterEveryEnd) {
  for (const int signal : {0, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV}) {
    auto terminal = dev();
    static_cast<void>(terminal.readUntil("the factory has run"));
    EXPECT_TRUE(terminal.givesKeys()) << signal;
    if (signal == 0) {
      terminal.type("\x03");
    } else {
      terminal.child().signal(signal);
    }
    static_cast<void>(terminal.end());
    EXPECT_FALSE(terminal.givesKeys()) << signal;
  }
}

TEST_P(DevCockpitTerminalTest, AShellGetsItsTerminalBackFromAStoppedOneAndCanGoOnWithIt) {
  AtTerminal shell({"/bin/bash", "--norc", "--noediting", "-i"}, plugin.path(), variables());
  shell.type(std::string("PS1='ready> '; '") + SVC_TEST_SVC + "' plugin dev\n");
  static_cast<void>(shell.readUntil("the factory has run"));
  EXPECT_TRUE(shell.givesKeys());
  shell.type("\x1a");
  EXPECT_THAT(shell.readUntil("ready> "), HasSubstr("Stopped"));
  EXPECT_FALSE(shell.givesKeys());
  shell.type("fg\n");
  static_cast<void>(shell.readUntil("plugin dev"));
  ASSERT_TRUE(
      eventually([&] { return server.http().get("/healthz").status == 200 && shell.givesKeys(); }));
  shell.type("h");
  EXPECT_THAT(shell.readUntil("q  end"), HasSubstr("l  show"));
  shell.type("q");
  EXPECT_THAT(shell.readUntil("ready> "), Not(HasSubstr("svc: ")));
  EXPECT_FALSE(shell.givesKeys());
  shell.type("exit\n");
  static_cast<void>(shell.end());
}

SVC_WITH_STORAGE_ON_DISK(DevCockpitTerminalTest);

}  // namespace
}  // namespace svc::test
