#include "client_fixture.h"
#include "commands/commands.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using common::Json;
using ::testing::Contains;
using ::testing::HasSubstr;

class SettingsTest : public ClientTest {
 protected:
  SettingsTest() { variables["SVC_DATA_DIR"] = (tree.path() / "data").string(); }
  /// svcd that answers with these settings; it cannot read "unreadable", and has a problem with a level "loud".
  Context withServer() {
    auto made = context();
    made.execute = [this](const ProcessRequest& request) -> Result<ProcessOutcome> {
      asked.push_back(request.argv);
      auto found = problems;
      std::string masked;
      for (std::size_t at = 0; at + 1 < request.argv.size(); ++at) {
        if (request.argv[at] == "--config") {
          drafts.push_back(tree.read(std::filesystem::path(request.argv[at + 1]).filename()));
          if (drafts.back().find("unreadable") != std::string::npos) {
            return ProcessOutcome{1, "", "svcd: " + request.argv[at + 1] + ": no such key\n"};
          }
          if (drafts.back().find("loud") != std::string::npos) {
            found = problem("no such level (from " + request.argv[at + 1] + ")");
          }
          if (drafts.back().find("99999") != std::string::npos) {
            masked = problem("no such port (from " + request.argv[at + 1] + ")");
          }
        }
      }
      return ProcessOutcome{
          0,
          R"({"configFile":")" + (tree.path() / "config.json").string() + R"(","settings":[)" +
              R"({"key":"listen.port","type":"number","value":4700,"origin":")" + origin +
              R"("},)" +
              R"({"key":"listen.allowedHosts","type":"list","value":["a"],"origin":"file"},)"
              R"({"key":"safeMode","type":"boolean","value":false,"origin":"default"},)"
              R"({"key":"log.level","type":"string","value":"info","origin":"default"}],"problems":[)" +
              found + R"(],"masked":[)" + masked + "]}",
          ""};
    };
    return made;
  }
  static std::string problem(const std::string& message) {
    return R"({"key":"log.level","message":")" + message + R"("})";
  }
  int set(const std::string& key, const std::optional<std::string>& value) {
    auto made = withServer();
    return settingsSet(made, key, value);
  }
  TempTree tree;
  std::string origin = "default";
  std::string problems;
  std::vector<std::vector<std::string>> asked;
  std::vector<std::string> drafts;
};

TEST_F(SettingsTest, ListsValuesAndOrigins) {
  auto made = withServer();
  EXPECT_EQ(settingsList(made, true), 0);
  EXPECT_EQ(out.str(),
            "SETTING\tVALUE\tFROM\nlisten.port\t4700\tdefault\nlisten.allowedHosts\t[\"a\"]\t" +
                (tree.path() / "config.json").string() +
                "\nsafeMode\tfalse\tdefault\nlog.level\tinfo\tdefault\n");
  EXPECT_THAT(asked.front(), Contains("--print-config"));
  EXPECT_THAT(asked.front(), Contains((tree.path() / "data").string()));
}

TEST_F(SettingsTest, PrintsOneValue) {
  auto made = withServer();
  EXPECT_EQ(settingsGet(made, "log.level"), 0);
  EXPECT_EQ(out.str(), "info\n");
  EXPECT_EQ(settingsGet(made, "log.levl"), 3);
  EXPECT_THAT(err.str(), HasSubstr("did you mean \"log.level\"?"));
}

TEST_F(SettingsTest, SavesAValueOfTheRightType) {
  EXPECT_EQ(set("listen.port", "8080"), 0);
  EXPECT_EQ(Json::parse(tree.read("config.json")).value().dump(), R"({"listen":{"port":8080}})");
  EXPECT_EQ(set("listen.allowedHosts", "a,b"), 0);
  EXPECT_EQ(set("safeMode", "true"), 0);
  EXPECT_EQ(Json::parse(tree.read("config.json")).value().dump(),
            R"({"listen":{"port":8080,"allowedHosts":["a","b"]},"safeMode":true})");
  EXPECT_EQ(set("listen.port", std::nullopt), 0);
  EXPECT_EQ(Json::parse(tree.read("config.json")).value().dump(),
            R"({"listen":{"allowedHosts":["a","b"]},"safeMode":true})");
}

TEST_F(SettingsTest, WhatIsNotSetIsNotSaved) {
  EXPECT_EQ(set("log.level", std::nullopt), 0);
  EXPECT_EQ(out.str(), "log.level is not set in " + (tree.path() / "config.json").string() + ".\n");
  EXPECT_FALSE(tree.has("config.json"));
}

TEST_F(SettingsTest, RefusesAValueOfAnotherType) {
  EXPECT_EQ(set("listen.port", "many"), 2);
  EXPECT_EQ(set("safeMode", "yes"), 2);
  EXPECT_EQ(set("nothing", "x"), 3);
  EXPECT_FALSE(tree.has("config.json"));
}

TEST_F(SettingsTest, KeepsTheFileWhenTheServerRefusesTheNewOne) {
  tree.write("config.json", "{}");
  const auto file = (tree.path() / "config.json").string();
  EXPECT_EQ(set("log.level", "unreadable"), 2);
  EXPECT_EQ(err.str(), "svc: " + file + ": no such key\n");
  err.str("");
  EXPECT_EQ(set("log.level", "loud"), 2);
  EXPECT_EQ(err.str(), "svc: no such level (from " + file + ")\n");
  EXPECT_EQ(tree.read("config.json"), "{}");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(tree.path()), {}), 1);
}

TEST_F(SettingsTest, WhatWasWrongBeforeIsAWarning) {
  problems = problem("no such zone");
  EXPECT_EQ(set("listen.port", "8080"), 0);
  EXPECT_EQ(Json::parse(tree.read("config.json")).value().dump(), R"({"listen":{"port":8080}})");
  EXPECT_THAT(err.str(), HasSubstr("Warning: no such zone\n"));
  err.str("");
  auto made = withServer();
  EXPECT_EQ(settingsList(made, false), 0);
  EXPECT_EQ(err.str(), "Warning: no such zone\n");
}

TEST_F(SettingsTest, WhatIsNoSettingCanBeTakenOutOnly) {
  problems = R"({"key":"log.lvel","message":"unknown"})";
  tree.write("config.json", R"({"log":{"lvel":"x"},"safeMode":true})");
  EXPECT_EQ(set("log.lvel", "y"), 3);
  EXPECT_EQ(set("log.lval", std::nullopt), 3) << "neither a setting nor in the file";
  EXPECT_EQ(set("log.lvel", std::nullopt), 0);
  EXPECT_EQ(tree.read("config.json").find("lvel"), std::string::npos);
  EXPECT_THAT(tree.read("config.json"), HasSubstr("safeMode"));
}

TEST_F(SettingsTest, SaysWhatOverridesTheFile) {
  origin = "environment";
  EXPECT_EQ(set("listen.port", "8080"), 0);
  EXPECT_THAT(err.str(),
              HasSubstr("The environment of the server overrides it: the value stays 4700."));
}

TEST_F(SettingsTest, AValueThatIsOverriddenHasToBeRightAllTheSame) {
  origin = "environment";
  tree.write("config.json", "{}");
  EXPECT_EQ(set("listen.port", "99999"), 2);
  EXPECT_EQ(err.str(), "svc: no such port (from " + (tree.path() / "config.json").string() + ")\n");
  EXPECT_EQ(tree.read("config.json"), "{}");
}

TEST_F(SettingsTest, PassesOnWhatTheServerComplainsAbout) {
  auto made = context();
  made.execute = [](const ProcessRequest&) { return ProcessOutcome{1, "", "svcd: bad key\n"}; };
  EXPECT_EQ(settingsList(made, false), 1);
  EXPECT_THAT(err.str(), HasSubstr("svc: bad key\n"));
}

}  // namespace
}  // namespace svc::client
