#include "packages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "digests.h"
#include "fakes/fake_clock.h"
#include "fakes/fake_managed_plugins.h"
#include "package_archive.h"
#include "repository.h"

namespace svc::installs {
namespace {

namespace fs = std::filesystem;
using common::Json;
using ::testing::HasSubstr;

/// Builds at once, on the calling thread.
class FakeBuilder : public IBundleBuilder {
 public:
  void build(fs::path root, Completion<void> done) override {
    ++builds;
    dist_existed = fs::exists(root / "dist");
    if (failure) {
      done(*failure);
      return;
    }
    const auto parsed = Json::parse(readFile(root / "package.json"));
    const auto meta = Json::object()
                          .set("artifactFormatVersion", 1)
                          .set("pluginId", parsed.value()["name"].asString())
                          .set("pluginVersion", parsed.value()["version"].asString())
                          .dump();
    fs::create_directories(root / "dist");
    std::ofstream(root / "dist" / "app.js") << "built";
    std::ofstream(root / "dist" / "app.meta.json") << meta;
    done({});
  }
  int builds = 0;
  bool dist_existed = false;
  std::optional<Error> failure;
};

std::string reasonOf(const Error& error) {
  const auto details = Json::parse(error.details);
  return details ? details.value()["reason"].asString() : "";
}

class PackagesTest : public ::testing::Test {
 protected:
  PackagesTest() {
    repository_.files.write("package.json", manifest("todo", "1.0.0"));
    repository_.files.write("server.js", "export default () => {}");
    repository_.commit();
  }

  ManagedSource source(const std::string& spec = "", const Selection& selection = {}) {
    auto parsed = parseSource("git:" + repository_.url() + spec, selection, "");
    EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().message);
    return {std::move(parsed).value()};
  }
  Result<Packages::Staged> stage(const ManagedSource& from, const std::string& id = "") {
    auto offer = packages_.offer(from, {});
    if (!offer) {
      return std::move(offer).error();
    }
    return packages_.stage(*offer.value().compatible, {.id = id, .package_name = package_name_}, {},
                           [this](const std::string& step) { steps_.push_back(step); });
  }
  storage::PluginRow staged(const ManagedSource& from) {
    auto out = stage(from);
    EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message);
    return out ? out.value().row : storage::PluginRow{};
  }
  /// What is in the repository now, as a package.
  void pack(const fs::path& tarball) {
    ASSERT_TRUE(processes_
                    .run({.argv = {"tar", "--exclude=.git", "-czf", tarball.string(), "-C",
                                   repository_.files.path().parent_path().string(),
                                   repository_.files.path().filename().string()},
                          .directory = data_.path()},
                         {})
                    .ok());
  }
  std::string stageRefusal(const ManagedSource& from) {
    auto out = stage(from);
    EXPECT_FALSE(out.ok());
    return out ? "" : reasonOf(out.error());
  }

  Repository repository_;
  TempDir data_;
  test::FakeClock clock_;
  test::FakeManagedPlugins plugins_;
  Processes processes_;
  FakeBuilder builder_;
  Cache cache_{data_.path() / "cache", clock_, silentLog()};
  Packages packages_{processes_, cache_, plugins_, &builder_, data_.path() / "examples"};
  std::vector<std::string> steps_;
  std::string package_name_;
};

TEST_F(PackagesTest, OffersTheHeadOfTheDefaultBranch) {
  auto offer = packages_.offer(source(), {});
  ASSERT_TRUE(offer.ok()) << offer.error().message;
  const auto& located = *offer.value().compatible;
  EXPECT_EQ(located.version, "1.0.0");
  EXPECT_EQ(located.resolved, "git:" + repository_.url() + "@" + repository_.head());
  EXPECT_FALSE(isPinned(located));
  EXPECT_FALSE(offer.value().blocked);
}

TEST_F(PackagesTest, StagesACommitWithoutItsHistory) {
  const auto row = staged(source());
  EXPECT_EQ(row.id, "todo");
  EXPECT_EQ(row.source_kind, "git");
  EXPECT_EQ(row.commit_sha, repository_.head());
  EXPECT_THAT(row.root_dir, HasSubstr("/cache/git/local/"));
  EXPECT_TRUE(row.root_dir.ends_with(repository_.head()));
  EXPECT_EQ(readFile(fs::path(row.root_dir) / "server.js"), "export default () => {}");
  EXPECT_FALSE(fs::exists(fs::path(row.root_dir) / ".git"));
  EXPECT_EQ(firstDifference(row.root_dir, digestsFromJson(row.digests).value()).value(), "");
  EXPECT_THAT(steps_, ::testing::ElementsAre(HasSubstr("downloading"), "installing dependencies",
                                             "verifying"));
  EXPECT_TRUE(fs::is_empty(data_.path() / "cache" / ".staging"));
}

TEST_F(PackagesTest, TheSameCommitIsStagedOnce) {
  EXPECT_EQ(staged(source()).root_dir, staged(source("@main")).root_dir);
}

TEST_F(PackagesTest, ARangeOffersTheNewestVersionThatRunsHere) {
  repository_.tag("v1.0.0");
  repository_.files.write("package.json", manifest("todo", "1.1.0"));
  repository_.commit();
  repository_.tag("v1.1.0");
  repository_.files.write("package.json", manifest("todo", "1.2.0", "", ">=99"));
  repository_.commit();
  repository_.tag("v1.2.0");
  auto offer = packages_.offer(source("@semver:^1"), {});
  ASSERT_TRUE(offer.ok()) << offer.error().message;
  EXPECT_EQ(offer.value().compatible->version, "1.1.0");
  EXPECT_EQ(offer.value().compatible->git.name, "v1.1.0");
  EXPECT_EQ(offer.value().blocked->version, "1.2.0");
  EXPECT_THAT(offer.value().blocked_reasons, ::testing::ElementsAre("needs svc >=99"));
}

TEST_F(PackagesTest, TagsAndCommitsArePinned) {
  repository_.tag("v1.0.0");
  EXPECT_TRUE(isPinned(*packages_.offer(source("@v1.0.0"), {}).value().compatible));
  EXPECT_TRUE(isPinned(*packages_.offer(source("@" + repository_.head()), {}).value().compatible));
  EXPECT_EQ(staged(source("@v1.0.0")).resolved_tag, "v1.0.0");
}

TEST_F(PackagesTest, StagesAPluginOfASubdirectory) {
  repository_.files.write("plugins/notes/package.json", manifest("notes", "2.0.0"));
  repository_.files.write("plugins/notes/server.js", "");
  repository_.commit();
  const auto row = staged(source("", {Selection::Kind::kSubdirectory, "plugins/notes", ""}));
  EXPECT_EQ(row.id, "notes");
  EXPECT_TRUE(row.root_dir.ends_with("/plugins/notes"));
  EXPECT_NE(staged(source()).root_dir + "/plugins/notes", row.root_dir);
}

TEST_F(PackagesTest, FindsAPluginInTheListOfItsRepository) {
  repository_.files.write("plugins/notes/package.json", manifest("notes", "2.0.0"));
  repository_.files.write("plugins/notes/server.js", "");
  repository_.files.write(".svc/plugins.json", R"({"schemaVersion":1,"name":"x","plugins":[)"
                                               R"({"name":"notes","source":"./plugins/notes"},)"
                                               R"({"name":"evil","source":"../.."}]})");
  repository_.commit();
  EXPECT_EQ(staged(source("", {Selection::Kind::kEntry, "notes", ""})).id, "notes");
  EXPECT_EQ(stageRefusal(source("", {Selection::Kind::kEntry, "evil", ""})), "path_escape");
  auto unknown = packages_.offer(source("", {Selection::Kind::kEntry, "other", ""}), {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, HasSubstr("notes"));
}

TEST_F(PackagesTest, ARepositoryWithoutAPluginAtItsRootHasToBeChosenFrom) {
  repository_.files.write("package.json", R"({"name":"all","private":true})");
  repository_.files.write("plugins/notes/package.json", manifest("notes", "2.0.0"));
  repository_.files.write(".svc/plugins.json",
                          R"({"plugins":[{"name":"notes","source":"./plugins/notes"}]})");
  repository_.commit();
  const auto seen = packages_.look(source(), {});
  ASSERT_TRUE(seen.ok()) << seen.error().message;
  EXPECT_FALSE(seen.value().compatible->manifest);
  EXPECT_EQ(seen.value().compatible->listed.front().name, "notes");
  const auto refused = packages_.offer(source(), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(reasonOf(refused.error()), "no_manifest");
  EXPECT_THAT(refused.error().details, HasSubstr(R"("entries":["notes"])"));
  const auto located = packages_.locate(source(), seen.value().compatible->resolved, {});
  ASSERT_FALSE(located.ok());
  EXPECT_EQ(reasonOf(located.error()), "no_manifest");
  EXPECT_EQ(packages_.look(source("", {Selection::Kind::kEntry, "notes", ""}), {})
                .value()
                .compatible->listed,
            std::vector<ListedPlugin>());
}

TEST_F(PackagesTest, APluginAtTheRootIsThereWhateverTheListSays) {
  repository_.files.write(".svc/plugins.json", "{");
  repository_.commit();
  EXPECT_EQ(staged(source()).id, "todo");
  repository_.files.write(".svc/plugins.json",
                          R"({"plugins":[{"name":"notes","source":"./plugins/notes"}]})");
  repository_.commit();
  const auto offer = packages_.offer(source(), {});
  EXPECT_EQ(offer.value().compatible->manifest->id, "todo");
  EXPECT_EQ(offer.value().compatible->listed.size(), 1U);
}

TEST_F(PackagesTest, RefusesWhatIsNoPlugin) {
  repository_.files.write("package.json", "{}");
  repository_.commit();
  EXPECT_EQ(stageRefusal(source()), "no_manifest");
  EXPECT_EQ(stageRefusal(source("@no-such-branch")), "not_found");
  EXPECT_EQ(stageRefusal(source("", {Selection::Kind::kSubdirectory, "nowhere", ""})),
            "no_manifest");
}

TEST_F(PackagesTest, AnUnreachableRepositoryIsUnavailable) {
  const auto offer =
      packages_.offer({parseSource("git:https://127.0.0.1:1/x.git", {}, "").value()}, {});
  ASSERT_FALSE(offer.ok());
  EXPECT_EQ(offer.error().code, errc::kUnavailable);
}

TEST_F(PackagesTest, AnAddressWithoutARepositoryIsNotFound) {
  const auto offer =
      packages_.offer({parseSource("git:file:///no/such/repository", {}, "").value()}, {});
  ASSERT_FALSE(offer.ok());
  EXPECT_EQ(offer.error().code, errc::kInstallRefused);
  EXPECT_EQ(common::Json::parse(offer.error().details).value()["reason"].asString(), "not_found");
  EXPECT_EQ(
      offer.error().message,
      "there is no git repository at file:///no/such/repository: fatal: '/no/such/repository' "
      "does not appear to be a git repository\nfatal: Could not read from remote repository.");
}

TEST_F(PackagesTest, RefusesALinkThatLeavesThePlugin) {
  fs::create_symlink("/etc/passwd", repository_.files.path() / "secrets");
  repository_.commit();
  EXPECT_EQ(stageRefusal(source()), "path_escape");
}

TEST_F(PackagesTest, RefusesATagThatMoved) {
  repository_.tag("v1.0.0");
  const auto row = staged(source("@v1.0.0"));
  EXPECT_TRUE(packages_.checkTag(row, {}).ok());
  repository_.commit("other");
  repository_.tag("v1.0.0", true);
  const auto moved = packages_.checkTag(row, {});
  ASSERT_FALSE(moved.ok());
  EXPECT_EQ(reasonOf(moved.error()), "tag_moved");
}

TEST_F(PackagesTest, BuildsTheBundlesOfAGitSource) {
  repository_.files.write("package.json", manifest("todo", "1.0.0", R"(,"app":"app.tsx")"));
  repository_.files.write("dist/app.js", "committed");
  repository_.commit();
  const auto row = staged(source());
  EXPECT_EQ(builder_.builds, 1);
  EXPECT_FALSE(builder_.dist_existed);
  EXPECT_EQ(readFile(fs::path(row.root_dir) / "dist" / "app.js"), "built");
}

TEST_F(PackagesTest, AFailedBuildRefusesTheInstall) {
  repository_.files.write("package.json", manifest("todo", "1.0.0", R"(,"app":"app.tsx")"));
  repository_.commit();
  builder_.failure = Error{errc::kInternal, "app.tsx:1: unexpected token"};
  const auto out = stage(source());
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(reasonOf(out.error()), "build_failed");
  EXPECT_THAT(out.error().message, HasSubstr("app.tsx:1"));
}

TEST_F(PackagesTest, WithoutABuilderADeclaredBundleIsRefused) {
  repository_.files.write("package.json", manifest("todo", "1.0.0", R"(,"app":"app.tsx")"));
  repository_.commit();
  Packages packages(processes_, cache_, plugins_, nullptr);
  const auto offer = packages.offer(source(), {});
  const auto out = packages.stage(*offer.value().compatible, {}, {}, [](const std::string&) {});
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(reasonOf(out.error()), "build_failed");
}

TEST_F(PackagesTest, AnotherIdOrVersionIsAMismatch) {
  EXPECT_EQ(reasonOf(stage(source(), "notes").error()), "identity_mismatch");
  auto offer = packages_.offer(source(), {});
  auto located = *offer.value().compatible;
  located.version = "9.9.9";
  const auto out = packages_.stage(located, {.id = "todo"}, {}, [](const std::string&) {});
  EXPECT_EQ(reasonOf(out.error()), "identity_mismatch");
}

TEST_F(PackagesTest, AFewBytesThatAreADiskFullAreNotWritten) {
  // One content under many names.
  repository_.files.write("zeros", std::string(packageLimits().bytes / 8, '\0'));
  repository_.commit();
  auto object = repository_.git({"rev-parse", "HEAD:zeros"});
  object.pop_back();
  for (const auto* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    repository_.git({"update-index", "--add", "--cacheinfo", "100644," + object + "," + name});
  }
  repository_.git({"commit", "--quiet", "-m", "many"});
  const auto out = stage(source());
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().code, errc::kTooLarge);
  EXPECT_THAT(out.error().message, HasSubstr("limit package: 536870912"));
}

TEST_F(PackagesTest, RunsNoHooksOfTheRepository) {
  repository_.files.write(".githooks/post-checkout", "#!/bin/sh\ntouch ../hook-ran\n");
  repository_.commit();
  (void)staged(source());
  for (const auto& each : fs::recursive_directory_iterator(data_.path())) {
    EXPECT_NE(each.path().filename(), "hook-ran");
  }
}

TEST_F(PackagesTest, LocatesTheVersionACandidateNames) {
  const auto first = repository_.head();
  repository_.files.write("package.json", manifest("todo", "1.1.0"));
  repository_.commit();
  const auto located = packages_.locate(source(), "git:" + repository_.url() + "@" + first, {});
  ASSERT_TRUE(located.ok()) << located.error().message;
  EXPECT_EQ(located.value().version, "1.0.0");
  EXPECT_FALSE(packages_.locate(source(), "npm:todo@1.0.0", {}).ok());
}

TEST_F(PackagesTest, AnExampleIsOfferedInTheVersionThatTheServiceHas) {
  const ManagedSource from{parseSource("example:todo", {}, "").value()};
  EXPECT_THAT(packages_.offer(from, {}).error().message,
              HasSubstr("this service has no example \"todo\""));
  fs::create_directory(data_.path() / "examples");
  pack(data_.path() / "examples/todo.tgz");
  const auto located = *packages_.offer(from, {}).value().compatible;
  EXPECT_EQ(located.version, "1.0.0");
  EXPECT_EQ(located.resolved, "example:todo@1.0.0");
  EXPECT_FALSE(isPinned(located));
  const auto row = staged(from);
  EXPECT_EQ(row.id, "todo");
  EXPECT_EQ(row.source, "example:todo");
  EXPECT_EQ(row.resolved, "example:todo@1.0.0");
  // The next version of the service.
  repository_.files.write("package.json", manifest("todo", "1.1.0"));
  pack(data_.path() / "examples/todo.tgz");
  EXPECT_EQ(packages_.offer(from, {}).value().compatible->resolved, "example:todo@1.1.0");
  const auto old = packages_.locate(from, "example:todo@1.0.0", {});
  ASSERT_TRUE(old.ok());
  EXPECT_EQ(
      reasonOf(packages_.stage(old.value(), {.id = "todo"}, {}, [](const std::string&) {}).error()),
      "identity_mismatch");
  EXPECT_FALSE(packages_.locate(from, "example:notes@1.0.0", {}).ok());
}

TEST_F(PackagesTest, AnArchiveOfAnotherPackageIsNoVersionOfThisOne) {
  const auto tarball = data_.path() / "todo.tgz";
  pack(tarball);
  const ManagedSource from{parseSource(tarball.string(), {}, "").value()};
  package_name_ = "todo";
  EXPECT_TRUE(stage(from, "todo").ok());
  package_name_ = "@acme/svc-plugin-todo";
  const auto other = stage(from, "todo");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(reasonOf(other.error()), "identity_mismatch");
  EXPECT_THAT(
      other.error().message,
      HasSubstr(
          "holds the package todo, and plugin \"todo\" is the package @acme/svc-plugin-todo"));
  // The place of a repository says whose it is, also when the package has another name now.
  EXPECT_TRUE(stage(source(), "todo").ok());
}

TEST_F(PackagesTest, StagesATarball) {
  const auto tarball = data_.path() / "todo.tgz";
  pack(tarball);
  const ManagedSource from{parseSource(tarball.string(), {}, "").value()};
  const auto row = staged(from);
  EXPECT_EQ(row.id, "todo");
  EXPECT_EQ(row.source_kind, "tarball");
  EXPECT_TRUE(row.integrity.starts_with("sha512-"));
}

TEST(CheckBundlesTest, WhatIsDeclaredIsThereAndOfThisVersion) {
  const TempDir root;
  const plugins::ManifestSummary todo{.id = "todo",
                                      .package_name = "todo",
                                      .version = "1.0.0",
                                      .name = "Todo",
                                      .server_entry = "server.js",
                                      .app_entry = "app.tsx",
                                      .host_entry = "host.ts",
                                      .engine_service = "",
                                      .engine_sdk = ""};
  const auto meta = [](const std::string& version, const std::string& digest = "") {
    auto out = Json::object()
                   .set("artifactFormatVersion", 1)
                   .set("pluginId", "todo")
                   .set("pluginVersion", version);
    if (!digest.empty()) {
      out.set("artifactDigest", digest);
    }
    return out.dump();
  };
  EXPECT_EQ(reasonOf(checkBundles(root.path(), todo).error()), "build_failed");
  root.write("dist/app.js", "app");
  root.write("dist/app.meta.json", meta("0.9.0"));
  root.write("dist/host.js", "host");
  root.write("dist/host.meta.json", meta("1.0.0", "wrong"));
  EXPECT_EQ(reasonOf(checkBundles(root.path(), todo).error()), "identity_mismatch");
  root.write("dist/app.meta.json", meta("1.0.0"));
  EXPECT_THAT(checkBundles(root.path(), todo).error().message, HasSubstr("dist/host.js"));
  root.write("dist/host.meta.json", meta("1.0.0", textSha256("host")));
  EXPECT_TRUE(checkBundles(root.path(), todo).ok());
  root.write("dist/server.js", "server");
  root.write("dist/server.meta.json", meta("2.0.0"));
  EXPECT_EQ(reasonOf(checkBundles(root.path(), todo).error()), "identity_mismatch");
}

}  // namespace
}  // namespace svc::installs
