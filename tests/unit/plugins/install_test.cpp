#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

#include "fixture.h"
#include "install_source.h"

namespace svc::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace fs = std::filesystem;

std::string reasonOf(const Error& error) {
  return common::Json::parse(error.details).value()["reason"].asString();
}

TEST(SourceDirectoryTest, AcceptsTheFormsOfAPath) {
  EXPECT_EQ(sourceDirectory("/a/b", "").value(), "/a/b");
  EXPECT_EQ(sourceDirectory("path:/a/b/", "").value(), "/a/b");
  EXPECT_EQ(sourceDirectory("/a/./c/../b", "").value(), "/a/b");
  EXPECT_EQ(sourceDirectory("~/b", "/home/me").value(), "/home/me/b");
  EXPECT_EQ(sourceDirectory("path:~", "/home/me").value(), "/home/me");
}

TEST(SourceDirectoryTest, RefusesWhatTheServerCannotResolve) {
  for (const auto* source : {"./todo", "todo", "path:todo", "", "path:", "~someone/x"}) {
    const auto out = sourceDirectory(source, "/home/me");
    ASSERT_FALSE(out) << source;
    EXPECT_EQ(out.error().code, errc::kInstallRefused) << source;
  }
  EXPECT_THAT(sourceDirectory("./todo", "").error().message, HasSubstr("give the absolute path"));
}

TEST(SourceDirectoryTest, NamesOtherKindsAsNotSupported) {
  for (const auto* source : {"npm:left-pad", "git:x", "https://example.org/x.git", "builtin:x"}) {
    EXPECT_EQ(sourceDirectory(source, "").error().code, errc::kNotSupported) << source;
  }
}

class InstallTest : public ManagerFixture {
 protected:
  Error refusal(const std::string& source) {
    Answer<PluginRecord> answer;
    manager_->install(source, answer.completion());
    settle();
    EXPECT_TRUE(answer.fired() && !answer.ok());
    return answer.error();
  }
  Answer<std::vector<std::string>> remove(bool purge = false) {
    Answer<std::vector<std::string>> answer;
    manager_->remove("todo", purge, answer.completion());
    settle();
    return answer;
  }
};

TEST_F(InstallTest, WritesTheRowBeforeItLoads) {
  holdFactories();
  Answer<PluginRecord> answer;
  manager_->install("path:" + writePlugin().string(), answer.completion());
  settle();
  ASSERT_TRUE(rows_.contains("todo"));
  EXPECT_EQ(rows_.at("todo").source, "path:" + (directory_.path() / "todo").string());
  EXPECT_EQ(rows_.at("todo").source_kind, "path");
  EXPECT_FALSE(answer.fired());
  (*held_factories_.at(0))(std::string());
  settle();
  EXPECT_EQ(answer.value().status, PluginStatus::kRunning);
}

TEST_F(InstallTest, InstalledIsNotRunning) {
  failFactories("boom");
  EXPECT_EQ(installTodo().status, PluginStatus::kError);
  EXPECT_TRUE(rows_.contains("todo"));
}

TEST_F(InstallTest, ARowThatCannotBeWrittenInstallsNothing) {
  ON_CALL(store_, put).WillByDefault([](const auto&) {
    return Status(Error{errc::kUnavailable, "disk full"});
  });
  EXPECT_EQ(refusal(writePlugin().string()).message, "disk full");
  Answer<std::vector<PluginRecord>> list;
  manager_->list(list.completion());
  settle();
  EXPECT_THAT(list.value(), IsEmpty());
}

TEST_F(InstallTest, RefusesWithAReason) {
  EXPECT_EQ(reasonOf(refusal((directory_.path() / "nowhere").string())), "not_found");
  fs::create_directory(directory_.path() / "empty");
  EXPECT_EQ(reasonOf(refusal((directory_.path() / "empty").string())), "no_manifest");
  EXPECT_EQ(reasonOf(refusal(writePlugin("plain", R"({"name":"x","version":"1"})").string())),
            "no_manifest");
  EXPECT_EQ(reasonOf(refusal(
                writePlugin("escape", R"({"name":"x","version":"1","svc":{"server":"../s.ts"}})")
                    .string())),
            "path_escape");
  EXPECT_EQ(reasonOf(refusal(
                writePlugin("entry", R"({"name":"x","version":"1","svc":{"server":"none.ts"}})")
                    .string())),
            "not_found");
  EXPECT_EQ(reasonOf(refusal(
                writePlugin("taken", R"({"name":"rpc","version":"1","svc":{"server":"server.ts"}})")
                    .string())),
            "reserved_id");
  EXPECT_THAT(rows_, IsEmpty());
}

TEST_F(InstallTest, AnInspectionFindsWhatAnInstallAndALoadRefuse) {
  const auto inspected = [this](const std::string& source) {
    Answer<Inspection> answer;
    manager_->inspect(source, answer.completion());
    settle();
    return answer.value();
  };
  const auto manifest = [](const std::string& name, const std::string& svc,
                           const std::string& more = "") {
    return fmt::format(R"({{"name":"{}","version":"dev","svc":{{"server":"server.ts"{}}}{}}})",
                       name, svc, more);
  };
  struct Case {
    std::string source;
    const char* problem;
  };
  const auto cases = std::vector<Case>{
      {(directory_.path() / "nowhere").string(), "plugin directory not found"},
      {"./todo", "give the absolute path"},
      {writePlugin("a", "{").string(), "package.json is not valid JSON"},
      {writePlugin("b", manifest("rpc", "")).string(), R"(the id "rpc" is reserved)"},
      {writePlugin("c", manifest("c", "", R"(,"engines":{"svc":">=99"})")).string(),
       "needs svc >=99"},
      {writePlugin("d", manifest("d", R"(,"branding":{"icon":"./no.svg"})")).string(), "no.svg"},
      {writePlugin("e", manifest("e", R"(,"app":"none.tsx")")).string(), "none.tsx"},
  };
  for (const auto& [source, problem] : cases) {
    EXPECT_THAT(inspected(source).problems, ElementsAre(HasSubstr(problem))) << source;
  }
  const auto fine = writePlugin("tea", manifest("svc-plugin-tea", R"(,"skilz":[])"));
  directory_.write("tea/skills/brew/SKILL.md", "# Brew");
  const auto found = inspected(fine.string());
  EXPECT_EQ(found.id, "tea");
  EXPECT_THAT(found.problems, IsEmpty());
  EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("svc.skilz: unknown key"),
                                          HasSubstr("skill skills/brew is skipped")));
  EXPECT_THAT(rows_, IsEmpty());
  addRow("tea");
  rows_["tea"].source_kind = "npm";
  restart();
  EXPECT_THAT(inspected(fine.string()).problems,
              ElementsAre(HasSubstr("plugin \"tea\" is installed from")));
}

TEST_F(InstallTest, AnIdOfAnotherKindOfSourceIsInUse) {
  addRow("todo");
  rows_.at("todo").source_kind = "npm";
  restart();
  EXPECT_EQ(reasonOf(refusal(writePlugin().string())), "id_in_use");
}

TEST_F(InstallTest, AnInstalledIdFromAnotherPathIsAMove) {
  installTodo();
  const auto moved = install(writePlugin("elsewhere"));
  EXPECT_EQ(moved.root_dir, (directory_.path() / "elsewhere").string());
  EXPECT_EQ(moved.generation, 2U);
  EXPECT_EQ(moved.status, PluginStatus::kRunning);
  EXPECT_TRUE(environment(0).ended());
  EXPECT_THAT(rows_, SizeIs(1));
}

TEST_F(InstallTest, TwoInstallsOfOneIdDoNotCollide) {
  const auto root = writePlugin();
  Answer<PluginRecord> first;
  Answer<PluginRecord> second;
  manager_->install(root.string(), first.completion());
  manager_->install(root.string(), second.completion());
  settle();
  EXPECT_EQ(first.value().generation, 1U);
  EXPECT_EQ(second.value().generation, 2U);
}

TEST_F(InstallTest, AHangingLoadDoesNotBlockTheNextInstall) {
  holdFactories();
  Answer<PluginRecord> hanging;
  manager_->install(writePlugin().string(), hanging.completion());
  settle();
  passFactories();
  const auto other = install(
      writePlugin("other", R"({"name":"other","version":"1.0.0","svc":{"server":"server.ts"}})"));
  EXPECT_EQ(other.status, PluginStatus::kRunning);
  EXPECT_FALSE(hanging.fired());
}

TEST_F(InstallTest, RemovingDisposesAndSaysWhatItKept) {
  installTodo();
  directory_.write("data/plugins/todo/data.db", std::string(1'200'000, 'x'));
  directory_.write("data/plugins/todo/secrets/key", "x");
  ON_CALL(kv_, list).WillByDefault(
      [](std::string, std::string, Completion<std::vector<std::string>> done) {
        done(std::vector<std::string>(12, "k"));
      });
  ON_CALL(threads_, threadsWithMetadata("todo")).WillByDefault(::testing::Return(std::size_t{3}));
  EXPECT_THAT(remove().value(),
              ElementsAre("kv: 12 keys", "thread metadata: 3 threads", "data.db: 1.2 MB", "logs"));
  EXPECT_THAT(rows_, IsEmpty());
  EXPECT_TRUE(environment(0).ended());
  EXPECT_EQ(acquire().error().code, errc::kUnknownPlugin);
  EXPECT_FALSE(fs::exists(directory_.path() / "data/plugins/todo/secrets"));
  EXPECT_TRUE(fs::exists(directory_.path() / "data/plugins/todo/data.db"));
  EXPECT_TRUE(fs::exists(directory_.path() / "todo/server.ts"))
      << "files of a path source are never touched";
}

TEST_F(InstallTest, PurgingKeepsNothing) {
  installTodo();
  EXPECT_CALL(kv_, clear("todo", ::testing::_));
  EXPECT_CALL(threads_,
              apply(::testing::Field(&storage::ThreadChange::gone_metadata, ElementsAre("todo"))))
      .WillOnce(::testing::Return(true));
  EXPECT_THAT(remove(true).value(), IsEmpty());
  EXPECT_FALSE(fs::exists(directory_.path() / "data/plugins/todo"));
}

TEST_F(InstallTest, NothingOnMachinesIsSaidToBeGone) {
  for (const bool purge : {false, true}) {
    directory_.write("todo/host.ts", "");
    install(writePlugin(
        "todo",
        R"({"name":"todo","version":"1.0.0","svc":{"server":"server.ts","host":"host.ts"}})"));
    EXPECT_THAT(remove(purge).value(),
                ::testing::Contains(::testing::HasSubstr("plugin-data/todo")));
  }
}

TEST_F(InstallTest, ReinstallingFindsTheKeptLog) {
  installTodo();
  static_cast<void>(remove());
  installTodo();
  EXPECT_THAT(logMessages(),
              ElementsAre("loaded Todo 1.0.0 in 0 ms", "disposed", "loaded Todo 1.0.0 in 0 ms"));
}

TEST_F(InstallTest, ARowThatCannotBeRemovedKeepsThePlugin) {
  installTodo();
  ON_CALL(store_, remove).WillByDefault([](const auto&) {
    return Status(Error{errc::kUnavailable, "disk full"});
  });
  EXPECT_EQ(remove().error().message, "disk full");
  EXPECT_EQ(record().status, PluginStatus::kError);
  EXPECT_THAT(record().status_detail, HasSubstr("could not be removed: disk full"));
}

class InstallHooksTest : public ManagerFixture {
 protected:
  InstallHooksTest() {
    runtime_.handle("plugin.load", [this](const script::Invocation&, Completion<std::string> done) {
      static_cast<void>(
          runtime_.latest().hostSync("core.register", R"({"kind":"install","value":true})"));
      done(std::string());
    });
  }
};

TEST_F(InstallHooksTest, TheInstallationWaitsForThem) {
  Answer<PluginRecord> answer;
  manager_->install(writePlugin().string(), answer.completion());
  settle();
  EXPECT_THAT(calls(environment(0)),
              ::testing::ElementsAre("plugin.load", "plugin.runInstallHooks"));
  EXPECT_FALSE(answer.fired());
  EXPECT_TRUE(acquire().ok()) << "the plugin runs already";
  environment(0).answer("plugin.runInstallHooks", std::string());
  settle();
  EXPECT_EQ(answer.value().status, PluginStatus::kRunning);
}

TEST_F(InstallHooksTest, TheyAreBoundedAndTheInstallationSucceeds) {
  using namespace std::chrono_literals;
  Answer<PluginRecord> answer;
  manager_->install(writePlugin().string(), answer.completion());
  advance(limits::kOnInstall - 1ms);
  EXPECT_FALSE(answer.fired());
  advance(1ms);
  EXPECT_EQ(answer.value().status, PluginStatus::kRunning);
  EXPECT_THAT(logMessages(), ::testing::Contains(::testing::HasSubstr(
                                 "did not finish within 30000 ms (limit onInstall)")));
}

TEST_F(InstallHooksTest, TheyDoNotRunForAPluginThatIsInstalledAlready) {
  addRow("todo");
  writePlugin();
  restart();
  install(directory_.path() / "todo");
  static_cast<void>(reload());
  for (const auto& each : runtime_.environments) {
    EXPECT_THAT(calls(*each), ::testing::Not(::testing::Contains("plugin.runInstallHooks")));
  }
}

}  // namespace
}  // namespace svc::plugins
