#include "setting_values.h"

#include "client_fixture.h"

namespace svc::client {
namespace {

using common::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SettingValuesTest : public ClientTest {};

TEST_F(SettingValuesTest, ReadsKeysAndValues) {
  in.str("s3cret\n");
  const auto settings = typedSettings(context().console, {"url=http://x?a=b", "empty=", "token=-"});
  ASSERT_TRUE(settings);
  ASSERT_EQ(settings.value().size(), 3U);
  EXPECT_EQ(settings.value()[0].key, "url");
  EXPECT_EQ(settings.value()[0].value, "http://x?a=b");
  EXPECT_EQ(settings.value()[1].value, "");
  EXPECT_EQ(settings.value()[2].value, "s3cret");
}

TEST_F(SettingValuesTest, RefusesWhatNamesNoSetting) {
  for (const auto* const text : {"token", "=x"}) {
    const auto settings = typedSettings(context().console, {text});
    ASSERT_FALSE(settings);
    EXPECT_THAT(settings.error().message, HasSubstr("expected key=value"));
  }
  EXPECT_THAT(typedSettings(context().console, {"token=-"}).error().message,
              HasSubstr("token: there is no value on standard input"));
}

TEST_F(SettingValuesTest, KnowsWhatHasNoValue) {
  const auto schema = Json::parse(
      R"({"token":{"type":"string","secret":true},"key":{"type":"string","secret":true},)"
      R"("region":{"type":"select","default":"eu"},"name":{"type":"string"},"on":{"type":"boolean"}})");
  const auto values =
      Json::parse(R"({"token":{"set":false},"key":{"set":true},"region":"eu","on":false})");
  EXPECT_THAT(unsetSettings(schema.value(), values.value()), ElementsAre("token", "name"));
}

TEST_F(SettingValuesTest, SaysWhichSettingsThereAre) {
  const auto schema = Json::parse(R"({"token":{},"region":{}})");
  EXPECT_EQ(knownSettings("tokn", schema.value()), "did you mean \"token\"?");
  EXPECT_EQ(knownSettings("zzz", schema.value()), "its settings are token, region");
  EXPECT_EQ(knownSettings("zzz", Json::object()), "the plugin has no settings");
}

}  // namespace
}  // namespace svc::client
