#include "dev_loop.h"

#include <deque>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mocks/mock_dev_ports.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using common::BuildTarget;
using common::Json;
using std::chrono::milliseconds;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Return;
using Wake = IFileWatcher::Wake;
using Targets = std::vector<BuildTarget>;

class DebounceTest : public ::testing::Test {
 protected:
  static Debounce::Time at(int ms) { return Debounce::Time(milliseconds(ms)); }
  Debounce debounce;
};

TEST_F(DebounceTest, WaitsForNothingBeforeAChange) {
  EXPECT_EQ(debounce.left(at(0)), std::nullopt);
}

TEST_F(DebounceTest, StartsAgainWithEachChange) {
  debounce.touch(at(0));
  EXPECT_EQ(debounce.left(at(0)), milliseconds(300));
  EXPECT_EQ(debounce.left(at(299)), milliseconds(1));
  debounce.touch(at(299));
  EXPECT_EQ(debounce.left(at(300)), milliseconds(299));
  EXPECT_EQ(debounce.left(at(599)), milliseconds(0));
  EXPECT_EQ(debounce.left(at(5000)), milliseconds(0));
}

TEST_F(DebounceTest, EndsEvenWhenChangesDoNot) {
  for (int ms = 0; ms < 3000; ms += 100) {
    debounce.touch(at(ms));
    EXPECT_GT(debounce.left(at(ms))->count(), 0) << ms;
  }
  debounce.touch(at(3000));
  EXPECT_EQ(debounce.left(at(3000)), milliseconds(0));
}

/// A script of what the watcher reports: how much later, and what. Ends with kStopped.
class ScriptedWatcher final : public IFileWatcher {
 public:
  struct Step {
    int after_ms = 0;
    std::vector<std::string> changed;
  };
  std::deque<Step> steps;
  Debounce::Time now{};
  /// So often a key is pressed before anything else.
  int keys = 0;
  /// So often the loop may look around when nothing changes any more.
  int looks = 0;

  Wake wait(std::optional<milliseconds> bound) override {
    if (keys > 0) {
      --keys;
      return Wake::kOther;
    }
    const bool looks_around = bound && *bound > milliseconds(300);
    if (steps.empty() && (!bound || (looks_around && looks-- == 0))) {
      return Wake::kStopped;
    }
    if (steps.empty() || (bound && *bound < milliseconds(steps.front().after_ms))) {
      if (!steps.empty()) {
        steps.front().after_ms -= static_cast<int>(bound->count());
      }
      now += *bound;
      return Wake::kTimeout;
    }
    now += milliseconds(steps.front().after_ms);
    pending_.insert(pending_.end(), steps.front().changed.begin(), steps.front().changed.end());
    steps.pop_front();
    return Wake::kActivity;
  }
  std::vector<std::string> takeChanges() override { return std::exchange(pending_, {}); }

 private:
  std::vector<std::string> pending_;
};

class DevLoopTest : public ::testing::Test {
 protected:
  void SetUp() override { manifest(R"({"server":"./server.ts"})"); }

  void manifest(const std::string& block) {
    tree.write("package.json", R"({"name":"svc-plugin-todo","svc":)" + block + "}");
  }
  /// One save of these files, long after the one before.
  void save(std::vector<std::string> files) { watcher.steps.push_back({1000, std::move(files)}); }
  static common::TargetReport built(BuildTarget target, int ms) {
    common::TargetReport report;
    report.target = target;
    report.took = milliseconds(ms);
    report.files = {{"dist/x.js", 1}};
    return report;
  }
  static common::TargetReport broken(BuildTarget target, const std::string& text) {
    common::TargetReport report;
    report.target = target;
    report.errors = {{.text = text, .file = "app.tsx", .line = 3, .column = 7}};
    return report;
  }
  void expectBuild(const Targets& targets, const std::vector<common::TargetReport>& reports) {
    EXPECT_CALL(builder, build(request(targets)))
        .InSequence(order)
        .WillOnce([reports](const auto&) { return common::BuildReport{reports}; });
  }
  [[nodiscard]] ::testing::Matcher<const common::BuildRequest&> request(
      const Targets& targets) const {
    return AllOf(Field(&common::BuildRequest::targets, targets),
                 Field(&common::BuildRequest::root, tree.path()),
                 Field(&common::BuildRequest::minify, false));
  }
  void expectReload(Result<Json> answer = Json::object().set("status", "running")) {
    EXPECT_CALL(server, reload("todo")).InSequence(order).WillOnce(Return(std::move(answer)));
  }
  void expectProblems(std::vector<std::string> wanted, Status answer = {}) {
    EXPECT_CALL(server, setProblems("todo", _))
        .InSequence(order)
        .WillOnce([wanted = std::move(wanted), answer](const auto&, const auto& problems) {
          std::vector<std::string> got;
          for (const auto& problem : problems) {
            got.push_back(std::string(targetName(problem.target)) + " " + problem.message);
          }
          EXPECT_EQ(got, wanted);
          return answer;
        });
  }
  std::string run() {
    const Console console{.in = in, .out = out, .err = err, .json = json};
    EXPECT_EQ(DevLoop({"todo", tree.path()}, console,
                      {watcher, builder, server, [this] { return watcher.now; }, person})
                  .run(),
              0);
    return out.str();
  }

  TempTree tree;
  ScriptedWatcher watcher;
  ::testing::StrictMock<MockDevBuilder> builder;
  ::testing::StrictMock<MockDevServer> server;
  ::testing::Sequence order;
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  bool json = false;
  ::testing::StrictMock<MockDevCockpit> cockpit;
  /// Null without a terminal.
  IDevCockpit* person = nullptr;
};

TEST_F(DevLoopTest, ReloadsAtOnceAndAtEverySave) {
  save({"server.ts"});
  save({"server.ts", "lib/a.ts", "lib/b.ts"});
  expectProblems({});
  expectReload();
  expectReload();
  expectReload();
  EXPECT_EQ(run(),
            "initial build · reloaded todo\n"
            "1 file changed · reloaded todo\n"
            "3 files changed · reloaded todo\n");
}

TEST_F(DevLoopTest, TakesQuickChangesTogether) {
  watcher.steps = {{1000, {"a.ts"}}, {299, {"b.ts"}}, {299, {"c.ts"}}, {301, {"d.ts"}}};
  expectProblems({});
  expectReload();
  expectReload();
  expectReload();
  EXPECT_EQ(run(),
            "initial build · reloaded todo\n"
            "3 files changed · reloaded todo\n"
            "1 file changed · reloaded todo\n");
}

TEST_F(DevLoopTest, DoesNothingForWhatCameAndWent) {
  save({});
  expectProblems({});
  expectReload();
  EXPECT_EQ(run(), "initial build · reloaded todo\n");
}

TEST_F(DevLoopTest, MakesOneMoreCycleOfWhatChangesDuringOne) {
  expectProblems({});
  EXPECT_CALL(server, reload("todo"))
      .WillOnce([this](const auto&) {
        watcher.steps = {{0, {"a.ts"}}, {0, {"b.ts"}}};
        return Json::object();
      })
      .WillOnce(Return(Json::object()));
  EXPECT_EQ(run(), "initial build · reloaded todo\n2 files changed · reloaded todo\n");
}

TEST_F(DevLoopTest, SaysNothingOfABuildThatCtrlCEnded) {
  manifest(R"({"server":"./server.ts","app":"./app.tsx"})");
  EXPECT_CALL(builder, build(_)).WillOnce([](const auto&) {
    return Error{errc::kAborted, "the build was stopped"};
  });
  EXPECT_EQ(run(), "");
}

TEST_F(DevLoopTest, BuildsWhatTheManifestDeclares) {
  manifest(R"({"server":"./server.ts","app":"./app.tsx","host":"./host.ts"})");
  expectBuild({BuildTarget::kApp, BuildTarget::kHost},
              {built(BuildTarget::kApp, 210), built(BuildTarget::kHost, 30)});
  expectProblems({});
  expectReload();
  EXPECT_EQ(run(), "initial build · rebuilt app in 210ms · rebuilt host in 30ms · reloaded todo\n");
}

TEST_F(DevLoopTest, KeepsThePluginWhenABuildFails) {
  manifest(R"({"server":"./server.ts","app":"./app.tsx"})");
  save({"server.ts"});
  expectBuild({BuildTarget::kApp}, {broken(BuildTarget::kApp, "Expected \")\"")});
  expectProblems({"app app.tsx:3:7: Expected \")\""});
  expectBuild({BuildTarget::kApp}, {built(BuildTarget::kApp, 8)});
  expectProblems({});
  expectReload();
  EXPECT_EQ(run(),
            "initial build · build failed: app.tsx:3:7: Expected \")\" — fix and save to retry\n"
            "1 file changed · rebuilt app in 8ms · reloaded todo\n");
}

TEST_F(DevLoopTest, NamesTheHostBuildThatFails) {
  manifest(R"({"server":"./server.ts","app":"./app.tsx","host":"./host.ts"})");
  expectBuild({BuildTarget::kApp, BuildTarget::kHost},
              {built(BuildTarget::kApp, 5), broken(BuildTarget::kHost, "two\nlines")});
  expectProblems({"host app.tsx:3:7: two\nlines"});
  EXPECT_EQ(run(),
            "initial build · rebuilt app in 5ms · host build failed: app.tsx:3:7: two lines — fix "
            "and save to retry\n");
}

TEST_F(DevLoopTest, ReportsThatNothingCanBeBuilt) {
  manifest(R"({"server":"./server.ts","app":"./app.tsx"})");
  EXPECT_CALL(builder, build(request({BuildTarget::kApp}))).WillOnce([](const auto&) {
    return Error{errc::kUnavailable, "Node.js 20 or newer is needed"};
  });
  expectProblems({"app Node.js 20 or newer is needed"}, Error{errc::kUnavailable, "gone"});
  EXPECT_EQ(
      run(),
      "initial build · build failed: Node.js 20 or newer is needed — fix and save to retry\n");
}

TEST_F(DevLoopTest, ReadsTheManifestInEachCycle) {
  manifest(R"({"name":"no entry"})");
  save({"README.md"});
  const std::string problem =
      "manifest read failed: package.json: svc.server is missing: it names the server entry — fix "
      "and save to retry\n";
  EXPECT_EQ(run(), "initial build · " + problem + "1 file changed · " + problem);
}

TEST_F(DevLoopTest, SaysThatTheManifestCannotBeRead) {
  tree.write("package.json", "{ \"name\"");
  EXPECT_THAT(run(), ::testing::StartsWith(
                         "initial build · manifest read failed: package.json is not valid JSON"));
}

TEST_F(DevLoopTest, GoesOnWithoutAServer) {
  save({"server.ts"});
  expectProblems({}, Error{errc::kUnavailable, "gone"});
  expectReload(Error{errc::kUnavailable, "nothing answers at http://127.0.0.1:4700"});
  // The problems of an earlier run may still be there.
  expectProblems({});
  expectReload();
  EXPECT_EQ(run(),
            "initial build · reload failed: nothing answers at http://127.0.0.1:4700\n"
            "1 file changed · reloaded todo\n");
}

TEST_F(DevLoopTest, SaysOnceThatThePageFailsAndOnceThatItIsOver) {
  manifest(R"({"server":"./server.ts","app":"./app.tsx"})");
  EXPECT_CALL(builder, build(_)).WillOnce([](const auto&) {
    return common::BuildReport{{built(BuildTarget::kApp, 1)}};
  });
  expectProblems({});
  expectReload();
  watcher.looks = 7;
  const auto says = [](const char* text) { return Return(Result<std::string>(text)); };
  EXPECT_CALL(server, windowFailures("todo")).WillRepeatedly(Return(std::vector<std::string>{}));
  EXPECT_CALL(server, uiFailure("todo"))
      .WillOnce(says(""))
      .WillOnce(says("UI failed: oops"))
      .WillOnce(says("UI failed: oops"))
      .WillOnce(Return(Error{errc::kUnavailable, "no server"}))
      .WillOnce(says(""))
      .WillOnce(says(""))
      .WillOnce(says(""));
  EXPECT_EQ(run(),
            "initial build · rebuilt app in 1ms · reloaded todo\n"
            "UI failed: oops — fix and save to retry\n"
            "UI fails no longer\n");
}

TEST_F(DevLoopTest, APageThatStillFailsAfterASaveIsNotToldAgain) {
  manifest(R"({"server":"./server.ts","app":"./app.tsx"})");
  EXPECT_CALL(builder, build(_)).Times(2).WillRepeatedly([](const auto&) {
    return common::BuildReport{{built(BuildTarget::kApp, 1)}};
  });
  expectProblems({});
  expectReload();
  expectReload();
  watcher.steps = {{5000, {"app.tsx"}}};
  watcher.looks = 2;
  const auto says = [](const char* text) { return Return(Result<std::string>(text)); };
  EXPECT_CALL(server, windowFailures("todo")).WillRepeatedly(Return(std::vector<std::string>{}));
  EXPECT_CALL(server, uiFailure("todo"))
      .WillOnce(says("UI failed: oops"))
      .WillOnce(says("UI failed: oops"))
      .WillOnce(says(""))
      .WillOnce(says("UI failed: oops"));
  const auto printed = run();
  EXPECT_EQ(printed.find("UI failed"), printed.rfind("UI failed"));
  EXPECT_EQ(printed.find("no longer"), std::string::npos);
}

TEST_F(DevLoopTest, WhatFailsInAWindowIsToldOnceForEachLoad) {
  using Failures = std::vector<std::string>;
  manifest(R"({"server":"./server.ts","app":"./app.tsx"})");
  EXPECT_CALL(builder, build(_)).Times(2).WillRepeatedly([](const auto&) {
    return common::BuildReport{{built(BuildTarget::kApp, 1)}};
  });
  expectProblems({});
  expectReload();
  expectReload();
  watcher.steps = {{5000, {"app.tsx"}}};
  watcher.looks = 2;
  EXPECT_CALL(server, uiFailure("todo"))
      .WillRepeatedly(Return(Result<std::string>("UI failed in a window: import: no x")));
  EXPECT_CALL(server, windowFailures("todo"))
      .WillOnce(
          Return(Failures{"import: no x", "render: oops\n  at Page", "render: oops\n  at Page"}))
      .WillOnce(Return(Failures{"render: oops\n  at Page"}))
      .WillOnce(Return(Failures{"render: oops\n  at Page"}))
      .WillRepeatedly(Return(Failures{}));
  EXPECT_EQ(run(),
            "initial build · rebuilt app in 1ms · reloaded todo\n"
            "UI failed in a window: import: no x — fix and save to retry\n"
            "error in a window: render: oops   at Page\n"
            "1 file changed · rebuilt app in 1ms · reloaded todo\n"
            "error in a window: render: oops   at Page\n");
}

TEST_F(DevLoopTest, PassesOnWhatTheServerSays) {
  save({"server.ts"});
  expectProblems({});
  expectReload(Error{errc::kUnavailable, "boom (the previous instance is still running)"});
  expectReload(
      Json::object().set("status", "needs-configuration").set("statusDetail", "set\nthe key"));
  EXPECT_EQ(run(),
            "initial build · reload failed: boom (the previous instance is still running)\n"
            "1 file changed · reloaded todo (needs-configuration: set the key)\n");
}

TEST_F(DevLoopTest, SaysOnceAndInOneLineWhyAReloadFailed) {
  save({});
  expectProblems({});
  expectReload(Error{errc::kUnavailable,
                     "reload failed: server.ts:3:7: Expected \";\"\n    let x y\n          ^ (the "
                     "previous instance is still running)"});
  EXPECT_EQ(
      run(),
      "initial build · reload failed: server.ts:3:7: Expected \";\" (the previous instance is "
      "still running)\n");
}

TEST_F(DevLoopTest, ShowsWarningsOfABuildOnce) {
  manifest(R"({"server":"./server.ts","app":"./app.tsx"})");
  save({"app.tsx"});
  auto report = built(BuildTarget::kApp, 1);
  report.warnings = {{.text = "vaul belongs in devDependencies", .file = ""}};
  expectBuild({BuildTarget::kApp}, {report});
  expectProblems({});
  expectReload();
  expectBuild({BuildTarget::kApp}, {report});
  expectReload();
  static_cast<void>(run());
  EXPECT_EQ(err.str(), "svc: warning: vaul belongs in devDependencies\n");
}

TEST_F(DevLoopTest, PrintsJsonLines) {
  json = true;
  save({"server.ts"});
  expectProblems({});
  expectReload();
  expectReload(Error{errc::kUnavailable, "no"});
  EXPECT_EQ(run(),
            "{\"ok\":true,\"line\":\"initial build · reloaded todo\"}\n"
            "{\"ok\":false,\"line\":\"1 file changed · reload failed: no\"}\n");
}

TEST_F(DevLoopTest, APersonSeesThePageAfterEachLoadAndTheLogAfterEachCycle) {
  person = &cockpit;
  save({"server.ts"});
  expectProblems({});
  std::vector<std::string> seen;
  const auto note = [&seen](const std::string& what) {
    if (seen.empty() || seen.back() != what) {
      seen.push_back(what);
    }
  };
  EXPECT_CALL(server, reload("todo"))
      .WillOnce([&](const auto&) {
        note("reload");
        return Json::object();
      })
      .WillOnce([&](const auto&) {
        note("reload");
        return Error{errc::kUnavailable, "boom"};
      });
  EXPECT_CALL(cockpit, loaded()).WillRepeatedly([&] { note("loaded"); });
  EXPECT_CALL(cockpit, look()).WillRepeatedly([&] { note("look"); });
  EXPECT_EQ(run(), "initial build · reloaded todo\n1 file changed · reload failed: boom\n");
  EXPECT_THAT(seen, ElementsAre("reload", "loaded", "look", "reload", "look"));
}

TEST_F(DevLoopTest, APersonAsksForAReloadAndForTheEnd) {
  person = &cockpit;
  watcher.keys = 3;
  EXPECT_CALL(cockpit, attend())
      .WillOnce(Return(IDevCockpit::Wish::kNothing))
      .WillOnce(Return(IDevCockpit::Wish::kReload))
      .WillOnce(Return(IDevCockpit::Wish::kQuit));
  EXPECT_CALL(cockpit, loaded()).Times(2);
  EXPECT_CALL(cockpit, look()).Times(2);
  expectProblems({});
  expectReload();
  expectReload();
  EXPECT_EQ(run(), "initial build · reloaded todo\nasked for · reloaded todo\n");
}

TEST_F(DevLoopTest, APersonHearsOfWindowsFromTheLogAndThatTheyFailNoLonger) {
  person = &cockpit;
  manifest(R"({"server":"./server.ts","app":"./app.tsx"})");
  EXPECT_CALL(builder, build(_)).WillOnce([](const auto&) {
    return common::BuildReport{{built(BuildTarget::kApp, 1)}};
  });
  expectProblems({});
  expectReload();
  EXPECT_CALL(cockpit, loaded());
  // One after the load, and then one each half second.
  EXPECT_CALL(cockpit, look()).Times(1 + 12);
  watcher.looks = 12;
  const auto says = [](const char* text) { return Return(Result<std::string>(text)); };
  EXPECT_CALL(server, uiFailure("todo"))
      .WillOnce(says("UI failed: oops"))
      .WillOnce(says(""))
      .WillOnce(says(""));
  EXPECT_EQ(run(),
            "initial build · rebuilt app in 1ms · reloaded todo\n"
            "UI fails no longer\n");
}

TEST(StartLineTest, NamesOnlyDeclaredEntries) {
  const auto line = [](const char* block) {
    return startLine({"todo", "/p"}, Json::object().set("svc", Json::parse(block).value()));
  };
  EXPECT_EQ(line(R"({"app":"a","host":"h"})"),
            "Watching /p for plugin \"todo\" (frontend + host rebuild + reload on change) — Ctrl+C "
            "to stop.");
  EXPECT_EQ(
      line(R"({"app":"a"})"),
      "Watching /p for plugin \"todo\" (frontend rebuild + reload on change) — Ctrl+C to stop.");
  EXPECT_EQ(line(R"({"host":"h"})"),
            "Watching /p for plugin \"todo\" (host rebuild + reload on change) — Ctrl+C to stop.");
  EXPECT_EQ(line("{}"), "Watching /p for plugin \"todo\" (reload on change) — Ctrl+C to stop.");
}

}  // namespace
}  // namespace svc::client
