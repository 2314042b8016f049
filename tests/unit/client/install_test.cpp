#include <filesystem>
#include <fstream>

#include "app.h"
#include "client_fixture.h"
#include "commands/commands.h"
#include "commands/source_text.h"
#include "exit_code.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;
constexpr auto kPath = "/api/v1/plugins/install";
constexpr auto kPreview = "/api/v1/plugins/install/preview";
constexpr auto kJob = "/api/v1/plugins/install-jobs/j1";
constexpr auto kNpmPreview =
    R"({"ok":true,"preview":{"package":"svc-plugin-x","version":"1.2.0","from":"npm registry","incompatible":null}})";

class InstallTest : public ClientTest {
 protected:
  void SetUp() override {
    auto pattern = (std::filesystem::temp_directory_path() / "svc-install-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    working_dir = pattern;
    std::filesystem::create_directories(working_dir + "/todo");
    std::ofstream(working_dir + "/todo/package.json")
        << R"({"name":"svc-plugin-todo","version":"1.0.0"})";
    // Nothing of that name is installed, unless a test says so.
    EXPECT_CALL(*http, send(::testing::AllOf(
                           ::testing::Field(&HttpRequest::method, "GET"),
                           ::testing::Field(&HttpRequest::target, "/api/v1/plugins/todo"))))
        .WillRepeatedly(::testing::Return(
            HttpResponse{404, R"({"ok":false,"error":{"code":"unknown_plugin","message":"no"}})"}));
  }
  void TearDown() override { std::filesystem::remove_all(working_dir); }

  static std::string record(const std::string& status) {
    return R"({"ok":true,"plugin":{"id":"todo","version":"1.0.0","status":")" + status +
           R"(","source":"path:/x"}})";
  }
  static std::string job(const std::string& state) {
    return R"({"ok":true,"job":{"id":"j1","state":")" + state +
           R"(","step":"downloading","pluginId":"todo","error":null}})";
  }
  Source resolve(const std::string& given) { return resolveSource(given, context().environment); }
  int install(const std::string& source, bool yes, bool terminal = false) {
    auto made = context();
    made.console.in_terminal = terminal;
    return pluginInstall(made, {.source = source, .yes = yes});
  }
};

TEST_F(InstallTest, ResolvesRelativePathsAndPrintsTheBlock) {
  expectPost(kPath, record("running"));
  EXPECT_EQ(install("./todo/", true), 0);
  EXPECT_EQ(requests.back().body, R"({"source":"path:)" + working_dir + R"(/todo"})");
  EXPECT_EQ(err.str(), "Installing svc-plugin-todo@1.0.0 from " + working_dir + "/todo\n");
  EXPECT_EQ(
      out.str(),
      "Installed:\ntodo@1.0.0  running\n  source: path:/x\n  handlers: 0 calls / 0 ms / 0 ms\n");
}

TEST_F(InstallTest, SaysWhatItReplaces) {
  expectGet("/api/v1/plugins/todo", record("running"));
  EXPECT_EQ(install("./todo", false), 4);
  EXPECT_THAT(err.str(), HasSubstr("This replaces todo from path:/x; its settings, secrets and "
                                   "stored data stay and become those of the new one.\n"));
}

TEST_F(InstallTest, SaysNothingOfAPluginThatIsInstalledAgain) {
  expectGet("/api/v1/plugins/todo",
            R"({"ok":true,"plugin":{"id":"todo","source":"path:)" + working_dir + R"(/todo"}})");
  expectPost(kPath, record("running"));
  EXPECT_EQ(install("./todo", true), 0);
  EXPECT_EQ(err.str(), "Installing svc-plugin-todo@1.0.0 from " + working_dir + "/todo\n");
}

TEST_F(InstallTest, TakesAnExistingDirectoryWithoutSeparatorAsPath) {
  expectPost(kPath, record("running"));
  EXPECT_EQ(install("todo", true), 0);
  EXPECT_EQ(requests.back().body, R"({"source":"path:)" + working_dir + R"(/todo"})");
}

TEST_F(InstallTest, ShowsWhatAManagedSourceIsBeforeItInstalls) {
  expectPost(kPreview, kNpmPreview);
  expectPost(kPath, record("running"));
  EXPECT_EQ(install("npm:svc-plugin-x@^1", true), 0);
  EXPECT_EQ(requests.front().body, R"({"source":"npm:svc-plugin-x@^1"})");
  EXPECT_EQ(requests.back().body, R"({"source":"npm:svc-plugin-x@^1"})");
  EXPECT_TRUE(requests.back().respond_async);
  EXPECT_EQ(err.str(), "Installing svc-plugin-x@1.2.0 from npm registry\n");
}

TEST_F(InstallTest, WhatWasShownIsWhatIsInstalled) {
  expectPost(
      kPreview,
      R"({"ok":true,"preview":{"package":null,"version":null,"source":"git:https://host/r.git","from":"r",)"
      R"("incompatible":null,"confirmedSource":"git:https://host/r.git@0a1b"}})");
  expectPost(kPath, record("running"));
  EXPECT_EQ(install("git:https://host/r.git", true), 0);
  EXPECT_EQ(
      requests.back().body,
      R"({"source":"git:https://host/r.git","confirmedSource":"git:https://host/r.git@0a1b"})");
}

TEST_F(InstallTest, AboutShowsWhatAPackageSaysOfItself) {
  constexpr auto kAbout = "/api/v1/plugins/install/about";
  expectPost(
      kAbout,
      R"({"ok":true,"about":{"id":"todo","package":"svc-plugin-todo","version":"1.2.0","name":"Todo",
    "description":"A list.\u001b[31m","license":"MIT","author":null,"homepage":null,
    "entries":{"server":true,"app":true,"host":false},"engines":{"svc":">=0.43","svcPluginSdk":null},
    "capabilities":[{"kind":"skill","id":"todos","label":"todos","detail":"When asked."}],
    "problems":[{"code":"invalid_theme","message":"theme paper is skipped"}],"dependencies":["zod"],
    "files":7,"bytes":2048,"readme":"# Todo\n\nText.\n","readmeIsCut":true,"pictures":[]}})");
  auto made = context();
  made.console.out_terminal = true;
  EXPECT_EQ(pluginAbout(made, {.source = "todo@acme"}), 0);
  EXPECT_EQ(requests.back().body, R"({"source":"todo@acme"})");
  EXPECT_EQ(out.str(), R"(Todo – A list.[31m

package       svc-plugin-todo@1.2.0
license       MIT
runs          on the server, in the window
skill         todos – When asked.
needs         svc >=0.43
dependencies  zod
size          2.0 kB in 7 files
problem       theme paper is skipped

# Todo

Text.

(The readme goes on.)
)");
  EXPECT_EQ(err.str(), "\n`svc plugin install todo@acme` installs it.\n");
}

TEST_F(InstallTest, AboutSelectsInsideARepositoryAndPassesRefusalsOn) {
  constexpr auto kAbout = "/api/v1/plugins/install/about";
  expectPost(
      kAbout,
      R"({"ok":false,"error":{"code":"install_refused","message":"it is not there","details":{"reason":"not_found"}}})",
      422);
  auto made = context();
  EXPECT_EQ(pluginAbout(made, {.source = "git:https://example.org/a.git", .entry = "notes"}), 3);
  EXPECT_EQ(
      requests.back().body,
      R"({"source":"git:https://example.org/a.git","selection":{"kind":"entry","name":"notes"}})");
  EXPECT_THAT(err.str(), HasSubstr("it is not there"));
}

TEST_F(InstallTest, NamesThePluginsOfARepositoryWhenOneHasToBeChosen) {
  expectPost(
      kPreview,
      R"({"ok":true,"preview":{"package":null,"version":null,"source":"git:https://host/r.git","from":"r",)"
      R"("incompatible":null,"entries":[{"name":"a","source":"./a"},{"name":"b","source":"./b"}]}})");
  EXPECT_EQ(install("git:https://host/r.git", true), 2);
  EXPECT_THAT(err.str(), HasSubstr("git:https://host/r.git holds several plugins: a, b"));
  EXPECT_THAT(err.str(), HasSubstr("--plugin <name>"));
}

TEST_F(InstallTest, ASourceThatIsNotThereIsNotFound) {
  const auto refused = [](const std::string& reason) {
    return R"({"ok":false,"error":{"code":"install_refused","message":"no","details":{"reason":")" +
           reason + R"("}}})";
  };
  expectPost(kPath, refused("not_found"), 422);
  EXPECT_EQ(install("./missing", true), 3);
  expectPost(kPreview, refused("not_found"), 422);
  EXPECT_EQ(install("npm:missing", true), 3);
  expectPost(kPath, refused("no_manifest"), 422);
  EXPECT_EQ(install("./empty", true), 1);
}

TEST_F(InstallTest, NobodyIsAskedToTrustADirectoryThatIsNotThere) {
  std::ofstream(working_dir + "/server.json")
      << R"({"url":"http://127.0.0.1:1","pid":1,"version":"0.43.0"})";
  const auto lock = lockDirectory(working_dir, 1);
  variables = {{"SVC_DATA_DIR", working_dir}};
  EXPECT_EQ(install("./missing", false), 3);
  EXPECT_THAT(err.str(), HasSubstr("there is no directory " + working_dir + "/missing"));
  EXPECT_EQ(install("./todo", false), 4);
  EXPECT_THAT(err.str(), HasSubstr("trust in the plugin was not confirmed"));
}

TEST_F(InstallTest, SaysWhatElseARepositoryHolds) {
  expectPost(
      kPreview,
      R"({"ok":true,"preview":{"package":"svc-plugin-x","version":"1.2.0","from":"r","incompatible":null,)"
      R"("entries":[{"name":"a","source":"./a"}]}})");
  expectPost(kPath, record("running"));
  EXPECT_EQ(install("git:https://host/r.git", true), 0);
  EXPECT_THAT(err.str(), HasSubstr("The repository also holds a (--plugin <name>)."));
}

TEST_F(InstallTest, SendsWhatSelectsInsideARepository) {
  expectPost(kPreview, kNpmPreview);
  expectPost(kPath, record("running"));
  auto made = context();
  EXPECT_EQ(pluginInstall(made, {.source = "git:https://host/r.git",
                                 .yes = true,
                                 .subdirectory = "plugins/x",
                                 .tag_prefix = "x-"}),
            0);
  const auto* const body =
      R"({"source":"git:https://host/r.git","selection":{"kind":"subdirectory","path":"plugins/x"},"tagPrefix":"x-"})";
  EXPECT_EQ(requests.front().body, body);
  EXPECT_EQ(requests.back().body, body);
}

TEST_F(InstallTest, TellsTheServerTheAbsolutePlaceOfALocalRepository) {
  expectPost(kPreview, kNpmPreview);
  expectPost(kPath, record("running"));
  EXPECT_EQ(install("git:./repo@v1", true), 0);
  EXPECT_EQ(requests.back().body, R"({"source":"git:)" + working_dir + R"(/repo@v1"})");
}

TEST_F(InstallTest, SendsATarballByItsAbsolutePlace) {
  const auto absolute = working_dir + "/todo-1.0.0.tgz";
  for (const auto& given :
       {std::string("./todo-1.0.0.tgz"), std::string("todo-1.0.0.tgz"), absolute,
        std::string("tarball:todo-1.0.0.tgz"), std::string("tarball:./todo-1.0.0.tgz")}) {
    EXPECT_EQ(resolve(given).text, "tarball:" + absolute) << given;
    EXPECT_EQ(resolve(given).path, "") << given;
  }
  EXPECT_EQ(resolve("x/todo.tar.gz").text, "tarball:" + working_dir + "/x/todo.tar.gz");
  std::filesystem::create_directories(working_dir + "/dir.tgz");
  EXPECT_EQ(resolve("./dir.tgz").text, "path:" + working_dir + "/dir.tgz");
}

TEST_F(InstallTest, ATildeIsTheHomeDirectory) {
  home = "/home/you";
  EXPECT_EQ(resolve("~/todo").text, "path:/home/you/todo");
  EXPECT_EQ(resolve("git:~/todo").text, "git:/home/you/todo");
}

TEST_F(InstallTest, AddressesAreNoPathsOfThisDirectory) {
  for (const auto* given : {"tarball:https://host/x.tgz", "https://host/x.tgz", "git://host/x.git",
                            "ssh://host/x.git", "file:///srv/x.git", "git+https://host/x.git",
                            "git@host:me/x.git@main", "npm:@me/x", "git:git@host:me/x"}) {
    EXPECT_EQ(resolve(given).text, given);
    EXPECT_EQ(resolve(given).path, "");
    EXPECT_FALSE(resolve(given).entry) << given;
  }
  EXPECT_TRUE(resolve("entry@market").entry);
}

TEST_F(InstallTest, ATarballIsLookedAtByTheServer) {
  expectPost(kPreview,
             R"({"ok":true,"preview":{"package":null,"version":null,"source":"tarball:/x.tgz",)"
             R"("from":"/x.tgz","incompatible":null,"entries":[]}})");
  expectPost(kPath, record("running"));
  EXPECT_EQ(install("./x.tgz", true), 0);
  EXPECT_EQ(requests.back().body, R"({"source":"tarball:)" + working_dir + R"(/x.tgz"})");
  EXPECT_EQ(err.str(), "Installing from /x.tgz\n");
}

TEST_F(InstallTest, AnEmptyWordIsWrongUsageAndNotThisDirectory) {
  auto made = context();
  for (const auto& words : std::vector<std::vector<std::string>>{{"plugin", "install", "", "--yes"},
                                                                 {"plugin", "reload", ""},
                                                                 {"plugin", "dev", ""},
                                                                 {"marketplace", "add", ""},
                                                                 {"machine", "rename", "x", ""}}) {
    EXPECT_EQ(run(made, words), kExitUsage) << words[1];
  }
  EXPECT_TRUE(requests.empty());
  EXPECT_THAT(err.str(), HasSubstr("source: must not be empty"));
}

TEST_F(InstallTest, StopsWhenNothingIsFoundAtTheSource) {
  expectPost(kPreview,
             R"({"ok":false,"error":{"code":"install_refused","message":"no such package"}})", 422);
  EXPECT_EQ(install("npm:nothing", true), 1);
  EXPECT_EQ(err.str(), "svc: no such package\n");
}

TEST_F(InstallTest, StopsBeforeAskingWhenThisServiceCannotRunIt) {
  expectPost(
      kPreview,
      R"({"ok":true,"preview":{"package":"p","version":"2.0.0","from":"npm registry","incompatible":"needs svc ^9"}})");
  EXPECT_EQ(install("npm:p", false), 5);
  EXPECT_EQ(err.str(), "svc: needs svc ^9\n");
}

TEST_F(InstallTest, InstallsTheSourceOfACatalogueEntryThatTheUserSaw) {
  expectPost(
      kPreview,
      R"({"ok":true,"preview":{"package":"svc-plugin-todo","version":"1.0.0","from":"npm registry",)"
      R"("entryId":"todo-list","marketplace":"acme","publisher":"Acme","confirmedSource":"npm:svc-plugin-todo@1.0.0"}})");
  expectPost("/api/v1/plugin-catalog/install", record("running"));
  EXPECT_EQ(install("todo-list@acme", true), 0);
  EXPECT_EQ(requests.front().body, R"({"source":"todo-list@acme"})");
  EXPECT_EQ(
      requests.back().body,
      R"({"entryId":"todo-list","marketplace":"acme","confirmedSource":"npm:svc-plugin-todo@1.0.0"})");
  EXPECT_EQ(err.str(),
            "Installing svc-plugin-todo@1.0.0 from npm registry (marketplace acme, by Acme)\n");
}

TEST_F(InstallTest, FollowsAJobToItsEnd) {
  expectPost(kPath, job("queued"), 202);
  expectGet(kJob, job("running"));
  expectGet(kJob, job("succeeded"));
  expectGet("/api/v1/plugins/todo", record("running"));
  std::vector<std::string> notes;
  auto made = context();
  made.console.err_terminal = true;
  made.on_interrupt = [&](const std::string& note) { notes.push_back(note); };
  EXPECT_EQ(pluginInstall(made, {.source = "todo", .yes = true}), 0);
  EXPECT_THAT(err.str(), HasSubstr("\r\x1b[Kdownloading …\r\x1b[K"));
  EXPECT_THAT(out.str(), ::testing::StartsWith("Installed:\ntodo@1.0.0  running\n"));
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_THAT(notes.front(), HasSubstr("The install goes on. `svc plugin install-jobs` shows it, "
                                       "`svc plugin cancel-install j1` cancels it.\n"));
  EXPECT_EQ(notes.back(), "");
}

TEST_F(InstallTest, SeesTheEndOfAShortJobSoonAndALongOneIsNotAskedForAllTheTime) {
  expectPost(kPath, job("queued"), 202);
  for (int look = 0; look < 6; ++look) {
    expectGet(kJob, job("running"));
  }
  expectGet(kJob, job("succeeded"));
  expectGet("/api/v1/plugins/todo", record("running"));
  EXPECT_EQ(install("todo", true), 0);
  EXPECT_EQ(pauses, (std::vector<std::int64_t>{25, 50, 100, 200, 250, 250, 250}));
}

TEST_F(InstallTest, ReportsAJobThatFailed) {
  expectPost(kPath, job("queued"), 202);
  expectGet(
      kJob,
      R"({"ok":true,"job":{"id":"j1","state":"failed","error":{"code":"incompatible","message":"needs svc ^9"}}})");
  EXPECT_EQ(install("todo", true), 5);
  EXPECT_THAT(err.str(), ::testing::EndsWith("svc: needs svc ^9\n"));
}

constexpr auto kUseUpdate =
    R"({"ok":true,"job":{"id":"j1","state":"failed","error":{"code":"install_refused","message":"installed already",)"
    R"("details":{"reason":"use_update","pluginId":"todo"}}}})";

TEST_F(InstallTest, AnotherVersionOfTheSameSourceIsAnUpdateOnceTheUserAgrees) {
  expectPost(kPreview, kNpmPreview);
  expectPost(kPath, job("queued"), 202);
  expectGet(kJob, kUseUpdate);
  expectPost("/api/v1/plugins/todo/update",
             R"({"ok":true,"outcome":"updated","applied":true,"from":"1.0.0","to":"1.2.0"})");
  EXPECT_EQ(install("npm:svc-plugin-x@1.2.0", true), 0);
  EXPECT_EQ(requests.back().body, R"({"source":"npm:svc-plugin-x@1.2.0"})");
  EXPECT_EQ(out.str(), "Updated todo 1.0.0 → 1.2.0\n");

  expectPost(kPreview, kNpmPreview);
  expectPost(kPath, job("queued"), 202);
  expectGet(kJob, kUseUpdate);
  expectGet("/api/v1/plugins/todo", record("running"));
  in.str("y\nn\n");
  EXPECT_EQ(install("npm:svc-plugin-x@1.2.0", false, true), 4);
  EXPECT_THAT(err.str(), HasSubstr("todo 1.0.0 is installed from path:/x. This puts "
                                   "svc-plugin-x@1.2.0 from npm registry in its place"));
  EXPECT_THAT(err.str(), HasSubstr("nothing was replaced"));
}

TEST_F(InstallTest, AnEntryWhoseSourceIsInstalledDirectlyNamesTheCommandInsteadOfTheRoute) {
  for (const bool by_job : {true, false}) {
    err.str("");
    expectPost(
        kPreview,
        R"({"ok":true,"preview":{"package":"svc-plugin-todo","version":"1.0.0","from":"https://x.org/r","subdirectory":"todo",)"
        R"("entryId":"todo-list","marketplace":"acme","publisher":"Acme","confirmedSource":"git:https://x.org/r@0a1b"}})");
    if (by_job) {
      expectPost("/api/v1/plugin-catalog/install", job("queued"), 202);
      expectGet(kJob, kUseUpdate);
    } else {
      expectPost(
          "/api/v1/plugin-catalog/install",
          R"({"ok":false,"error":{"code":"install_refused","message":"POST /plugins/todo/update",)"
          R"("details":{"reason":"use_update","pluginId":"todo"}}})",
          409);
    }
    expectGet("/api/v1/plugins/todo", R"({"ok":true,"plugin":{"provenance":"direct"}})");
    EXPECT_EQ(install("todo-list@acme", true), 1);
    EXPECT_THAT(
        err.str(),
        ::testing::EndsWith(
            "svc: plugin \"todo\" is installed from this source already, not through a "
            "marketplace\nhint: `svc plugin install git:https://x.org/r@0a1b --subdirectory todo` "
            "puts what the marketplace lists in its place and keeps its data\n"));
  }
}

TEST_F(InstallTest, AnEntryThatIsInstalledIsUpdated) {
  expectPost(
      kPreview,
      R"({"ok":true,"preview":{"package":"svc-plugin-todo","version":"1.0.0","from":"https://x.org/r",)"
      R"("entryId":"todo","marketplace":"acme","publisher":"Acme","confirmedSource":"git:https://x.org/r@0a1b"}})");
  expectPost("/api/v1/plugin-catalog/install",
             R"({"ok":false,"error":{"code":"install_refused","message":"installed",)"
             R"("details":{"reason":"use_update","pluginId":"todo"}}})",
             409);
  expectGet("/api/v1/plugins/todo", R"({"ok":true,"plugin":{"provenance":"catalog"}})");
  EXPECT_EQ(install("todo@acme", true), 1);
  EXPECT_THAT(
      err.str(),
      ::testing::EndsWith("svc: plugin \"todo\" is installed from this source already\nhint: `svc "
                          "plugin update todo` installs a newer version when there is one, and "
                          "downloads files again that are missing or damaged\n"));
}

TEST_F(InstallTest, AReplacementThatDoesNotHoldIsAFailure) {
  expectPost(kPreview, kNpmPreview);
  expectPost(kPath, job("queued"), 202);
  expectGet(kJob, kUseUpdate);
  expectPost("/api/v1/plugins/todo/update",
             R"({"ok":true,"outcome":"rolled-back","applied":false,"from":"1.0.0","to":"1.2.0"})");
  EXPECT_EQ(install("npm:svc-plugin-x@1.2.0", true), 1);
  EXPECT_EQ(out.str(), "Rolled back todo to 1.0.0.\n");
}

TEST_F(InstallTest, ReportsACancelledJob) {
  expectPost(kPath, job("cancelled"), 202);
  EXPECT_EQ(install("todo", true), 1);
  EXPECT_THAT(err.str(), HasSubstr("the install was cancelled"));
}

TEST_F(InstallTest, DoesNotWaitWhenAskedNotTo) {
  expectPost(kPath, job("queued"), 202);
  auto made = context();
  EXPECT_EQ(pluginInstall(made, {.source = "todo", .yes = true, .no_wait = true}), 0);
  EXPECT_EQ(out.str(), "j1\n");
}

TEST_F(InstallTest, RefusesWithoutTerminalAndConsent) {
  EXPECT_EQ(install("todo", false), 4);
  EXPECT_THAT(err.str(), HasSubstr("not sandboxed"));
  EXPECT_THAT(err.str(), HasSubstr("hint: run it on a terminal, or add --yes\n"));
}

TEST_F(InstallTest, AsksOnATerminal) {
  in.str("Yes\nn\n\n");
  expectPost(kPath, record("running"));
  EXPECT_EQ(install("todo", false, true), 0);
  EXPECT_EQ(install("todo", false, true), 4);
  EXPECT_EQ(install("todo", false, true), 4);
  EXPECT_THAT(err.str(), HasSubstr("Install? [y/N] "));
}

TEST_F(InstallTest, FailsForAPluginThatDoesNotRun) {
  expectPost(kPath, record("error"));
  expectPost(kPath, record("incompatible"));
  EXPECT_EQ(install("todo", true), 1);
  EXPECT_EQ(install("todo", true), 5);
}

TEST_F(InstallTest, ReportsARefusal) {
  expectPost(kPath,
             R"({"ok":false,"error":{"code":"install_refused","message":"no package.json"}})", 422);
  EXPECT_EQ(install("todo", true), 1);
  EXPECT_THAT(err.str(), HasSubstr("svc: no package.json\n"));
}

}  // namespace
}  // namespace svc::client
