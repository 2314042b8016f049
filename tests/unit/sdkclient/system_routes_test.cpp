#include "system_routes.h"

#include <sstream>

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>

#include "mocks/mock_plugin_manager.h"
#include "mocks/recorded_exchange.h"

namespace svc::sdkclient {
namespace {

using svc::test::RecordedExchange;

class MockConfigChanges : public IConfigChanges {
 public:
  MOCK_METHOD(Handle, add, (Listener), (override));
  MOCK_METHOD(Handle, onApplied, (std::function<void()>), (override));
  MOCK_METHOD(void, reload, (Completion<Outcome>), (override));
};

class SystemRoutesTest : public ::testing::Test {
 protected:
  SystemRoutesTest() {
    ON_CALL(server_, baseUrl).WillByDefault(::testing::Return("http://127.0.0.1:4700"));
    EXPECT_TRUE(routes_.attach().ok());
  }
  std::string get(const std::string& path) { return call("GET", path); }
  std::string call(const std::string& method, const std::string& path) {
    auto exchange = std::make_shared<RecordedExchange>();
    server_.call(method + " /api/v1/system/" + path, exchange);
    return exchange->answer ? exchange->answer->body : std::string();
  }

  svc::test::RecordedRoutes server_;
  ::testing::NiceMock<plugins::MockPluginManager> manager_;
  ::testing::StrictMock<MockConfigChanges> changes_;
  std::string host_id_;
  bool has_attention_ = false;
  std::ostringstream logged_;
  SystemRoutes routes_{server_,
                       manager_,
                       {.data_dir = "/data",
                        .timezone = [] { return "Europe/Berlin"; },
                        .host_id = [this] { return host_id_; },
                        .has_attention = [this] { return has_attention_; },
                        .platform = "wsl"},
                       &changes_,
                       std::make_shared<spdlog::logger>(
                           "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(logged_))};
};

TEST_F(SystemRoutesTest, SaysItsVersions) {
  EXPECT_EQ(get("version"),
            R"({"ok":true,"version":"0.43.0","sdkVersion":"0.4.84","currentVersion":"0.43.0",)"
            R"("latestVersion":null,"updateAvailable":false,"isDevelopment":false,)"
            R"("upgradeCommand":null,"source":"package"})");
}

TEST_F(SystemRoutesTest, SaysWhetherAThreadWantsAttention) {
  EXPECT_EQ(get("attention"), R"({"ok":true,"hasAttention":false})");
  has_attention_ = true;
  EXPECT_EQ(get("attention"), R"({"ok":true,"hasAttention":true})");
}

TEST_F(SystemRoutesTest, PlatformsHaveTheNamesOfTheContract) {
  EXPECT_STREQ(platformName("Linux", "6.12.48+deb13-amd64"), "linux");
  EXPECT_STREQ(platformName("Linux", "5.15.167.4-microsoft-standard-WSL2"), "wsl");
  EXPECT_STREQ(platformName("Linux", "4.4.0-19041-Microsoft"), "wsl");
  EXPECT_STREQ(platformName("Darwin", "24.6.0"), "darwin");
  EXPECT_STREQ(platformName("FreeBSD", "14.1"), "unknown");
}

TEST_F(SystemRoutesTest, SaysItsConfiguration) {
  EXPECT_CALL(manager_, safeMode).WillOnce([](auto done) {
    done(plugins::SafeModeState{.enabled = true, .problems = {}});
  });
  EXPECT_CALL(server_, serves(::testing::_, ::testing::_)).Times(::testing::AnyNumber());
  EXPECT_CALL(server_, serves("GET", "/api/v1/projects")).WillOnce(::testing::Return(true));
  EXPECT_EQ(get("config"),
            R"({"ok":true,"version":"0.43.0","sdkVersion":"0.4.84","dataDir":"/data",)"
            R"("serverUrl":"http://127.0.0.1:4700","primaryHostId":null,)"
            R"("primaryHostPlatform":null,"records":["projects"],"cliPath":null,)"
            R"("voiceTranscriptionEnabled":false,"timezone":"Europe/Berlin","safeMode":true,)"
            R"("appearance":{"themeId":"default","faviconColor":null,"name":"Default",)"
            R"("cssUrl":null,"codeTheme":null,"available":true,"problem":null},)"
            R"("customThemes":[],"pluginThemes":[]})");
}

class SystemRoutesThemesTest : public SystemRoutesTest {
 protected:
  SystemRoutesThemesTest() {
    EXPECT_CALL(manager_, safeMode).WillRepeatedly([](auto done) {
      done(plugins::SafeModeState{});
    });
    EXPECT_CALL(server_, serves(::testing::_, ::testing::_)).Times(::testing::AnyNumber());
    EXPECT_CALL(server_, serves("GET", "/api/v1/themes")).WillRepeatedly(::testing::Return(true));
  }
  void themesAnswer(Result<http::Response> answer) {
    EXPECT_CALL(server_, dispatch).WillOnce([answer](const auto& request, auto, auto done) {
      EXPECT_EQ(request.target, "/api/v1/themes");
      done(answer);
    });
  }
};

TEST_F(SystemRoutesThemesTest, TheConfigurationHasTheThemes) {
  themesAnswer(http::Response{.body = R"({"ok":true,"active":{"themeId":"nord"},"custom":["mine"],)"
                                      R"("plugins":[{"id":"plugin:a:b"}],"themes":[]})"});
  EXPECT_THAT(get("config"),
              ::testing::HasSubstr(R"("appearance":{"themeId":"nord"},"customThemes":["mine"],)"
                                   R"("pluginThemes":[{"id":"plugin:a:b"}]})"));
}

TEST_F(SystemRoutesThemesTest, WithoutAnAnswerOfTheThemesTheWindowHasItsOwn) {
  for (const Result<http::Response>& answer :
       {Result<http::Response>(http::Response{.status = 503, .body = "{}"}),
        Result<http::Response>(http::Response{.body = "not JSON"}),
        Result<http::Response>(Error{errc::kOverloaded, "too many workers"})}) {
    themesAnswer(answer);
    EXPECT_THAT(get("config"), ::testing::HasSubstr(R"("appearance":{"themeId":"default",)"));
  }
  EXPECT_THAT(logged_.str(), ::testing::HasSubstr("GET /api/v1/themes failed: it answered 503"));
  EXPECT_THAT(logged_.str(), ::testing::HasSubstr("failed: too many workers"));
}

TEST_F(SystemRoutesTest, KnowsTheServersOwnMachine) {
  EXPECT_CALL(manager_, safeMode).WillOnce([](auto done) { done(plugins::SafeModeState{}); });
  host_id_ = "host_a";
  EXPECT_THAT(get("config"),
              ::testing::HasSubstr(R"("primaryHostId":"host_a","primaryHostPlatform":"wsl")"));
}

TEST_F(SystemRoutesTest, ReadsTheConfigurationAgain) {
  EXPECT_CALL(changes_, reload).WillOnce([](auto done) {
    done(IConfigChanges::Outcome{.applied = {"appUrl", "timezone"},
                                 .need_restart = {"listen.port"}});
  });
  EXPECT_EQ(call("POST", "config/reload"),
            R"({"ok":true,"applied":["appUrl","timezone"],"needRestart":["listen.port"]})");
}

TEST_F(SystemRoutesTest, AConfigurationThatIsTheSameIsNoNews) {
  EXPECT_CALL(changes_, reload).WillOnce([](auto done) { done(IConfigChanges::Outcome{}); });
  EXPECT_EQ(call("POST", "config/reload"), R"({"ok":true,"applied":[],"needRestart":[]})");
}

TEST_F(SystemRoutesTest, SaysWhatIsWrongWithTheConfiguration) {
  EXPECT_CALL(changes_, reload).WillOnce([](auto done) {
    done(Error{errc::kInvalidArgument, "unknown configuration key \"x\""});
  });
  EXPECT_THAT(call("POST", "config/reload"), ::testing::HasSubstr("unknown configuration key"));
}

}  // namespace
}  // namespace svc::sdkclient
