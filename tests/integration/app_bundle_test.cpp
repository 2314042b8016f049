// The bundle of a plugin's app entry: built, read, served and replaced by a real server.
#include <fstream>

#include "harness/server.h"

namespace svc::test {
namespace {

namespace fs = std::filesystem;
using common::Json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kServer = "export const value = 1;\nexport default () => {};\n";

std::string appSource(const std::string& text) {
  return R"(import { definePluginApp } from "@get-svc/plugin-sdk/app";
import { useState } from "react";
const Page = () => { const [n] = useState(0); return <p className="flex p-2">)" +
         text + R"({n}</p>; };
export default definePluginApp((app) => {
  app.slots.navPanel({ id: "page", title: "Page", icon: "Box", path: "page", component: Page });
});
)";
}

class AppBundleTest : public ServerTest {
 protected:
  AppBundleTest() {
    write("server.ts", kServer);
    write("package.json", R"({"name":"svc-plugin-paged","version":"1.0.0","type":"module",)"
                          R"("svc":{"server":"./server.ts","app":"./app.tsx"}})");
    write("app.tsx", appSource("first"));
  }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(directory_.path() / file) << text;
  }
  /// A save that is newer than every bundle.
  void save(const std::string& text) const {
    write("app.tsx", appSource(text));
    fs::last_write_time(directory_.path() / "app.tsx",
                        fs::file_time_type::clock::now() + std::chrono::seconds(++saves_));
  }
  [[nodiscard]] Json bundle() const { return server.record("paged")["app"]["bundle"]; }
  [[nodiscard]] Answer asset(const std::string& file) const {
    return server.http().get("/api/v1/plugins/paged/assets/" + file);
  }

  TempDir directory_;
  mutable int saves_ = 0;
};

TEST_P(AppBundleTest, AnInstallBuildsAndServesIt) {
  const auto record = server.install(directory_.path());
  EXPECT_EQ(record["status"].asString(), "running") << record.dump();
  EXPECT_TRUE(record["statusDetail"].isNull()) << record["statusDetail"].asString();
  EXPECT_TRUE(record["app"]["hasApp"].asBool());
  const auto& app = record["app"]["bundle"];
  ASSERT_TRUE(app.isObject());
  EXPECT_TRUE(app["compatible"].asBool());
  const auto js = server.http().get(app["jsUrl"].asString());
  EXPECT_EQ(js.status, 200);
  EXPECT_EQ(js.content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(js.cache_control, "public, max-age=31536000, immutable");
  EXPECT_THAT(js.body, HasSubstr("first"));
  EXPECT_EQ(app["jsBytes"].asInteger(), static_cast<std::int64_t>(js.body.size()));
  const auto css = server.http().get(app["cssUrl"].asString());
  EXPECT_EQ(css.content_type, "text/css; charset=utf-8");
  EXPECT_THAT(css.body, HasSubstr("data-svc-plugin=paged"));
  EXPECT_EQ(asset("app.js").cache_control, "no-cache");
  EXPECT_EQ(
      server.http().get("/api/v1/plugin-app-assets/" + app["hash"].asString() + "/app.js").body,
      js.body);
  const auto other = asset("app.js?h=0000000000000000");
  EXPECT_EQ(other.status, 404);
  EXPECT_EQ(other.code(), "unknown_asset");
  EXPECT_EQ(other.cache_control, "no-store");
}

TEST_P(AppBundleTest, ItSwitchesWithTheGeneration) {
  server.install(directory_.path());
  const auto first = bundle();
  save("second");
  EXPECT_THAT(asset("app.js").body, HasSubstr("first")) << "a save alone changes nothing";
  auto socket = server.socket();
  ASSERT_EQ(server.reload("paged").status, 200);
  const auto second = bundle();
  EXPECT_TRUE(socket.await([&second](const Json& message) {
    return message["type"].asString() == "plugins-changed" &&
           message["plugins"].items().at(0)["hash"].asString() == second["hash"].asString();
  })) << "windows hear of the new bundle";
  EXPECT_NE(second["hash"].asString(), first["hash"].asString());
  EXPECT_THAT(asset("app.js").body, HasSubstr("second"));
  EXPECT_THAT(server.http().get(first["jsUrl"].asString()).body, HasSubstr("first"));
}

TEST_P(AppBundleTest, AFailedReloadKeepsServingWhatFits) {
  server.install(directory_.path());
  const auto first = bundle();
  save("second");
  write("server.ts", "throw new Error('no');");
  EXPECT_EQ(server.reload("paged").code(), "load_failed");
  EXPECT_EQ(bundle()["hash"].asString(), first["hash"].asString());
  EXPECT_THAT(asset("app.js").body, HasSubstr("first"));
}

TEST_P(AppBundleTest, ABrokenAppKeepsTheLastGoodBundleAndSaysSo) {
  server.install(directory_.path());
  const auto first = bundle();
  save("<b>");
  ASSERT_EQ(server.reload("paged").status, 200);
  const auto record = server.record("paged");
  EXPECT_EQ(record["status"].asString(), "running");
  EXPECT_EQ(record["generation"].asInteger(), 2);
  EXPECT_THAT(record["statusDetail"].asString(),
              StartsWith("frontend bundle build failed: app.tsx:"));
  EXPECT_EQ(bundle()["hash"].asString(), first["hash"].asString());
  save("third");
  ASSERT_EQ(server.reload("paged").status, 200);
  EXPECT_TRUE(server.record("paged")["statusDetail"].isNull());
  EXPECT_THAT(asset("app.js").body, HasSubstr("third"));
}

TEST_P(AppBundleTest, ABrokenAppFailsTheInstall) {
  save("<b>");
  const auto answer = server.http().post("/api/v1/plugins/install",
                                         R"({"source":")" + directory_.path().string() + R"("})");
  EXPECT_EQ(answer.status, 422) << answer.body;
  EXPECT_THAT(answer.message(), HasSubstr("frontend bundle build failed: app.tsx:"));
  EXPECT_EQ(server.http().get("/api/v1/plugins/paged").status, 404);
}

TEST_P(AppBundleTest, TheBundleNeedsALoadedPlugin) {
  server.install(directory_.path());
  const auto app = bundle();
  ASSERT_EQ(server.http().post("/api/v1/plugins/paged/disable", "{}").status, 200);
  EXPECT_TRUE(bundle().isNull());
  EXPECT_EQ(server.http().get(app["jsUrl"].asString()).code(), "unknown_asset");
}

TEST_P(AppBundleTest, AHostBundleThatWasChangedIsAnError) {
  write("host.ts",
        "import { experimental_defineHostEntry } from '@get-svc/plugin-sdk/host';\n"
        "export default experimental_defineHostEntry({ contract: {}, handlers: {} });\n");
  write("package.json", R"({"name":"svc-plugin-paged","version":"1.0.0","type":"module",)"
                        R"("svc":{"server":"./server.ts","host":"./host.ts"}})");
  ASSERT_EQ(server.install(directory_.path())["status"].asString(), "running");
  std::ofstream(directory_.path() / "dist/host.js", std::ios::app) << "//";
  const auto reload = server.reload("paged");
  EXPECT_THAT(reload.message(), HasSubstr("dist/host.js does not match host.meta.json"));
  EXPECT_EQ(server.record("paged")["status"].asString(), "running");
}

TEST_P(AppBundleTest, TheCommandLineBuildsWithoutAServer) {
  const auto built = server.cli({"plugin", "build", directory_.path().string()});
  EXPECT_EQ(built.exit_code, 0) << built.err;
  for (const auto* file : {"server.js", "app.js", "app.css", "app.meta.json", "server.meta.json"}) {
    EXPECT_THAT(built.out, HasSubstr(std::string("dist/") + file + "\n"));
  }
  save("<b>");
  const auto failed = server.cli({"plugin", "build", directory_.path().string()});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, HasSubstr("app.tsx:3:"));
  EXPECT_THAT(failed.err, HasSubstr("  3 | const Page"));
  EXPECT_THAT(failed.err, HasSubstr("nothing was replaced"));
  EXPECT_TRUE(fs::exists(directory_.path() / "dist/app.js"));
}

SVC_WITH_STORAGE_ON_DISK(AppBundleTest);

}  // namespace
}  // namespace svc::test
