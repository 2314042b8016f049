// Settings and secrets, and what a plugin shows of itself, on a real server.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/server.h"

namespace svc::test {
namespace {

namespace fs = std::filesystem;
using common::Json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSecret = "hunter22-of-the-integration";

std::string readAll(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class SettingsTest : public ServerTest {
 protected:
  [[nodiscard]] Answer save(const std::string& values) const {
    return server.http().send({.method = "PUT",
                               .target = "/api/v1/plugins/configured/settings",
                               .body = R"({"values":)" + values + "}",
                               .headers = {{"content-type", "application/json"}}});
  }
  [[nodiscard]] Answer settings() const {
    return server.http().get("/api/v1/plugins/configured/settings");
  }
  [[nodiscard]] fs::path secretFile() const {
    return server.dataDir() / "plugins/configured/secrets/apiKey";
  }
  void installConfigured() {
    ASSERT_EQ(server.install(fixture("configured"))["status"].asString(), "needs-configuration");
    ASSERT_EQ(save(R"({"apiKey":")" + std::string(kSecret) + R"("})").status, 200);
    server.awaitRecord("configured",
                       [](const Json& record) { return record["status"].asString() == "running"; });
  }
};

TEST_P(SettingsTest, ASavedSecretLetsThePluginRun) {
  installConfigured();
  EXPECT_EQ(server.rpc("configured", "length").json["result"].asInteger(),
            static_cast<std::int64_t>(std::string(kSecret).size()));
  EXPECT_EQ(settings().json["values"].dump(),
            R"({"apiKey":{"set":true},"region":"eu","pairs":2,"verbose":false})");
  EXPECT_EQ(readAll(secretFile()), kSecret);
  EXPECT_EQ(fs::status(secretFile()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(secretFile().parent_path()).permissions(), fs::perms::owner_all);
}

TEST_P(SettingsTest, TheSecretShowsNowhere) {
  installConfigured();
  const auto leaked = server.rpc("configured", "leak");
  EXPECT_EQ(leaked.code(), "handler_error");
  EXPECT_THAT(leaked.body, HasSubstr("refused ***"));
  EXPECT_THAT(leaked.body, Not(HasSubstr(kSecret)));
  server.awaitRecord("configured", [](const Json& record) {
    return record["counters"]["outOfBandErrors"].asInteger() > 0;
  });
  EXPECT_EQ(save(R"({"region":"us"})").status, 200);
  const auto record = server.record("configured");
  EXPECT_EQ(record["lastError"]["message"].asString(), "Error: thrown with ***");
  EXPECT_THAT(record.dump(), Not(HasSubstr(kSecret)));
  EXPECT_THAT(settings().body, Not(HasSubstr(kSecret)));
  const auto logs = server.http().get("/api/v1/plugins/configured/logs");
  EXPECT_THAT(logs.body, HasSubstr("the key is ***"));
  EXPECT_THAT(logs.body, HasSubstr("listener saw ***"));
  EXPECT_THAT(logs.body, Not(HasSubstr(kSecret)));
  EXPECT_EQ(server.stop().exit_code, 0);
  for (const auto& entry : fs::recursive_directory_iterator(server.dataDir())) {
    if (entry.is_regular_file() && entry.path() != secretFile()) {
      EXPECT_THAT(readAll(entry.path()), Not(HasSubstr(kSecret))) << entry.path();
    }
  }
  EXPECT_THAT(server.process().errorText(), Not(HasSubstr(kSecret)));
}

TEST_P(SettingsTest, ARefusedSaveNamesEveryKeyAndChangesNothing) {
  installConfigured();
  const auto refused = save(R"({"region":"asia","pairs":3,"verbose":true,"colour":1})");
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_EQ(refused.code(), "invalid_input");
  const auto& issues = refused.json["error"]["issues"].items();
  ASSERT_EQ(issues.size(), 3U);
  EXPECT_EQ(issues[0].dump(),
            R"({"message":"Expected one of \"eu\", \"us\"","path":["values","region"]})");
  EXPECT_EQ(issues[1].dump(), R"({"message":"must be even","path":["values","pairs"]})");
  EXPECT_EQ(issues[2]["path"].dump(), R"(["values","colour"])");
  EXPECT_FALSE(settings().json["values"]["verbose"].asBool(true));
}

TEST_P(SettingsTest, ListenersHearOfChangesWithoutAReload) {
  installConfigured();
  const auto generation = server.record("configured")["generation"].asInteger();
  auto socket = server.socket();
  EXPECT_EQ(save(R"({"pairs":4})").json["values"]["pairs"].asInteger(), 4);
  EXPECT_TRUE(socket
                  .await([](const Json& message) {
                    return message["type"].asString() == "plugins-changed";
                  })
                  .has_value());
  EXPECT_EQ(save(R"({"pairs":4})").status, 200);
  EXPECT_EQ(save(R"({"pairs":null})").json["values"]["pairs"].asInteger(), 2);
  EXPECT_EQ(
      server.rpc("configured", "set", R"({"region":"us"})").json["result"]["region"].asString(),
      "us");
  const auto changes = server.rpc("configured", "changes").json["result"];
  ASSERT_EQ(changes.items().size(), 3U) << changes.dump();
  EXPECT_EQ(changes.items()[0].items()[0]["pairs"].asInteger(), 4);
  EXPECT_EQ(changes.items()[0].items()[1]["pairs"].asInteger(), 2);
  EXPECT_EQ(changes.items()[2].items()[0]["region"].asString(), "us");
  EXPECT_EQ(server.record("configured")["generation"].asInteger(), generation);
}

TEST_P(SettingsTest, ARefusedHandleWriteNamesTheSetting) {
  installConfigured();
  const auto refused = server.rpc("configured", "set", R"({"region":"asia"})");
  EXPECT_THAT(refused.message(), HasSubstr("settings.experimental_set: region: Expected one of"));
}

TEST_P(SettingsTest, TheCommandShowsAndChangesThem) {
  ASSERT_EQ(server.install(fixture("configured"))["status"].asString(), "needs-configuration");
  EXPECT_THAT(server.cli({"plugin", "config", "configured"}).out,
              HasSubstr("apiKey = [not set]  (string, secret)  API key\n"
                        "region = eu  (select: eu | us)  region\n"));
  const auto set =
      server.cli({"plugin", "config", "configured", "set", "apiKey", "-"}, "from-a-pipe\n");
  EXPECT_EQ(set.exit_code, 0) << set.err;
  EXPECT_EQ(set.out, "apiKey = [set]  (string, secret)  API key\n");
  EXPECT_EQ(readAll(secretFile()), "from-a-pipe");
  server.awaitRecord("configured",
                     [](const Json& record) { return record["status"].asString() == "running"; });
  EXPECT_EQ(server.cli({"plugin", "config", "configured", "set", "pairs", "-4"}).out,
            "pairs = -4  (number)  pairs\n");
  const auto odd = server.cli({"plugin", "config", "configured", "set", "pairs", "3"});
  EXPECT_EQ(odd.exit_code, 2);
  EXPECT_THAT(odd.err, HasSubstr("pairs: must be even"));
  EXPECT_EQ(server.cli({"plugin", "config", "configured", "unset", "pairs"}).out,
            "pairs = 2  (number)  pairs\n");
  EXPECT_EQ(server.cli({"plugin", "config", "configured", "set", "nothing", "1"}).exit_code, 3);
  EXPECT_EQ(server.cli({"plugin", "config", "nobody"}).exit_code, 3);
  EXPECT_EQ(server.cli({"plugin", "config", "configured", "set", "verbose"}).exit_code, 2);
}

TEST_P(SettingsTest, WithoutALoadedPluginThereAreNone) {
  server.install(fixture("throwing_factory"));
  const auto answer = server.http().get("/api/v1/plugins/throwing-factory/settings");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.code(), "plugin_not_running");
  EXPECT_EQ(server.http().get("/api/v1/plugins/nobody/settings").status, 404);
  server.install(fixture("probe"));
  EXPECT_EQ(server.http().get("/api/v1/plugins/probe/settings").json.dump(),
            R"({"ok":true,"schema":{},"values":{}})");
}

TEST_P(SettingsTest, ARemovedPluginLeavesNoSettings) {
  installConfigured();
  ASSERT_EQ(save(R"({"region":"us"})").status, 200);
  const auto removed =
      server.http().send({.method = "DELETE", .target = "/api/v1/plugins/configured"});
  ASSERT_EQ(removed.status, 200) << removed.body;
  EXPECT_EQ(removed.json["kept"].dump(), R"(["logs"])");
  EXPECT_FALSE(fs::exists(secretFile().parent_path()));
  server.install(fixture("configured"));
  EXPECT_EQ(settings().json["values"].dump(),
            R"({"apiKey":{"set":false},"region":"eu","pairs":2,"verbose":false})");
  const auto purged =
      server.http().send({.method = "DELETE", .target = "/api/v1/plugins/configured?purge=true"});
  EXPECT_EQ(purged.json["kept"].dump(), "[]");
  EXPECT_FALSE(fs::exists(server.dataDir() / "plugins/configured"));
}

TEST_P(SettingsTest, ThePluginShowsItsIconEvenWhileItIsDisabled) {
  installConfigured();
  const auto record = server.record("configured");
  const auto icon_url = record["iconUrl"].asString();
  ASSERT_THAT(icon_url, HasSubstr("/api/v1/plugins/configured/assets/icon?h="));
  ASSERT_EQ(server.http()
                .post("/api/v1/plugins/configured/disable", "{}")
                .json["plugin"]["status"]
                .asString(),
            "disabled");
  const auto icon = server.http().get(icon_url);
  EXPECT_EQ(icon.body, readAll(fixture("configured") / "icons/icon.svg"));
  EXPECT_EQ(icon.content_type, "image/svg+xml");
  EXPECT_EQ(icon.cache_control, "public, max-age=31536000, immutable");
  EXPECT_EQ(server.http().get(record["icons"]["dot"].asString()).status, 200);
  EXPECT_EQ(server.http().get("/api/v1/plugins/configured/assets/icon").cache_control, "no-cache");
  const auto other = server.http().get("/api/v1/plugins/configured/assets/icon?h=0000000000000000");
  EXPECT_EQ(other.code(), "unknown_asset");
  EXPECT_EQ(server.http().get("/api/v1/plugins/configured/assets/logo").code(), "unknown_asset");
}

TEST_P(SettingsTest, TheRecordListsWhatThePluginBrings) {
  installConfigured();
  const auto record = server.record("configured");
  EXPECT_TRUE(record["hasSettings"].asBool());
  EXPECT_EQ(record["capabilities"].dump(),
            R"([{"kind":"skill","id":"configure","label":"configure",)"
            R"("detail":"When the user wants to change a setting of this plugin."}])");
  EXPECT_EQ(record["overview"].asString(), "Needs an API key before it runs.\n");
  const auto source = server.http().get("/api/v1/plugins/configured/source").json["source"];
  EXPECT_EQ(source["resolved"].asString(), fixture("configured").string());
}

TEST_P(SettingsTest, FailedBuildsAndWindowsReport) {
  installConfigured();
  const auto put = [&](const std::string& problems) {
    return server.http().send({.method = "PUT",
                               .target = "/api/v1/plugins/configured/dev-problems",
                               .body = R"({"problems":)" + problems + "}",
                               .headers = {{"content-type", "application/json"}}});
  };
  EXPECT_EQ(put(R"([{"kind":"app","message":"no such import"}])").body, R"({"ok":true})");
  EXPECT_EQ(server.record("configured")["statusDetail"].asString(),
            "frontend bundle build failed: no such import");
  EXPECT_EQ(put("[]").status, 200);
  EXPECT_TRUE(server.record("configured")["statusDetail"].isNull());
  const auto report =
      server.http().post("/api/v1/plugins/configured/app-report",
                         R"({"hash":"x","generation":1,"phase":"mount","message":"boom"})");
  EXPECT_EQ(report.body, R"({"ok":true})");
  const auto logs = server.http().get("/api/v1/plugins/configured/logs?level=error");
  EXPECT_THAT(logs.body, HasSubstr(R"(\"source\":\"app\",\"message\":\"mount: boom (bundle x)\")"));
}

SVC_FOR_EACH_STORAGE(SettingsTest);

/// What is kept must be kept on a disk.
class SavedSettingsTest : public ::testing::Test {
 protected:
  Server server;
};

TEST_F(SavedSettingsTest, SurviveARestart) {
  server.install(fixture("configured"));
  const auto saved =
      server.http().send({.method = "PUT",
                          .target = "/api/v1/plugins/configured/settings",
                          .body = R"({"values":{"apiKey":"a-secret-value","pairs":8}})",
                          .headers = {{"content-type", "application/json"}}});
  ASSERT_EQ(saved.status, 200) << saved.body;
  server.kill();
  server.start();
  server.awaitRecord("configured",
                     [](const Json& record) { return record["status"].asString() == "running"; });
  EXPECT_EQ(server.http().get("/api/v1/plugins/configured/settings").json["values"].dump(),
            R"({"apiKey":{"set":true},"region":"eu","pairs":8,"verbose":false})");
}

}  // namespace
}  // namespace svc::test
