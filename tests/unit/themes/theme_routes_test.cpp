#include "theme_routes.h"

#include "fixture.h"
#include "mocks/recorded_exchange.h"

namespace svc::themes {
namespace {

using svc::test::RecordedExchange;
using ::testing::HasSubstr;

class ThemeRoutesTest : public ThemesFixture {
 protected:
  ThemeRoutesTest() { EXPECT_TRUE(routes_.attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> send(const std::string& route, http::Request request = {}) {
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    return exchange;
  }
  std::shared_ptr<RecordedExchange> choose(std::string body) {
    http::Request request;
    request.body = std::move(body);
    return send("PUT /api/v1/theme", std::move(request));
  }
  std::shared_ptr<RecordedExchange> sheet(const std::string& id, std::string query = {},
                                          std::vector<http::Header> headers = {}) {
    http::Request request;
    request.query = std::move(query);
    request.headers = std::move(headers);
    request.path_parameters = {{"id", id}};
    return send("GET /api/v1/themes/:id/theme.css", std::move(request));
  }
  static std::string header(const RecordedExchange& exchange, std::string_view name) {
    for (const auto& each : exchange.answer->headers) {
      if (each.name == name) {
        return each.value;
      }
    }
    return {};
  }

  svc::test::RecordedRoutes server_;
  InlineWorkers workers_;
  ThemeChoices choices_{store_};
  int announced_ = 0;
  ThemeRoutes routes_{workers_, shelf_, choices_, [this] { ++announced_; }};
};

TEST_F(ThemeRoutesTest, ShowsTheBuiltInOneAtFirst) {
  EXPECT_EQ(send("GET /api/v1/theme")->json()["theme"].dump(),
            R"({"themeId":"default","faviconColor":null,"name":"Default","cssUrl":null,)"
            R"("codeTheme":null,"available":true,"problem":null})");
}

TEST_F(ThemeRoutesTest, AChoiceIsStoredAndAnnounced) {
  const auto chosen = choose(R"({"themeId":"plugin:sea:deep","faviconColor":"#001122"})");
  ASSERT_EQ(chosen->status(), 200U);
  const auto theme = chosen->json()["theme"];
  EXPECT_EQ(theme["cssUrl"].asString(),
            "/api/v1/themes/plugin%3Asea%3Adeep/theme.css?h=0123456789abcdef");
  EXPECT_EQ(theme["codeTheme"].dump(), R"({"dark":"nord"})");
  EXPECT_EQ(announced_, 1);
  EXPECT_THAT(stored_["theme"], HasSubstr("plugin:sea:deep"));
  EXPECT_EQ(send("GET /api/v1/theme")->json()["theme"].dump(), theme.dump());
}

TEST_F(ThemeRoutesTest, TheSameChoiceIsNoNews) {
  ASSERT_EQ(choose(R"({"themeId":"default"})")->status(), 200U);
  EXPECT_EQ(announced_, 0);
  EXPECT_TRUE(stored_.empty());
}

TEST_F(ThemeRoutesTest, AnAbsentColourStaysAndNullClearsIt) {
  ASSERT_EQ(choose(R"({"themeId":"default","faviconColor":"#001122"})")->status(), 200U);
  EXPECT_EQ(choose(R"({"themeId":"plugin:sea:deep"})")->json()["theme"]["faviconColor"].asString(),
            "#001122");
  EXPECT_TRUE(choose(R"({"themeId":"default","faviconColor":null})")
                  ->json()["theme"]["faviconColor"]
                  .isNull());
}

TEST_F(ThemeRoutesTest, EveryMistakeIsNamed) {
  const auto refused = choose(R"({"themeId":"nothing","faviconColor":"crimson","x":1})");
  EXPECT_EQ(refused->status(), 400U);
  EXPECT_EQ(refused->errorCode(), "invalid_input");
  EXPECT_EQ(refused->json()["error"]["issues"].items().size(), 2U) << "what is unknown is ignored";
  EXPECT_EQ(choose("{")->errorCode(), "invalid_json");
  EXPECT_EQ(choose("{}")->errorCode(), "invalid_input");
  EXPECT_EQ(choose(R"({"themeId":""})")->errorCode(), "invalid_input");
  EXPECT_EQ(announced_, 0);
}

TEST_F(ThemeRoutesTest, AThemeThatIsGoneStaysChosenAndIsExplained) {
  ASSERT_EQ(choose(R"({"themeId":"plugin:sea:deep"})")->status(), 200U);
  shelf_.setPlugins({});
  routes_.refresh();
  EXPECT_EQ(announced_, 2);
  const auto theme = send("GET /api/v1/theme")->json()["theme"];
  EXPECT_EQ(theme["themeId"].asString(), "plugin:sea:deep");
  EXPECT_FALSE(theme["available"].asBool());
  EXPECT_TRUE(theme["cssUrl"].isNull());
  EXPECT_THAT(theme["problem"].asString(), HasSubstr("no plugin"));
  routes_.refresh();
  EXPECT_EQ(announced_, 2) << "nothing changed since";
  shelf_.setPlugins({"sea"});
  routes_.refresh();
  EXPECT_EQ(announced_, 3);
}

TEST_F(ThemeRoutesTest, ListsWhatCanBeChosen) {
  write("sepia.css", ":root{}");
  write("no spaces.css", "");
  const auto catalog = send("GET /api/v1/themes")->json();
  EXPECT_EQ(catalog["active"].dump(), send("GET /api/v1/theme")->json()["theme"].dump());
  EXPECT_EQ(catalog["dir"].asString(), directory_.string());
  EXPECT_EQ(catalog["custom"].dump(), R"(["sepia"])");
  EXPECT_EQ(
      catalog["plugins"].dump(),
      R"([{"id":"plugin:sea:deep","pluginId":"sea","name":"Deep sea","description":"Dark blue"}])");
  ASSERT_EQ(catalog["themes"].items().size(), 8U);
  EXPECT_EQ(catalog["themes"].items()[7]["pluginId"].asString(), "sea");
  EXPECT_EQ(catalog["problems"].items()[0]["id"].asString(), "no spaces");
}

TEST_F(ThemeRoutesTest, HasThePalettesThatPluginsKnow) {
  write("nord.css", ":root{}");
  const auto catalog = send("GET /api/v1/themes")->json();
  std::vector<std::string> ids;
  for (const auto& theme : catalog["themes"].items()) {
    if (theme["kind"].asString() == "builtin") {
      ids.push_back(theme["id"].asString());
    }
  }
  EXPECT_THAT(ids, ::testing::ElementsAre("default", "nord", "dracula", "solarized", "gruvbox",
                                          "catppuccin"));
  EXPECT_EQ(catalog["custom"].dump(), "[]") << "a file does not take the place of a palette";
  EXPECT_THAT(catalog["problems"].items()[0]["message"].asString(), HasSubstr("built-in"));
  const auto chosen = choose(R"({"themeId":"nord"})")->json()["theme"];
  EXPECT_EQ(chosen["name"].asString(), "Nord");
  EXPECT_EQ(chosen["codeTheme"].dump(), R"({"dark":"nord","light":"github-light"})");
  EXPECT_THAT(sheet("nord")->answer->body, HasSubstr("--canvas: #2e3440;"));
}

TEST_F(ThemeRoutesTest, AColourHasANameToo) {
  const auto colorOf = [this](const std::string& color) {
    return choose(R"({"themeId":"default","faviconColor":")" + color + "\"}")
        ->json()["theme"]["faviconColor"];
  };
  EXPECT_EQ(colorOf("teal").asString(), "teal");
  EXPECT_TRUE(colorOf("default").isNull());
}

TEST_F(ThemeRoutesTest, NoPathOfTheServerIsInAMessage) {
  EXPECT_THAT(choose(R"({"themeId":"nothing"})")->answer->body,
              ::testing::Not(HasSubstr(directory_.string())));
}

TEST_F(ThemeRoutesTest, ServesSheetsByTheirHash) {
  const auto fixed = sheet("plugin:sea:deep", "h=0123456789abcdef");
  EXPECT_EQ(fixed->answer->body, ".dark{--canvas:#012}");
  EXPECT_EQ(fixed->answer->content_type, "text/css; charset=utf-8");
  EXPECT_EQ(header(*fixed, "cache-control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(header(*fixed, "x-content-type-options"), "nosniff");
  EXPECT_EQ(header(*sheet("plugin:sea:deep"), "cache-control"), "no-cache");
  EXPECT_EQ(sheet("plugin:sea:deep", "", {{"If-None-Match", header(*fixed, "etag")}})->status(),
            304U);
  for (const auto& missing : {sheet("plugin:sea:deep", "h=other"), sheet("default"), sheet("x")}) {
    EXPECT_EQ(missing->status(), 404U);
    EXPECT_EQ(missing->errorCode(), "unknown_asset");
    EXPECT_EQ(header(*missing, "cache-control"), "no-store");
  }
}

TEST_F(ThemeRoutesTest, AFullQueueIsOverloaded) {
  workers_.full = true;
  EXPECT_EQ(send("GET /api/v1/theme")->errorCode(), "overloaded");
}

}  // namespace
}  // namespace svc::themes
