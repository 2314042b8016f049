#include "svc/plugins/managed_plugins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "fixture.h"

namespace svc::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string managedReasonOf(const Error& error) {
  return common::Json::parse(error.details).value()["reason"].asString();
}

class ManagedPluginsTest : public ManagerFixture {
 protected:
  storage::PluginRow row(const std::string& identity = "npm:svc-plugin-todo") {
    storage::PluginRow out;
    out.id = "todo";
    out.source = identity + "@^1";
    out.source_kind = "npm";
    out.root_dir = writePlugin().string();
    out.version = "1.0.0";
    out.source_detail = common::Json::object()
                            .set("identity", identity)
                            .set("range", "^1")
                            .set("resolvedRegistry", "https://registry.example")
                            .dump();
    out.resolved = "npm:svc-plugin-todo@1.0.0";
    out.integrity = "sha512-x";
    out.installed_at = 5;
    out.updated_at = 6;
    return out;
  }
  Result<PluginRecord> install(const storage::PluginRow& what) {
    Answer<PluginRecord> answer;
    managed().install(what, answer.completion());
    settle();
    EXPECT_TRUE(answer.fired());
    return answer.ok() ? Result<PluginRecord>(answer.value())
                       : Result<PluginRecord>(answer.error());
  }
  IManagedPlugins& managed() { return *manager_; }
};

TEST_F(ManagedPluginsTest, RegistersAndLoadsARow) {
  const auto record = install(row());
  ASSERT_TRUE(record.ok()) << record.error().message;
  EXPECT_EQ(record.value().status, PluginStatus::kRunning);
  EXPECT_EQ(record.value().source_display, "npm:svc-plugin-todo@^1");
  EXPECT_EQ(rows_.at("todo").resolved, "npm:svc-plugin-todo@1.0.0");
  Answer<storage::PluginRow> found;
  managed().row("todo", found.completion());
  settle();
  EXPECT_EQ(found.value().source_kind, "npm");
}

TEST_F(ManagedPluginsTest, InstalledIsNotRunning) {
  failFactories("boom");
  EXPECT_EQ(install(row()).value().status, PluginStatus::kError);
  EXPECT_TRUE(rows_.contains("todo"));
}

TEST_F(ManagedPluginsTest, TheSameSourceIsAnUpdateAndAnotherOneIsRefused) {
  ASSERT_TRUE(install(row()).ok());
  EXPECT_EQ(managedReasonOf(install(row()).error()), "use_update");
  EXPECT_EQ(managedReasonOf(install(row("npm:other")).error()), "id_in_use");
  Answer<void> answer;
  managed().check(row(), answer.completion());
  settle();
  EXPECT_EQ(managedReasonOf(answer.error()), "use_update");
}

TEST_F(ManagedPluginsTest, AnotherTarballOfThePluginIsAnUpdate) {
  auto first = row("tarball:/a.tgz");
  auto second = row("tarball:/b.tgz");
  first.source_kind = second.source_kind = "tarball";
  ASSERT_TRUE(install(first).ok());
  const auto refused = install(second);
  EXPECT_EQ(managedReasonOf(refused.error()), "use_update");
  EXPECT_EQ(common::Json::parse(refused.error().details).value()["pluginId"].asString(), "todo");
}

TEST_F(ManagedPluginsTest, ADirectoryAndAPackageDoNotShareAnId) {
  installTodo();
  EXPECT_EQ(managedReasonOf(install(row()).error()), "id_in_use");
}

TEST_F(ManagedPluginsTest, ReservedIdsAreRefused) {
  for (const auto* id : {"reload", "svc--x", "cache", "snapshots", "toolchain-1"}) {
    auto reserved = row();
    reserved.id = id;
    EXPECT_EQ(managedReasonOf(install(reserved).error()), "reserved_id") << id;
    EXPECT_TRUE(managed().isReserved(id));
  }
  EXPECT_FALSE(managed().isReserved("todo"));
}

TEST_F(ManagedPluginsTest, SafeModeHoldsInstalls) {
  Answer<SafeModeState> on;
  manager_->setSafeMode(true, on.completion());
  settle();
  EXPECT_EQ(install(row()).error().code, errc::kSafeMode);
}

TEST_F(ManagedPluginsTest, ShowsWhereARowComesFrom) {
  auto managed_row = row();
  managed_row.history = R"([{"version":"0.9.0","resolved":"npm:svc-plugin-todo@0.9.0","at":1}])";
  ASSERT_TRUE(install(managed_row).ok());
  Answer<SourceDetail> answer;
  manager_->source("todo", answer.completion());
  settle();
  const auto& detail = answer.value();
  EXPECT_EQ(detail.resolved, "npm:svc-plugin-todo@1.0.0");
  EXPECT_EQ(detail.range, "^1");
  EXPECT_EQ(detail.registry, "https://registry.example");
  EXPECT_EQ(detail.integrity, "sha512-x");
  ASSERT_EQ(detail.history.size(), 2U);
  EXPECT_EQ(detail.history[0].version, "1.0.0");
  EXPECT_EQ(detail.history[1].version, "0.9.0");
}

TEST_F(ManagedPluginsTest, ARecordNamesItsMarketplace) {
  auto listed = row();
  listed.provenance = "catalog";
  listed.source_detail =
      R"({"identity":"npm:x","catalog":{"entryId":"todo","marketplace":"acme","publisher":"Ann"}})";
  const auto record = install(listed).value();
  EXPECT_EQ(record.publisher_label, "Ann");
  EXPECT_EQ(toJson(record)["catalogMarketplaceName"].asString(), "acme");
}

TEST_F(ManagedPluginsTest, WhatAMarketplaceListedStaysWithoutIt) {
  auto listed = row();
  listed.provenance = "catalog";
  listed.source_detail =
      R"({"identity":"npm:x","catalog":{"entryId":"todo","marketplace":"acme","publisher":"Ann"}})";
  static_cast<void>(install(listed));
  const auto detach = [this](const char* marketplace) {
    Answer<std::vector<std::string>> answer;
    managed().detach(marketplace, answer.completion());
    settle();
    return answer.value();
  };
  EXPECT_THAT(detach("other"), IsEmpty());
  EXPECT_EQ(rows_.at("todo").provenance, "catalog");
  EXPECT_THAT(detach("acme"), ElementsAre("todo"));
  EXPECT_EQ(rows_.at("todo").provenance, "direct");
  EXPECT_EQ(rows_.at("todo").source_detail, R"({"identity":"npm:x"})");
  const auto record = toJson(this->record("todo"));
  EXPECT_EQ(record["provenance"].asString(), "direct");
  EXPECT_EQ(record.find("catalogEntryId"), nullptr);
  EXPECT_THAT(detach("acme"), IsEmpty());
}

TEST_F(ManagedPluginsTest, ReadsWhatAPackageSaysAndRunsNothingOfIt) {
  const auto root = writePlugin();
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  };
  write("package.json", R"({"name":"svc-plugin-todo","version":"1.0.0","svc":{"server":"server.ts",
    "description":"A list.","branding":{"icon":"ListTodo"},
    "themes":[{"id":"paper","name":"Paper","css":"./gone.css"}]}})");
  write("skills/todos/SKILL.md", "---\nname: todos\ndescription: When asked.\n---\nDo it.\n");
  write("PLUGIN_OVERVIEW.md", "What it is.");
  const auto read = managed().readPackage(root);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const auto& contents = read.value();
  EXPECT_EQ(contents.manifest.id, "todo");
  EXPECT_EQ(contents.description, "A list.");
  EXPECT_EQ(contents.icon, "ListTodo");
  EXPECT_EQ(contents.overview, "What it is.");
  ASSERT_EQ(contents.capabilities.size(), 1U);
  EXPECT_EQ(contents.capabilities[0].kind, "skill");
  EXPECT_EQ(contents.capabilities[0].detail, "When asked.");
  ASSERT_EQ(contents.problems.size(), 1U);
  EXPECT_EQ(contents.problems[0].code, "invalid_theme");

  write("logo.svg", "<svg><script/></svg>");
  write("package.json", R"({"name":"svc-plugin-todo","version":"1.0.0","svc":{"server":"server.ts",
    "branding":{"logo":{"light":"./logo.svg"}}}})");
  EXPECT_EQ(managed().readPackage(root).value().problems[0].code, "invalid_branding");
  EXPECT_EQ(managedReasonOf(managed().readPackage("/no/such/directory").error()), "not_found");
}

TEST_F(ManagedPluginsTest, ReadsManifests) {
  const auto summary = managed().readManifest(writePlugin());
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary.value().id, "todo");
  EXPECT_EQ(summary.value().package_name, "svc-plugin-todo");
  EXPECT_EQ(managedReasonOf(managed().readManifest("/no/such/directory").error()), "not_found");
  EXPECT_EQ(managedReasonOf(managed().parseManifest("{}").error()), "no_manifest");
  EXPECT_EQ(managedReasonOf(
                managed()
                    .parseManifest(R"({"name":"x","version":"1.0.0","svc":{"server":"../x.ts"}})")
                    .error()),
            "path_escape");
}

TEST_F(ManagedPluginsTest, ComparesEngines) {
  EXPECT_EQ(managed().incompatibility("", ""), "");
  EXPECT_EQ(managed().incompatibility("^0.43.0", "^0.4.0"), "");
  EXPECT_THAT(managed().incompatibility(">=99", ""), HasSubstr(">=99"));
  EXPECT_THAT(managed().incompatibility("", ">=99"), HasSubstr("SDK"));
}

}  // namespace
}  // namespace svc::plugins
