#include "client_fixture.h"
#include "commands/commands.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;

class PluginConfigTest : public ClientTest {
 protected:
  static constexpr const char* kPath = "/api/v1/plugins/todo/settings";
  static constexpr const char* kView =
      R"json({"ok":true,"schema":{)json"
      R"json("key":{"type":"string","label":"API key","secret":true},)json"
      R"json("token":{"type":"string","label":"token","secret":true},)json"
      R"json("mode":{"type":"select","label":"mode","options":["a","b"],"default":"b"},)json"
      R"json("on":{"type":"boolean","label":"on"},"count":{"type":"number","label":"count"},)json"
      R"json("note":{"type":"string","label":"note"}},)json"
      R"json("values":{"key":{"set":true},"token":{"set":false},"mode":"b","on":false,"count":2.5}})json";

  int set(const std::string& key, const std::string& value) {
    auto made = context();
    return pluginConfig(made, "todo", {.key = key, .value = value});
  }
  void expectSave(const std::string& body) {
    expectGet(kPath, kView);
    expect("PUT", kPath, HttpResponse{200, kView});
    saved_body_ = body;
  }
  void TearDown() override {
    if (!saved_body_.empty()) {
      ASSERT_EQ(requests.size(), 2U);
      EXPECT_EQ(requests.back().body, saved_body_);
    }
  }

 private:
  std::string saved_body_;
};

TEST_F(PluginConfigTest, ShowsEverySetting) {
  expectGet(kPath, kView);
  auto made = context();
  EXPECT_EQ(pluginConfig(made, "todo", {}), 0);
  EXPECT_EQ(out.str(),
            "key = [set]  (string, secret)  API key\n"
            "token = [not set]  (string, secret)  token\n"
            "mode = b  (select: a | b)  mode\n"
            "on = false  (boolean)  on\n"
            "count = 2.5  (number)  count\n"
            "note = [not set]  (string)  note\n");
}

TEST_F(PluginConfigTest, SaysThatThereAreNone) {
  expectGet(kPath, R"json({"ok":true,"schema":{},"values":{}})json");
  auto made = context();
  EXPECT_EQ(pluginConfig(made, "todo", {}), 0);
  EXPECT_EQ(out.str(), "This plugin has no settings.\n");
}

TEST_F(PluginConfigTest, PrintsTheEnvelopeOnRequest) {
  expectGet(kPath, kView);
  auto made = context();
  made.console.json = true;
  EXPECT_EQ(pluginConfig(made, "todo", {}), 0);
  EXPECT_EQ(out.str(), std::string(kView) + "\n");
}

TEST_F(PluginConfigTest, SavesTextAndShowsTheSetting) {
  expectSave(R"({"values":{"mode":"b"}})");
  EXPECT_EQ(set("mode", "b"), 0);
  EXPECT_EQ(out.str(), "mode = b  (select: a | b)  mode\n");
}

TEST_F(PluginConfigTest, SavesABoolean) {
  expectSave(R"({"values":{"on":true}})");
  EXPECT_EQ(set("on", "true"), 0);
}

TEST_F(PluginConfigTest, SavesANumber) {
  expectSave(R"({"values":{"count":-5}})");
  EXPECT_EQ(set("count", "-5"), 0);
}

TEST_F(PluginConfigTest, ADashIsTextUnlessTheSettingIsSecret) {
  expectSave(R"({"values":{"note":"-"}})");
  in.str("not read");
  EXPECT_EQ(set("note", "-"), 0);
}

TEST_F(PluginConfigTest, ReadsASecretFromAPipe) {
  expectSave(R"({"values":{"key":"hunter22\nsecond line"}})");
  in.str("hunter22\nsecond line\n");
  EXPECT_EQ(set("key", "-"), 0);
  EXPECT_EQ(out.str(), "key = [set]  (string, secret)  API key\n");
}

TEST_F(PluginConfigTest, BytesThatAreNoTextAreNotStoredAsOtherOnes) {
  expectGet(kPath, kView);
  in.str("k\xff\xfey");
  EXPECT_EQ(set("key", "-"), 2);
  EXPECT_THAT(err.str(), HasSubstr("is not UTF-8 text"));
}

TEST_F(PluginConfigTest, AnEmptyPipeIsAMistake) {
  expectGet(kPath, kView);
  in.str("\n");
  EXPECT_EQ(set("key", "-"), 2);
  EXPECT_THAT(err.str(), HasSubstr("standard input has no value"));
}

TEST_F(PluginConfigTest, UnsetSendsNull) {
  expectSave(R"({"values":{"key":null}})");
  auto made = context();
  EXPECT_EQ(pluginConfig(made, "todo", {.key = "key", .value = std::nullopt}), 0);
}

TEST_F(PluginConfigTest, RefusesValuesOfAnotherType) {
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"on", "yes"}, {"count", "1x"}, {"count", ""}, {"count", "inf"}}) {
    expectGet(kPath, kView);
    EXPECT_EQ(set(key, value), 2) << value;
  }
  EXPECT_THAT(err.str(), HasSubstr("expected true or false, got \"yes\""));
  EXPECT_THAT(err.str(), HasSubstr("expected a number, got \"1x\""));
}

TEST_F(PluginConfigTest, AnUnknownKeyNamesTheNearest) {
  expectGet(kPath, kView);
  EXPECT_EQ(set("moed", "b"), 3);
  EXPECT_THAT(err.str(), HasSubstr("there is no setting \"moed\""));
  EXPECT_THAT(err.str(), HasSubstr("did you mean \"mode\"?"));
}

TEST_F(PluginConfigTest, ShowsWhyTheServerRefuses) {
  expectGet(kPath, kView);
  expect(
      "PUT", kPath,
      HttpResponse{
          400,
          R"json({"ok":false,"error":{"code":"invalid_input","message":"mode: Expected one of \"a\", \"b\""}})json"});
  EXPECT_EQ(set("mode", "c"), 2);
  EXPECT_EQ(err.str(), "svc: mode: Expected one of \"a\", \"b\"\n");
}

TEST_F(PluginConfigTest, ARefusedValueIsWrongUsageInJsonToo) {
  expectGet(kPath, kView);
  expect(
      "PUT", kPath,
      HttpResponse{
          400,
          R"json({"ok":false,"error":{"code":"invalid_input","message":"no","issues":[{"message":"no","path":["mode"]}]}})json"});
  auto made = context();
  made.console.json = true;
  EXPECT_EQ(pluginConfig(made, "todo", {.key = "mode", .value = "c"}), 2);
  EXPECT_EQ(
      out.str(),
      R"({"ok":false,"error":{"code":"usage","message":"no","issues":[{"message":"no","path":["mode"]}]}})"
      "\n");
}

TEST_F(PluginConfigTest, APluginThatIsNotLoadedHasNoSettingsToShow) {
  expectGet(kPath,
            R"json({"ok":false,"error":{"code":"plugin_not_running","message":"disabled"}})json",
            503);
  auto made = context();
  EXPECT_EQ(pluginConfig(made, "todo", {}), 1);
}

}  // namespace
}  // namespace svc::client
