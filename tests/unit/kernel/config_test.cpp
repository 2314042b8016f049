#include "config.h"

#include <gmock/gmock.h>

#include "svc/kernel/config_rules.h"

namespace svc::kernel {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<ConfigKey> kKeys{
    {"listen.host", ConfigType::kString, "127.0.0.1", ""},
    {"listen.port", ConfigType::kInteger, "4700", ""},
    {"listen.allowedHosts", ConfigType::kStringList, "[]", ""},
    {"updates.check", ConfigType::kBoolean, "true", ""},
    {"plugins.overrides.*", ConfigType::kJson, "", ""},
};

TEST(ConfigTest, FlagBeatsEnvironmentBeatsFileBeatsDefault) {
  ConfigSources sources;
  EXPECT_EQ(Config::create(kKeys, sources).value().getInteger("listen.port"), 4700);
  sources.file_text = R"({"listen": {"port": 1}})";
  EXPECT_EQ(Config::create(kKeys, sources).value().getInteger("listen.port"), 1);
  sources.environment = {{"SVC_LISTEN_PORT", "2"}};
  EXPECT_EQ(Config::create(kKeys, sources).value().getInteger("listen.port"), 2);
  sources.flags = {{"listen.port", "3"}};
  const auto config = Config::create(kKeys, sources);
  EXPECT_EQ(config.value().getInteger("listen.port"), 3);
  EXPECT_EQ(config.value().origin("listen.port"), "flag");
  EXPECT_EQ(config.value().origin("listen.host"), "default");
}

TEST(ConfigTest, FileMayHaveCommentsTrailingCommasAndDottedKeys) {
  ConfigSources sources;
  sources.file_text =
      "{ // here\n \"listen.host\": \"::1\", \"listen\": {\"allowedHosts\": [\"a\", \"b\",],}, }";
  const auto config = Config::create(kKeys, sources);
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config.value().getString("listen.host"), "::1");
  EXPECT_THAT(config.value().getStringList("listen.allowedHosts"), ElementsAre("a", "b"));
}

TEST(ConfigTest, ListsFromTheEnvironmentAreCommaSeparated) {
  ConfigSources sources;
  sources.environment = {{"SVC_LISTEN_ALLOWED_HOSTS", "x,y"}};
  EXPECT_THAT(Config::create(kKeys, sources).value().getStringList("listen.allowedHosts"),
              ElementsAre("x", "y"));
}

TEST(ConfigTest, AStarKeyIsOneJsonValue) {
  ConfigSources sources;
  sources.file_text = R"({"plugins": {"overrides": {"todo": {"heapMiB": 64}}}})";
  const auto config = Config::create(kKeys, sources);
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config.value().getJson("plugins.overrides"), R"({"todo":{"heapMiB":64}})");
}

Status failing(const IConfig& /*config*/, std::string_view /*key*/) {
  throw std::runtime_error("this rule is broken");
}

TEST(ConfigTest, RulesSayWhichKeyHasAValueThatIsNotAllowedAndWhereItIsFrom) {
  const std::vector<ConfigKey> keys{
      {"port", ConfigType::kInteger, "1", "", config_rules::integer<0, 10>},
      {"heap", ConfigType::kInteger, "1", "", config_rules::integer<0>},
      {"limits.*", ConfigType::kJson, "", "",
       [](const IConfig& config, std::string_view key) {
         return config.getJson(key) == R"({"a":1})" ? Status() : Error{errc::kUnavailable, "no a"};
       }},
      {"broken", ConfigType::kString, "", "", failing},
      // Two modules may declare the same key.
      {"port", ConfigType::kInteger, "1", ""}};
  ConfigSources sources;
  sources.environment = {{"SVC_HEAP", "-1"}};
  sources.file_name = "config.json";
  sources.file_text = R"({"port": 11, "limits": {"a": 1}})";
  std::vector<std::string> messages;
  for (const auto& problem : Config::create(keys, sources).value().problems()) {
    EXPECT_TRUE(problem.error.message.starts_with(problem.key + ":"));
    messages.push_back(problem.error.message);
  }
  EXPECT_THAT(messages,
              ElementsAre("port: expected a number from 0 to 10, got 11 (from config.json)",
                          "heap: expected a number of at least 0, got -1 (from SVC_HEAP)",
                          "broken: this rule is broken (from default)"));
}

TEST(ConfigTest, ARuleIsAskedOnlyOfTheValueThatCounts) {
  const std::vector<ConfigKey> keys{
      {"port", ConfigType::kInteger, "1", "", config_rules::integer<0, 10>}};
  ConfigSources sources;
  sources.flags = {{"port", "2"}};
  sources.file_text = R"({"port": 11})";
  EXPECT_THAT(Config::create(keys, sources).value().problems(), testing::IsEmpty());
}

TEST(ConfigTest, AValueThatIsOverriddenIsAskedForByItself) {
  // The second counts on the first, which stays overridden.
  const std::vector<ConfigKey> keys{
      {"port", ConfigType::kInteger, "1", "", config_rules::integer<0, 10>},
      {"next", ConfigType::kInteger, "1", "",
       [](const IConfig& config, std::string_view key) {
         return config.getInteger(key) > config.getInteger("port")
                    ? Status()
                    : Error{errc::kInvalidArgument, "too small"};
       }},
      {"free", ConfigType::kInteger, "1", "", config_rules::integer<0, 10>}};
  ConfigSources sources;
  sources.file_name = "config.json";
  sources.file_text = R"({"port": 11, "next": 4, "free": 12})";
  sources.environment = {{"SVC_PORT", "2"}};
  sources.flags = {{"port", "3"}, {"next", "5"}};
  const auto config = Config::create(keys, sources);
  const auto masked = config.value().maskedProblems(sources);
  ASSERT_EQ(masked.size(), 1U);
  EXPECT_EQ(masked[0].key, "port");
  EXPECT_EQ(masked[0].error.message,
            "port: expected a number from 0 to 10, got 11 (from config.json)");
  sources.file_text = "{}";
  EXPECT_THAT(Config::create(keys, sources).value().maskedProblems(sources), testing::IsEmpty());
}

TEST(ConfigTest, AValueOfTheWrongTypeNamesKeyAndSource) {
  ConfigSources sources;
  sources.environment = {{"SVC_LISTEN_PORT", "many"}};
  const auto config = Config::create(kKeys, sources);
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message,
              AllOf(HasSubstr("listen.port"), HasSubstr("\"many\""), HasSubstr("SVC_LISTEN_PORT")));
}

TEST(ConfigTest, AnUnknownKeyNamesTheNearest) {
  ConfigSources sources;
  sources.flags = {{"listen.prot", "1"}};
  const auto config = Config::create(kKeys, sources);
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message, HasSubstr("did you mean \"listen.port\"?"));
}

TEST(ConfigTest, WhatTheFileHasWrongIsAProblemAndCountsAsNotSet) {
  ConfigSources sources;
  sources.file_name = "config.json";
  sources.file_text = R"({"listen": {"prot": 1, "port": "many"}})";
  const auto config = Config::create(kKeys, sources);
  ASSERT_TRUE(config.ok()) << config.error().message;
  std::vector<std::string> keys;
  for (const auto& problem : config.value().problems()) {
    keys.push_back(problem.key);
    EXPECT_THAT(problem.error.message, HasSubstr("config.json"));
  }
  EXPECT_THAT(keys, testing::UnorderedElementsAre("listen.prot", "listen.port"));
  EXPECT_EQ(config.value().origin("listen.port"), "default");
}

TEST(ConfigTest, AnUnknownEnvironmentVariableIsNotAKey) {
  ConfigSources sources;
  sources.environment = {{"SVC_THREAD_ID", "thr_1"}};
  EXPECT_TRUE(Config::create(kKeys, sources).ok());
}

TEST(ConfigTest, AKeyThatIsSetTwiceIsAnErrorThatNamesBothPlaces) {
  ConfigSources sources;
  sources.file_name = "config.json";
  for (const auto* text : {R"({"listen": {"port": 1}, "listen.port": 2})",
                           R"({"listen": {"port": 1}, "listen.port": 1})"}) {
    sources.file_text = text;
    const auto config = Config::create(kKeys, sources);
    ASSERT_FALSE(config.ok()) << text;
    EXPECT_EQ(config.error().message,
              "config.json: \"listen.port\" is set twice, as \"listen\" > \"port\" and as "
              "\"listen.port\"; keep one of them");
  }
  sources.file_text = R"({"listen": {"port": null}, "listen.port": 2})";
  EXPECT_EQ(Config::create(kKeys, sources).value().getInteger("listen.port"), 2);
}

TEST(ConfigTest, AKeyThatItsObjectHasAlreadyIsAnErrorWithBothLines) {
  ConfigSources sources;
  sources.file_name = "config.json";
  const auto message = [&](const char* text) {
    sources.file_text = text;
    const auto config = Config::create(kKeys, sources);
    return config ? "" : config.error().message;
  };
  EXPECT_EQ(message("{\"listen\": {\n\"port\": 1,\n\"port\": 2}}"),
            "config.json:3: \"port\" is there already, in line 2; keep one of them");
  EXPECT_EQ(message("{\"listen\": {},\n // again\n\"listen\": {\"port\": 1}}"),
            "config.json:3: \"listen\" is there already, in line 1; keep one of them");
  EXPECT_EQ(message("{\"listen\": {\"port\": null, \"port\": 2}}"),
            "config.json:1: \"port\" is there already, in line 1; keep one of them");
  EXPECT_THAT(message(R"({"plugins": {"overrides": {"a": {"x": [{"b": 1, "b": 1}]}}}})"),
              HasSubstr("\"b\" is there already"))
      << "what a module reads itself";
  EXPECT_EQ(message(R"({"plugins": {"overrides": {"a": {"x": 1}, "b": {"x": 1}}}})"), "");
}

TEST(ConfigTest, BrokenFilesNameTheLine) {
  ConfigSources sources;
  sources.file_name = "config.json";
  sources.file_text = "{\n\"a\": \n}";
  const auto config = Config::create(kKeys, sources);
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message, HasSubstr("config.json:3"));
}

TEST(ConfigTest, EnvironmentNamesSplitCamelCase) {
  EXPECT_EQ(Config::environmentName("listen.allowedHosts"), "SVC_LISTEN_ALLOWED_HOSTS");
}

TEST(ConfigTest, NearestNameGivesUpWhenNothingIsNear) {
  EXPECT_EQ(nearestName("zzzz", {"listen.port"}), "");
  EXPECT_EQ(nearestName("lsit", {"list", "last"}), "list");
}

TEST(ConfigTest, DescribesEveryKeyOnceWithValueAndOrigin) {
  auto keys = kKeys;
  keys.push_back({"listen.host", ConfigType::kString, "127.0.0.1", ""});
  keys.push_back({"appUrl", ConfigType::kString, "", "say \"it\""});
  ConfigSources sources;
  sources.flags = {{"listen.port", "0"}};
  const auto config = Config::create(keys, sources);
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(
      describeConfig(config.value().keys(), config.value()),
      R"([{"key":"appUrl","type":"string","value":null,"default":null,"origin":"default","help":"say \"it\""},)"
      R"({"key":"listen.allowedHosts","type":"list","value":[],"default":[],"origin":"default","help":""},)"
      R"({"key":"listen.host","type":"string","value":"127.0.0.1","default":"127.0.0.1","origin":"default","help":""},)"
      R"({"key":"listen.port","type":"number","value":0,"default":4700,"origin":"flag","help":""},)"
      R"({"key":"plugins.overrides","type":"json","value":null,"default":null,"origin":"default","help":""},)"
      R"({"key":"updates.check","type":"boolean","value":true,"default":true,"origin":"default","help":""}])");
}

}  // namespace
}  // namespace svc::kernel
