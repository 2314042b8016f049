// The palette of the window: chosen once for every window, kept across restarts, gone and back with its plugin.
#include <fstream>

#include <gmock/gmock.h>

#include "harness/server.h"

namespace svc::test {
namespace {

using common::Json;
using ::testing::HasSubstr;

constexpr const char* kSheet = ":root, .light { --canvas: #fff; } .dark { --canvas: #012; }";

class ThemesTest : public ::testing::Test {
 protected:
  ThemesTest() {
    std::ofstream(plugin_.path() / "package.json")
        << R"({"name":"svc-plugin-sea","version":"1.0.0","type":"module","svc":{"server":"./server.ts",)"
        << R"("themes":[{"id":"deep","name":"Deep sea","css":"./deep.css","codeTheme":{"dark":"nord"}}]}})";
    std::ofstream(plugin_.path() / "deep.css") << kSheet;
    std::ofstream(plugin_.path() / "PLUGIN_OVERVIEW.md") << "# Sea";
  }

  [[nodiscard]] Answer choose(const std::string& body) const {
    return server_.http().send({.method = "PUT",
                                .target = "/api/v1/theme",
                                .body = body,
                                .headers = {{"content-type", "application/json"}}});
  }
  [[nodiscard]] Json theme() const { return server_.http().get("/api/v1/theme").json["theme"]; }
  static bool isConfigChange(const Json& frame) {
    return frame["type"].asString() == "changed" && frame["entity"].asString() == "system" &&
           frame["changes"].dump() == R"(["config-changed"])";
  }
  static void subscribe(Socket& socket) {
    socket.send(R"({"type":"subscribe","target":{"kind":"system"}})");
    // Messages are taken in order: the answer says that the subscription is there.
    socket.send(R"({"type":"ping"})");
    EXPECT_TRUE(socket.await([](const Json& frame) { return frame["type"].asString() == "pong"; }));
  }

  PluginDir plugin_{"sea", answering("1")};
  Server server_;
};

TEST_F(ThemesTest, AThemeOfAPluginIsChosenForEveryWindow) {
  ASSERT_EQ(server_.install(plugin_.path())["status"].asString(), "running");
  auto window = server_.socket();
  subscribe(window);
  const auto chosen = choose(R"({"themeId":"plugin:sea:deep","faviconColor":"#001122"})");
  ASSERT_EQ(chosen.status, 200) << chosen.body;
  EXPECT_TRUE(window.await(isConfigChange));
  const auto sheet = server_.http().get(theme()["cssUrl"].asString());
  EXPECT_EQ(sheet.body, kSheet);
  EXPECT_EQ(sheet.content_type, "text/css; charset=utf-8");
  EXPECT_THAT(sheet.cache_control, HasSubstr("immutable"));

  server_.restart();
  server_.awaitRecord("sea",
                      [](const Json& record) { return record["status"].asString() == "running"; });
  EXPECT_TRUE(eventually([this] { return theme()["available"].asBool(); }));
  EXPECT_EQ(theme()["faviconColor"].asString(), "#001122");
}

TEST_F(ThemesTest, TheConfigurationOfTheServerSaysThem) {
  const PluginDir reader("reader", R"(
export default (svc) => {
  const any = { "~standard": { version: 1, vendor: "t", validate: (value) => ({ value }) } };
  svc.rpc.register({ read: { input: null, output: any } }, {
    read: async () => ({
      config: await svc.sdk.system.config(),
      version: await svc.sdk.system.version(),
      attention: await svc.sdk.system.attention(),
    }),
  });
};
)");
  ASSERT_EQ(server_.install(plugin_.path())["status"].asString(), "running");
  ASSERT_EQ(server_.install(reader.path())["status"].asString(), "running");
  ASSERT_EQ(choose(R"({"themeId":"plugin:sea:deep"})").status, 200);
  const auto read = server_.rpc("reader", "read");
  const auto& result = read.json["result"];
  EXPECT_EQ(result["config"]["appearance"].dump(), theme().dump()) << read.body;
  EXPECT_EQ(result["config"]["pluginThemes"].dump(),
            R"([{"id":"plugin:sea:deep","pluginId":"sea","name":"Deep sea","description":null}])");
  EXPECT_EQ(result["config"]["customThemes"].dump(), "[]");
  EXPECT_EQ(result["version"]["currentVersion"].dump(), result["config"]["version"].dump());
  EXPECT_EQ(result["version"]["source"].asString(), "source");
  EXPECT_EQ(result["attention"]["hasAttention"].dump(), "false");
}

TEST_F(ThemesTest, AThemeGoesAndComesBackWithItsPlugin) {
  ASSERT_EQ(server_.install(plugin_.path())["status"].asString(), "running");
  ASSERT_EQ(choose(R"({"themeId":"plugin:sea:deep"})").status, 200);
  auto window = server_.socket();
  subscribe(window);
  ASSERT_TRUE(server_.http().post("/api/v1/plugins/sea/disable", "{}").ok());
  EXPECT_TRUE(window.await(isConfigChange));
  EXPECT_FALSE(theme()["available"].asBool());
  EXPECT_TRUE(theme()["cssUrl"].isNull());
  ASSERT_TRUE(server_.http().post("/api/v1/plugins/sea/enable", "{}").ok());
  EXPECT_TRUE(window.await(isConfigChange));
  EXPECT_TRUE(theme()["available"].asBool());
}

TEST_F(ThemesTest, FilesInTheDataDirectoryAreThemesToo) {
  std::filesystem::create_directory(server_.dataDir() / "themes");
  std::ofstream(server_.dataDir() / "themes/sepia.css") << kSheet;
  const auto catalog = server_.http().get("/api/v1/themes").json;
  EXPECT_EQ(catalog["custom"].dump(), R"(["sepia"])");
  EXPECT_EQ(choose(R"({"themeId":"sepia"})").json["theme"]["name"].asString(), "Sepia");
  EXPECT_EQ(choose(R"({"themeId":"nothing"})").code(), "invalid_input");
}

TEST_F(ThemesTest, TheOverviewOfAPluginHasARoute) {
  server_.install(plugin_.path());
  EXPECT_EQ(server_.http().get("/api/v1/plugins/sea/overview").json["overview"].asString(),
            "# Sea");
  EXPECT_EQ(server_.http().get("/api/v1/plugins/other/overview").code(), "unknown_plugin");
}

}  // namespace
}  // namespace svc::test
