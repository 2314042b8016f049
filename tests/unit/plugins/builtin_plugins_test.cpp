#include "builtin_plugins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/builds.h"

#include "fixture.h"

namespace svc::plugins {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kManifest =
    R"({"name":"svc-plugin-author","version":"1.0.0","svc":{"server":"server.ts"}})";

class BuiltinPluginsTest : public ManagerFixture {
 protected:
  BuiltinPluginsTest() { ship(); }

  std::filesystem::path ship(const std::string& place = "share") {
    return writePlugin(place + "/author", kManifest);
  }
  /// A server that starts with what is stored.
  void start(const std::string& wanted = "true", const std::string& place = "share",
             bool safe_mode = false) {
    configure = [this, wanted, place](ManagerSettings& settings) {
      settings.builtin = BuiltinPlugins(directory_.path() / place);
      settings.wanted_builtin = common::Json::parse(wanted).value();
    };
    restart(safe_mode);
    Answer<void> ready;
    manager_->loadAll(2s, ready.completion());
    settle();
  }
  std::vector<PluginRecord> list() {
    Answer<std::vector<PluginRecord>> answer;
    manager_->list(answer.completion());
    settle();
    return answer.value();
  }
  template <class T>
  Answer<T> answered(const Answer<T>& answer) {
    settle();
    return answer;
  }
  Answer<std::vector<std::string>> remove(const std::string& id) {
    Answer<std::vector<std::string>> answer;
    manager_->remove(id, false, answer.completion());
    return answered(answer);
  }
  Answer<PluginRecord> install(const std::string& source) {
    Answer<PluginRecord> answer;
    manager_->install(source, answer.completion());
    return answered(answer);
  }
};

TEST_F(BuiltinPluginsTest, AreNotThereUnlessWanted) {
  start("false");
  EXPECT_THAT(list(), IsEmpty());
  start(R"(["other"])");
  EXPECT_THAT(list(), IsEmpty());
}

TEST_F(BuiltinPluginsTest, AreThereAndEnabledAtTheFirstStartWhenWanted) {
  start(R"(["author"])");
  ASSERT_EQ(list().size(), 1U);
  const auto record = list()[0];
  EXPECT_EQ(record.id, "author");
  EXPECT_EQ(record.source, "builtin:author");
  EXPECT_EQ(record.provenance, "builtin");
  EXPECT_EQ(record.status, PluginStatus::kRunning) << record.status_detail;
  EXPECT_THAT(record.problems, IsEmpty());
  EXPECT_FALSE(record.is_orphaned_builtin);
}

TEST_F(BuiltinPluginsTest, AreInstalledByName) {
  start("false");
  const auto installed = install("builtin:author");
  ASSERT_TRUE(installed.ok());
  EXPECT_EQ(installed.value().status, PluginStatus::kRunning);
  EXPECT_EQ(install("builtin:gone").error().code, errc::kInstallRefused);
  EXPECT_EQ(install("builtin:../author").error().code, errc::kInstallRefused);
}

TEST_F(BuiltinPluginsTest, AreDisabledButNotRemoved) {
  start();
  const auto removed = remove("author");
  EXPECT_EQ(removed.error().code, errc::kBuiltinPlugin);
  EXPECT_THAT(removed.error().message, HasSubstr("svc plugin disable author"));
  Answer<PluginRecord> disabled;
  manager_->setEnabled("author", false, disabled.completion());
  settle();
  EXPECT_EQ(disabled.value().status, PluginStatus::kDisabled);
  start();
  EXPECT_EQ(list()[0].status, PluginStatus::kDisabled) << "a restart does not enable it again";
}

TEST_F(BuiltinPluginsTest, RunInSafeMode) {
  start("true", "share", true);
  EXPECT_EQ(list()[0].status, PluginStatus::kRunning);
}

TEST_F(BuiltinPluginsTest, FollowTheInstallationWithWhatTheyHaveStored) {
  start();
  const auto generation = rows_["author"].generation;
  ship("next");
  start("true", "next");
  EXPECT_EQ(list()[0].root_dir, (directory_.path() / "next/author").string());
  EXPECT_EQ(rows_["author"].generation, generation + 1);
}

TEST_F(BuiltinPluginsTest, OfAnEarlierServiceAreOrphansThatCanBeRemoved) {
  start();
  std::filesystem::remove_all(directory_.path() / "share/author");
  start();
  ASSERT_EQ(list().size(), 1U);
  EXPECT_TRUE(list()[0].is_orphaned_builtin);
  EXPECT_EQ(list()[0].status, PluginStatus::kMissing);
  EXPECT_TRUE(remove("author").ok());
  EXPECT_THAT(list(), IsEmpty());
}

TEST_F(BuiltinPluginsTest, AreIncompatibleWhenTheirFilesAreNotAsShipped) {
  directory_.write("share/author/digests.json", R"({"server.ts":"00"})");
  start();
  EXPECT_EQ(list()[0].status, PluginStatus::kIncompatible);
  EXPECT_THAT(list()[0].status_detail, HasSubstr("server.ts is not as it was shipped"));
}

TEST_F(BuiltinPluginsTest, AreComparedWithTheDigestsTheyCameWith) {
  const auto root = directory_.path() / "share/author";
  EXPECT_EQ(damageOf(root), "");
  directory_.write("share/author/a.md", "hello");
  directory_.write(
      "share/author/digests.json",
      R"({"a.md":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"})");
  EXPECT_EQ(damageOf(root), "");
  directory_.write("share/author/a.md", "hello!");
  EXPECT_EQ(damageOf(root), "a.md is not as it was shipped");
  std::filesystem::remove(root / "a.md");
  EXPECT_EQ(damageOf(root), "a.md is missing");
  directory_.write("share/author/digests.json", "[]");
  EXPECT_EQ(damageOf(root), "digests.json cannot be read");
}

TEST_F(BuiltinPluginsTest, AreLoadedAgainWhenTheirFilesHaveBeenStillForTheDebounceTime) {
  start();
  const auto generation = list()[0].generation;
  manager_->sourcesChanged({"author"});
  advance(limits::kDevDebounce - 1ms);
  manager_->sourcesChanged({"author"});
  advance(limits::kDevDebounce - 1ms);
  EXPECT_EQ(list()[0].generation, generation) << "each change begins the wait again";
  advance(1ms);
  EXPECT_EQ(list()[0].generation, generation + 1);
  advance(1h);
  EXPECT_EQ(list()[0].generation, generation + 1);
  manager_->sourcesChanged({});
  advance(limits::kDevDebounce);
  EXPECT_EQ(list()[0].generation, generation + 2) << "no name stands for any";
}

TEST_F(BuiltinPluginsTest, KeepRunningWhenWhatHasChangedCannotBeLoaded) {
  start();
  directory_.write("share/author/package.json", "{");
  manager_->sourcesChanged({"author"});
  advance(limits::kDevDebounce);
  EXPECT_EQ(list()[0].status, PluginStatus::kRunning);
  EXPECT_THAT(list()[0].status_detail, HasSubstr("reload failed: package.json"));
  ship();
  manager_->sourcesChanged({"author"});
  advance(limits::kDevDebounce);
  EXPECT_EQ(list()[0].status_detail, "");
}

TEST_F(BuiltinPluginsTest, EndWhenTheirFilesAreNoMoreAsShipped) {
  directory_.write("share/author/skills/write/SKILL.md",
                   "---\nname: write\ndescription: Writes\n---\nText");
  start();
  ASSERT_EQ(list()[0].capabilities.size(), 1U);
  EXPECT_EQ(shared_assets_->skills().size(), 1U);
  directory_.write("share/author/digests.json", R"({"server.ts":"00"})");
  manager_->sourcesChanged({"author"});
  advance(limits::kDevDebounce);
  EXPECT_EQ(list()[0].status, PluginStatus::kIncompatible);
  EXPECT_THAT(list()[0].status_detail, HasSubstr("the bundled plugin is damaged: server.ts"));
  EXPECT_TRUE(list()[0].capabilities.empty());
  EXPECT_TRUE(shared_assets_->skills().empty());
  EXPECT_TRUE(loaded_.all().empty());
  std::filesystem::remove(directory_.path() / "share/author/digests.json");
  manager_->sourcesChanged({"author"});
  advance(limits::kDevDebounce);
  EXPECT_EQ(list()[0].status, PluginStatus::kRunning);
  EXPECT_EQ(shared_assets_->skills().size(), 1U);
}

TEST_F(BuiltinPluginsTest, AreLeftAloneByChangesWhenDisabledOrOfAnotherSource) {
  start();
  install(
      writePlugin("mine",
                  R"({"name":"svc-plugin-mine","version":"1.0.0","svc":{"server":"server.ts"}})")
          .string());
  Answer<PluginRecord> disabled;
  manager_->setEnabled("author", false, disabled.completion());
  settle();
  const auto before = runtime_.environments.size();
  manager_->sourcesChanged({"author", "mine", "gone"});
  advance(limits::kDevDebounce);
  EXPECT_EQ(runtime_.environments.size(), before);
}

TEST_F(BuiltinPluginsTest, HaveTheirIdsToThemselves) {
  start("false");
  const auto refused = install(writePlugin("mine", kManifest).string());
  EXPECT_THAT(refused.error().details, HasSubstr("reserved_id"));
}

TEST_F(BuiltinPluginsTest, LeaveAPluginAloneThatHadTheIdBefore) {
  writePlugin("author", kManifest);
  addRow("author");
  start();
  ASSERT_EQ(list().size(), 1U);
  EXPECT_EQ(list()[0].provenance, "direct");
}

TEST(BuiltinPluginsNamesTest, AreDirectoriesWithAPackage) {
  const svc::test::TempDirectory directory;
  directory.write("b/package.json", "{}");
  directory.write("a/package.json", "{}");
  directory.write("c/readme.md", "");
  const BuiltinPlugins builtins(directory.path());
  EXPECT_THAT(builtins.names(), ElementsAre("a", "b"));
  EXPECT_EQ(builtins.directoryOf("a"), directory.path() / "a");
  EXPECT_EQ(builtins.directoryOf("../a"), "");
  EXPECT_EQ(BuiltinPlugins().directoryOf("a"), "");
}

}  // namespace
}  // namespace svc::plugins
