// Plugins from npm, git and directories: what is installed, what is refused, and what survives.
#include <filesystem>
#include <fstream>

#include "harness/packages.h"
#include "harness/server.h"

namespace svc::test {
namespace {

namespace fs = std::filesystem;
using common::Json;
using ::testing::HasSubstr;

class InstallsTest : public ::testing::Test {
 protected:
  Answer install(const std::string& source, const std::string& more = "") {
    return server_->http().post("/api/v1/plugins/install",
                                R"({"source":")" + source + "\"" + more + "}");
  }
  /// Starts a job and returns it; the answer does not wait for it.
  Json start(const std::string& source) {
    const auto answer = server_->http().send(
        {.method = "POST",
         .target = "/api/v1/plugins/install",
         .body = R"({"source":")" + source + "\"}",
         .headers = {{"content-type", "application/json"}, {"prefer", "respond-async"}}});
    EXPECT_EQ(answer.status, 202) << answer.body;
    return answer.json["job"];
  }
  Json job(const std::string& id) {
    return server_->http().get("/api/v1/plugins/install-jobs/" + id).json["job"];
  }
  std::string get(const std::string& plugin) {
    return server_->rpc(plugin, "get").json["result"].asString();
  }
  static std::string reason(const Answer& answer) {
    return answer.json["error"]["details"]["reason"].asString();
  }
  fs::path cache() const { return server_->dataDir() / "plugins" / "cache"; }
  bool cacheHas(const std::string& kind) const { return fs::exists(cache() / kind); }

  NpmRegistry registry_;
  GitRepository repository_;
  std::unique_ptr<Server> server_ = std::make_unique<Server>();
};

TEST_F(InstallsTest, InstallsTheNewestVersionOfAPackageThatRunsHere) {
  registry_.publish("svc-plugin-hello", "1.0.0");
  registry_.publish("svc-plugin-hello", "1.2.0");
  registry_.publish("svc-plugin-hello", "2.0.0", ">=99");
  registry_.publish("svc-plugin-hello", "1.3.0-beta.1");
  const auto answer = install("npm:svc-plugin-hello");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const auto plugin = answer.json["plugin"];
  EXPECT_EQ(plugin["status"].asString(), "running") << answer.body;
  EXPECT_EQ(plugin["version"].asString(), "1.2.0");
  EXPECT_EQ(plugin["source"].asString(), "npm:svc-plugin-hello");
  EXPECT_EQ(plugin["rootDir"].asString(), (cache() / "npm/svc-plugin-hello/1.2.0").string());
  EXPECT_EQ(get("hello"), "1.2.0");
  const auto source = server_->http().get("/api/v1/plugins/hello/source").json["source"];
  EXPECT_EQ(source["resolved"].asString(), "npm:svc-plugin-hello@1.2.0");
  EXPECT_TRUE(source["integrity"].asString().starts_with("sha512-"));
  EXPECT_THAT(source["registry"].asString(), HasSubstr("127.0.0.1"));
  EXPECT_EQ(source["history"].items().size(), 1U);
}

TEST_F(InstallsTest, InstallsDependenciesWithoutRunningScripts) {
  registry_.publish("svc-plugin-hello", "1.0.0");
  registry_.write(
      "svc-plugin-hello/1.0.0/package.json",
      R"({"name":"svc-plugin-hello","version":"1.0.0","type":"module","svc":{"server":"server.ts"},)"
      R"("scripts":{"install":"touch ran"},"dependencies":{"left":"^1.0.0"},)"
      R"("devDependencies":{"not-there":"1.0.0"}})");
  registry_.write("left/1.0.0/package.json",
                  R"({"name":"left","version":"1.0.0","scripts":{"postinstall":"touch ran"}})");
  registry_.write("left/1.0.0/index.js", "module.exports = 1;");
  const auto answer = install("npm:svc-plugin-hello");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const fs::path root = answer.json["plugin"]["rootDir"].asString();
  EXPECT_TRUE(fs::exists(root / "node_modules" / "left" / "index.js"));
  EXPECT_FALSE(fs::exists(root / "ran"));
  EXPECT_FALSE(fs::exists(root / "node_modules" / "left" / "ran"));
}

TEST_F(InstallsTest, RefusesAPackageThatIsNotWhatTheRegistryAnnounced) {
  registry_.publish("svc-plugin-hello", "1.0.0");
  registry_.write("faults.json", R"({"corrupt":true})");
  const auto answer = install("npm:svc-plugin-hello");
  EXPECT_EQ(reason(answer), "integrity") << answer.body;
  EXPECT_TRUE(server_->http().get("/api/v1/plugins").json["plugins"].items().empty());
  EXPECT_FALSE(cacheHas("npm"));
}

TEST_F(InstallsTest, RefusesAPackageWithoutTheBundlesItDeclares) {
  registry_.publish("svc-plugin-hello", "1.0.0");
  registry_.write("svc-plugin-hello/1.0.0/app.tsx", "export default {};");
  registry_.write("svc-plugin-hello/1.0.0/package.json",
                  R"({"name":"svc-plugin-hello","version":"1.0.0","type":"module",)"
                  R"("svc":{"server":"server.ts","app":"app.tsx"}})");
  const auto answer = install("npm:svc-plugin-hello");
  EXPECT_EQ(answer.status, 422) << answer.body;
  EXPECT_EQ(reason(answer), "build_failed");
  EXPECT_THAT(answer.message(), HasSubstr("svc plugin build"));
}

TEST_F(InstallsTest, NamesWhatStandsInTheWay) {
  registry_.publish("svc-plugin-hello", "1.0.0");
  registry_.publish("reload", "1.0.0");
  registry_.publish("svc-plugin-future", "1.0.0", ">=99");
  EXPECT_EQ(reason(install("npm:not-there")), "not_found");
  EXPECT_EQ(reason(install("npm:svc-plugin-hello@^9")), "not_found");
  EXPECT_EQ(reason(install("npm:reload")), "reserved_id");
  EXPECT_EQ(install("npm:svc-plugin-future").code(), "incompatible");
  EXPECT_EQ(reason(install("git:" + repository_.url())), "not_found");
  EXPECT_EQ(reason(install("entry@nowhere")), "not_found");
  EXPECT_EQ(reason(install("builtin:nothing")), "not_found");
  ASSERT_EQ(install("npm:svc-plugin-hello").status, 200);
  EXPECT_EQ(reason(install("npm:svc-plugin-hello@1.0.0")), "use_update");
  repository_.writePlugin("svc-plugin-hello", "1.0.0");
  repository_.commit();
  EXPECT_EQ(reason(install("git:" + repository_.url())), "id_in_use");
  EXPECT_EQ(reason(install(repository_.path().string())), "id_in_use");
  EXPECT_EQ(server_->http().get("/api/v1/plugins").json["plugins"].items().size(), 1U);
}

TEST_F(InstallsTest, AnInstallPutsAnotherVersionOfTheSamePackageInPlace) {
  registry_.publish("svc-plugin-hello", "1.0.0");
  registry_.publish("svc-plugin-hello", "1.1.0");
  ASSERT_EQ(install("npm:svc-plugin-hello@1.0.0").status, 200);
  // A plugin that is off is switched without the time in which the new version has to hold.
  ASSERT_EQ(server_->cli({"plugin", "disable", "hello"}).exit_code, 0);
  const auto update = [this](const std::string& source) {
    return server_->http().post("/api/v1/plugins/hello/update", R"({"source":")" + source + "\"}");
  };
  EXPECT_EQ(update("npm:svc-plugin-hello@^1").json["to"].asString(), "1.1.0");
  EXPECT_EQ(server_->record("hello")["version"].asString(), "1.1.0");
  EXPECT_EQ(server_->record("hello")["source"].asString(), "npm:svc-plugin-hello@^1");
  EXPECT_EQ(update("npm:svc-plugin-hello@1.0.0").json["to"].asString(), "1.0.0");
  EXPECT_EQ(reason(update("npm:svc-plugin-hello@^9")), "not_found");
  EXPECT_EQ(reason(update("npm:svc-plugin-other")), "id_in_use");
  EXPECT_EQ(server_->record("hello")["source"].asString(), "npm:svc-plugin-hello@1.0.0");
  EXPECT_FALSE(server_->record("hello")["enabled"].asBool());
}

TEST_F(InstallsTest, AnInstallPutsAnotherRefOfTheSameRepositoryInPlace) {
  for (const std::string version : {"1.0.0", "2.0.0"}) {
    repository_.writePlugin("svc-plugin-there", version);
    repository_.commit();
    repository_.tag("v" + version);
  }
  const auto source = "git:" + repository_.url();
  ASSERT_EQ(install(source + "@v1.0.0").status, 200);
  ASSERT_EQ(server_->cli({"plugin", "disable", "there"}).exit_code, 0);
  const auto outcome = server_->cli({"plugin", "install", source + "@semver:^2", "--yes"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Updated there 1.0.0 → 2.0.0"));
  EXPECT_EQ(server_->record("there")["version"].asString(), "2.0.0");
  EXPECT_EQ(server_->cli({"plugin", "install", source + "@v1.0.0", "--yes"}).exit_code, 0);
  ASSERT_EQ(server_->cli({"plugin", "enable", "there"}).exit_code, 0);
  EXPECT_EQ(get("there"), "1.0.0");
}

TEST_F(InstallsTest, ATagThatMovedIsRefusedHoweverItIsAskedFor) {
  repository_.writePlugin("svc-plugin-there", "1.0.0");
  repository_.commit();
  repository_.tag("v1.0.0");
  const auto source = "git:" + repository_.url() + "@v1.0.0";
  ASSERT_EQ(install(source).status, 200);
  const auto again = server_->cli({"plugin", "install", source, "--yes"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("is current"));

  repository_.writePlugin("svc-plugin-there", "6.6.6");
  repository_.commit();
  repository_.tag("v1.0.0");
  for (const auto* const body :
       {R"({})", R"({"source":"@v1.0.0"})", R"({"source":"@semver:^1"})"}) {
    auto text = std::string(body);
    if (const auto at = text.find('@'); at != std::string::npos) {
      text.insert(at, "git:" + repository_.url());
    }
    EXPECT_EQ(reason(server_->http().post("/api/v1/plugins/there/update", text)), "tag_moved")
        << text;
  }
  EXPECT_EQ(server_->cli({"plugin", "install", source, "--yes"}).exit_code, 1);
  EXPECT_EQ(server_->record("there")["version"].asString(), "1.0.0");
  // Another tag is another choice.
  repository_.tag("v2.0.0");
  ASSERT_EQ(server_->cli({"plugin", "disable", "there"}).exit_code, 0);
  const auto other =
      server_->cli({"plugin", "install", "git:" + repository_.url() + "@v2.0.0", "--yes"});
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_EQ(server_->record("there")["version"].asString(), "6.6.6");
}

TEST_F(InstallsTest, AnotherTarballOfAPluginTakesItsPlace) {
  const auto packed = [this](const std::string& version) {
    const TempDir folder;
    fs::create_directory(folder.path() / "package");
    repository_.writePlugin("svc-plugin-packed", version);
    for (const auto& entry : fs::directory_iterator(repository_.path())) {
      if (entry.path().filename() != ".git") {
        fs::copy(entry.path(), folder.path() / "package" / entry.path().filename(),
                 fs::copy_options::recursive);
      }
    }
    const auto file = repository_.path().parent_path() /
                      (repository_.path().filename().string() + version + ".tgz");
    EXPECT_EQ(
        std::system(
            ("tar -czf " + file.string() + " -C " + folder.path().string() + " package").c_str()),
        0);
    return file;
  };
  const auto first = packed("1.0.0");
  const auto second = packed("1.1.0");
  ASSERT_EQ(server_->cli({"plugin", "install", first.string(), "--yes"}).exit_code, 0);
  ASSERT_EQ(server_->cli({"plugin", "disable", "packed"}).exit_code, 0);
  EXPECT_EQ(reason(install("tarball:" + second.string())), "use_update");
  const auto outcome = server_->cli({"plugin", "install", second.string(), "--yes"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Updated packed 1.0.0 → 1.1.0"));
  ASSERT_EQ(server_->cli({"plugin", "enable", "packed"}).exit_code, 0);
  EXPECT_EQ(get("packed"), "1.1.0");
  fs::remove(first);
  fs::remove(second);
}

TEST_F(InstallsTest, InstallsFromARepositoryAndItsSubdirectories) {
  repository_.writePlugin("svc-plugin-one", "1.0.0", "plugins/one");
  repository_.writePlugin("svc-plugin-two", "2.0.0", "plugins/two");
  repository_.write(
      ".svc/plugins.json",
      R"({"schemaVersion":1,"name":"x","plugins":[{"name":"two","source":"./plugins/two"}]})");
  repository_.commit();
  const auto source = "git:" + repository_.url();
  const auto seen =
      server_->http().post("/api/v1/plugins/install/preview", R"({"source":")" + source + "\"}");
  EXPECT_EQ(seen.json["preview"]["entries"].dump(), R"([{"name":"two","source":"./plugins/two"}])")
      << seen.body;
  EXPECT_EQ(reason(install(source)), "no_manifest");
  auto answer = install(source, R"(,"selection":{"kind":"subdirectory","path":"plugins/one"})");
  ASSERT_EQ(answer.status, 200) << answer.body;
  answer = install(source, R"(,"selection":{"kind":"entry","name":"two"})");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(get("one"), "1.0.0");
  EXPECT_EQ(get("two"), "2.0.0");
  EXPECT_EQ(
      server_->http().get("/api/v1/plugins/two/source").json["source"]["subdirectory"].asString(),
      "plugins/two");
}

TEST_F(InstallsTest, RefusesALinkThatLeavesThePlugin) {
  repository_.writePlugin("svc-plugin-one", "1.0.0");
  fs::create_symlink("/etc/passwd", repository_.path() / "accounts");
  repository_.commit();
  EXPECT_EQ(reason(install("git:" + repository_.url())), "path_escape");
}

TEST_F(InstallsTest, InstallsTheNewestTagOfARange) {
  for (const std::string version : {"1.0.0", "1.5.0", "2.0.0"}) {
    repository_.writePlugin("svc-plugin-one", version);
    repository_.commit();
    repository_.tag("one-v" + version);
  }
  const auto answer = install("git:" + repository_.url() + "@semver:^1", R"(,"tagPrefix":"one-")");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(get("one"), "1.5.0");
  EXPECT_EQ(
      server_->http().get("/api/v1/plugins/one/source").json["source"]["resolvedTag"].asString(),
      "one-v1.5.0");
}

TEST_F(InstallsTest, AFlippedByteIsRefusedAtEveryActivation) {
  registry_.publish("svc-plugin-hello", "1.0.0");
  const fs::path root = install("npm:svc-plugin-hello").json["plugin"]["rootDir"].asString();
  std::ofstream(root / "server.ts", std::ios::app) << "\n";
  const auto reloaded = server_->reload("hello");
  EXPECT_EQ(reloaded.code(), "load_failed");
  EXPECT_THAT(reloaded.message(), HasSubstr("server.ts has changed"));
  EXPECT_EQ(get("hello"), "1.0.0");
  server_->restart();
  const auto record = server_->awaitRecord(
      "hello", [](const Json& each) { return each["status"].asString() != "starting"; });
  EXPECT_EQ(record["status"].asString(), "error");
  EXPECT_THAT(record["statusDetail"].asString(), HasSubstr("server.ts has changed"));
}

TEST_F(InstallsTest, AnUpdateDownloadsFilesAgainThatAreDamagedOrGone) {
  registry_.publish("svc-plugin-hello", "1.0.0");
  // Also of a version that is named, for which there is never anything newer.
  const fs::path root = install("npm:svc-plugin-hello@1.0.0").json["plugin"]["rootDir"].asString();
  const auto token = server_->http().post("/api/v1/plugins/hello/token", "{}").json["token"];
  const auto update = [this] { return server_->http().post("/api/v1/plugins/hello/update", "{}"); };
  EXPECT_EQ(reason(update()), "pinned");

  std::ofstream(root / "server.ts", std::ios::app) << "\n";
  EXPECT_EQ(server_->reload("hello").code(), "load_failed");
  const auto mended = update();
  ASSERT_EQ(mended.status, 200) << mended.body;
  EXPECT_EQ(mended.json["outcome"].asString(), "updated");
  EXPECT_EQ(mended.json["to"].asString(), "1.0.0");
  EXPECT_THAT(mended.json["detail"].asString(), HasSubstr("missing or damaged"));
  EXPECT_EQ(server_->reload("hello").status, 200);

  EXPECT_EQ(server_->stop().exit_code, 0);
  fs::remove_all(cache() / "npm");
  server_->start();
  const auto missing = server_->awaitRecord(
      "hello", [](const Json& each) { return each["status"].asString() != "starting"; });
  EXPECT_EQ(missing["status"].asString(), "missing");
  EXPECT_THAT(missing["statusDetail"].asString(), HasSubstr("`svc plugin update hello`"));
  const auto said = server_->cli({"plugin", "update", "hello", "--yes"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("hello 1.0.0: its files were missing or damaged"));
  EXPECT_EQ(get("hello"), "1.0.0");
  EXPECT_EQ(server_->http().post("/api/v1/plugins/hello/token", "{}").json["token"], token);
  EXPECT_EQ(reason(update()), "pinned");
}

TEST_F(InstallsTest, AVersionThatIsAnotherOneByNowRepairsNothing) {
  registry_.publish("svc-plugin-hello", "1.0.0");
  const fs::path root = install("npm:svc-plugin-hello@1.0.0").json["plugin"]["rootDir"].asString();
  std::ofstream(root / "server.ts", std::ios::app) << "\n";
  EXPECT_EQ(server_->reload("hello").code(), "load_failed");
  registry_.publish("svc-plugin-hello", "1.0.0", ">=0.0.1");
  const auto answer = server_->http().post("/api/v1/plugins/hello/update", "{}");
  EXPECT_EQ(answer.code(), "update_refused") << answer.body;
  EXPECT_EQ(reason(answer), "integrity");
}

TEST_F(InstallsTest, PluginsComeAlongWhenTheDataDirectoryIsMoved) {
  registry_.publish("svc-plugin-hello", "1.0.0");
  ASSERT_EQ(install("npm:svc-plugin-hello").status, 200);
  EXPECT_EQ(server_->stop().exit_code, 0);
  const TempDir disk;
  const auto moved = disk.path() / "moved";
  fs::copy(server_->dataDir(), moved, fs::copy_options::recursive);
  fs::remove_all(server_->dataDir());
  fs::create_directory_symlink(moved, server_->dataDir());
  server_->start();
  const auto record = server_->awaitRecord(
      "hello", [](const Json& each) { return each["status"].asString() == "running"; });
  EXPECT_EQ(record["rootDir"].asString(),
            (moved / "plugins/cache/npm/svc-plugin-hello/1.0.0").string());
  EXPECT_EQ(get("hello"), "1.0.0");
}

TEST_F(InstallsTest, ManagedFilesGoWithTheirPlugin) {
  registry_.publish("svc-plugin-hello", "1.0.0");
  ASSERT_EQ(install("npm:svc-plugin-hello").status, 200);
  EXPECT_TRUE(cacheHas("npm"));
  EXPECT_EQ(server_->http().send({.method = "DELETE", .target = "/api/v1/plugins/hello"}).status,
            200);
  EXPECT_TRUE(eventually([&] {
    static_cast<void>(server_->http().get("/healthz"));
    return !cacheHas("npm");
  }));
  ASSERT_EQ(install("npm:svc-plugin-hello").status, 200);
  EXPECT_EQ(get("hello"), "1.0.0");
}

TEST_F(InstallsTest, AMoveOfADirectoryKeepsTheState) {
  const PluginDir first("svc-plugin-mover", answering("1"));
  const PluginDir second("svc-plugin-mover", answering("2"));
  ASSERT_EQ(install(first.path().string()).status, 200);
  const auto token = server_->http().post("/api/v1/plugins/mover/token", "{}").json["token"];
  const auto answer = install(second.path().string());
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["plugin"]["generation"].asInteger(), 2);
  EXPECT_EQ(server_->http().post("/api/v1/plugins/mover/token", "{}").json["token"], token);
  EXPECT_TRUE(fs::exists(first.path() / "package.json"));
}

TEST_F(InstallsTest, JobsSurviveTheirClientAndAreJoined) {
  registry_.publish("svc-plugin-hello", "1.0.0");
  const auto first = start("npm:svc-plugin-hello");
  const auto second = start("npm:svc-plugin-hello");
  EXPECT_EQ(first["id"], second["id"]);
  const auto id = first["id"].asString();
  EXPECT_TRUE(eventually([&] { return job(id)["state"].asString() == "succeeded"; }))
      << job(id).dump();
  EXPECT_EQ(job(id)["pluginId"].asString(), "hello");
  EXPECT_EQ(get("hello"), "1.0.0");
  EXPECT_EQ(server_->http().get("/api/v1/plugins/install-jobs").json["jobs"].items().size(), 1U);
}

TEST_F(InstallsTest, ACancelledDownloadLeavesNothing) {
  registry_.publish("svc-plugin-hello", "1.0.0");
  registry_.write("faults.json", R"({"hang":true})");
  const auto id = start("npm:svc-plugin-hello")["id"].asString();
  ASSERT_TRUE(eventually(
      [&] { return job(id)["step"].asString().find("downloading") != std::string::npos; }));
  const auto cancelled =
      server_->http().post("/api/v1/plugins/install-jobs/" + id + "/cancel", "{}");
  EXPECT_EQ(cancelled.json["job"]["state"].asString(), "cancelled") << cancelled.body;
  registry_.write("faults.json", "{}");
  ASSERT_EQ(install("npm:svc-plugin-hello").status, 200);
  EXPECT_TRUE(fs::is_empty(cache() / ".staging"));
}

TEST_F(InstallsTest, AKilledInstallLeavesNothingAndSaysSo) {
  registry_.publish("svc-plugin-hello", "1.0.0");
  registry_.write("faults.json", R"({"hang":true})");
  const auto id = start("npm:svc-plugin-hello")["id"].asString();
  ASSERT_TRUE(eventually(
      [&] { return job(id)["step"].asString().find("downloading") != std::string::npos; }));
  EXPECT_FALSE(fs::is_empty(cache() / ".staging"));
  server_->kill();
  registry_.write("faults.json", "{}");
  server_->start();
  EXPECT_FALSE(fs::exists(cache() / ".staging"));
  EXPECT_EQ(job(id)["state"].asString(), "failed");
  EXPECT_THAT(job(id)["error"]["message"].asString(), HasSubstr("restarted"));
  ASSERT_EQ(install("npm:svc-plugin-hello").status, 200);
  EXPECT_EQ(get("hello"), "1.0.0");
}

TEST_F(InstallsTest, InstallsAnExampleOfTheServiceWithoutARegistry) {
  // It has no package at all, not even those that the sources of the example need.
  EXPECT_THAT(server_->cli({"plugin", "search", "todo"}).out, HasSubstr("todo@examples"));
  const auto installed = server_->cli({"plugin", "install", "todo@examples", "--yes"});
  ASSERT_EQ(installed.exit_code, 0) << installed.out << installed.err;
  EXPECT_THAT(installed.out, HasSubstr("running"));
  EXPECT_THAT(server_->cli({"todo", "add", "buy milk"}).out, HasSubstr("buy milk"));
  EXPECT_EQ(server_->http().get("/api/v1/plugins/todo/assets/app.js").status, 200);
  const auto record = server_->record("todo");
  EXPECT_EQ(record["source"].asString(), "example:todo");
  EXPECT_EQ(record["catalogMarketplaceName"].asString(), "examples");
  EXPECT_EQ(record["problems"].dump(), "[]");
  EXPECT_THAT(server_->cli({"plugin", "outdated"}).out, HasSubstr("current"));
  const auto unknown = server_->cli({"plugin", "install", "example:nothing", "--yes"});
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("this service has no example"));
}

TEST_F(InstallsTest, EveryExampleIsListedAndCanBeInstalled) {
  const auto entries = server_->http().get("/api/v1/plugin-catalog/search").json["results"].items();
  std::size_t sources = 0;
  for (const auto& each : fs::directory_iterator(SVC_TEST_SOURCE_DIR "/examples")) {
    sources += fs::exists(each.path() / "package.json") ? 1 : 0;
  }
  EXPECT_EQ(entries.size(), sources);
  for (const auto& entry : entries) {
    const auto id = entry["entryId"].asString();
    const auto answer = install("example:" + id);
    ASSERT_EQ(answer.status, 200) << id << answer.body;
    EXPECT_THAT(answer.json["plugin"]["status"].asString(),
                ::testing::AnyOf("running", "needs-configuration"))
        << id << answer.body;
    EXPECT_EQ(answer.json["plugin"]["problems"].dump(), "[]") << id;
  }
}

TEST_F(InstallsTest, InstallsFromAMarketplaceAfterTheSourceWasConfirmed) {
  registry_.publish("svc-plugin-hello", "1.0.0");
  const TempDir list;
  std::ofstream(list.path() / "marketplace.json")
      << R"({"schemaVersion":1,"name":"acme","plugins":[{"id":"hi","displayName":"Hello",)"
      << R"("author":{"name":"Ann"},"source":{"npm":{"package":"svc-plugin-hello","range":"^1"}}}]})";
  auto http = server_->http();
  ASSERT_EQ(
      http.post("/api/v1/marketplaces", R"({"source":")" + list.path().string() + "\"}").status,
      201);
  auto answer = http.post("/api/v1/plugin-catalog/install", R"({"entryId":"hi"})");
  EXPECT_EQ(reason(answer), "not_confirmed");
  const auto preview =
      http.post("/api/v1/plugins/install/preview", R"({"source":"hi@acme"})").json["preview"];
  EXPECT_EQ(preview["publisher"].asString(), "Ann");
  registry_.publish("svc-plugin-hello", "1.1.0");
  const auto confirm = [&](const std::string& source) {
    return http.post(
        "/api/v1/plugin-catalog/install",
        R"({"entryId":"hi","marketplace":"acme","confirmedSource":")" + source + "\"}");
  };
  answer = confirm(preview["confirmedSource"].asString());
  EXPECT_EQ(reason(answer), "source_changed") << answer.body;
  answer = confirm("npm:svc-plugin-hello@1.1.0");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const auto plugin = answer.json["plugin"];
  EXPECT_EQ(plugin["provenance"].asString(), "catalog");
  EXPECT_EQ(plugin["publisherLabel"].asString(), "Ann");
  EXPECT_EQ(plugin["catalogEntryId"].asString(), "hi");
  EXPECT_EQ(plugin["catalogMarketplaceName"].asString(), "acme");
  server_->restart();
  const auto found = server_->http().get("/api/v1/plugin-catalog/search?q=hello").json["results"];
  EXPECT_TRUE(found.items().at(0)["installed"].asBool());
  EXPECT_EQ(found.items().at(0)["installedVersion"].asString(), "1.1.0");
}

TEST_F(InstallsTest, SafeModeInstallsNothing) {
  registry_.publish("svc-plugin-hello", "1.0.0");
  auto http = server_->http();
  static_cast<void>(http.send({.method = "PUT",
                               .target = "/api/v1/plugins/safe-mode",
                               .body = R"({"enabled":true})",
                               .headers = {{"content-type", "application/json"}}}));
  EXPECT_EQ(install("npm:svc-plugin-hello").code(), "safe_mode");
}

}  // namespace
}  // namespace svc::test
