#include "config_rules.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "svc/common/json.h"

#include "temp_directory.h"

namespace svc::plugins {
namespace {

class OneValue final : public IConfig {
 public:
  explicit OneValue(std::string json) : json_(std::move(json)) {}

  [[nodiscard]] std::string getString(std::string_view /*key*/) const override { return {}; }
  [[nodiscard]] std::int64_t getInteger(std::string_view /*key*/) const override { return 0; }
  [[nodiscard]] bool getBoolean(std::string_view /*key*/) const override { return false; }
  [[nodiscard]] std::vector<std::string> getStringList(std::string_view /*key*/) const override {
    return {};
  }
  [[nodiscard]] std::string getJson(std::string_view /*key*/) const override { return json_; }
  [[nodiscard]] std::string origin(std::string_view /*key*/) const override { return "file"; }

 private:
  std::string json_;
};

std::string refusalOf(std::string overrides) {
  const auto status = areOverrides(OneValue(std::move(overrides)), "plugins.overrides");
  return status ? "" : status.error().message;
}

TEST(ConfigRulesTest, OverridesAreLimitsByPluginId) {
  EXPECT_EQ(refusalOf("null"), "");
  EXPECT_EQ(refusalOf(R"({"todo":{"heapMiB":64},"svc-plugin-x":{"watchdogMs":500,"bufferMiB":0}})"),
            "");
  EXPECT_EQ(refusalOf(R"({"todo":{"heapMiB":1}})"),
            "todo.heapMiB: expected a number from 16 to 1048576, got 1");
}

TEST(ConfigRulesTest, NamesOfBundledPluginsAreThoseOfTheInstallation) {
  const svc::test::TempDirectory directory;
  directory.write("machines/package.json", "{}");
  directory.write("plugin-author/package.json", "{}");
  const BuiltinPlugins builtin(directory.path());
  const auto said = [&builtin](const std::string& setting) {
    return namesAreThere(common::Json::parse(setting).value(), builtin);
  };
  for (const auto* right : {"true", "false", "[]", R"(["machines"])", R"(["plugin-author"])"}) {
    EXPECT_TRUE(said(right)) << right;
  }
  const auto unknown = said(R"(["machines","plugin-autor"])");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, errc::kUnavailable) << "the server starts all the same";
  EXPECT_EQ(unknown.error().message,
            R"(there is no bundled plugin "plugin-autor"; there are machines, plugin-author)");
  EXPECT_EQ(namesAreThere(common::Json::parse(R"([""])").value(), BuiltinPlugins()).error().message,
            R"(there is no bundled plugin ""; this installation has none)");
}

TEST(ConfigRulesTest, TheSettingOfBundledPluginsHasThatRule) {
  const auto status = areBuiltins(OneValue(R"(["no-such-plugin"])"), "plugins.builtin");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, errc::kUnavailable);
  EXPECT_TRUE(areBuiltins(OneValue("true"), "plugins.builtin"));
  EXPECT_EQ(areBuiltins(OneValue("7"), "plugins.builtin").error().code, errc::kInvalidArgument);
}

TEST(ConfigRulesTest, OverridesOfWhatCannotBeAPluginAreRefused) {
  for (const std::string id : {"Todo", "@acme/svc-plugin-todo", "to do", "todo.", ""}) {
    EXPECT_EQ(refusalOf(R"({")" + id + R"(":{"heapMiB":64}})"),
              id + ": no plugin has such an id; expected one as `svc plugin list` shows it, of "
                   "lower-case letters, digits and \"-\"");
  }
}

}  // namespace
}  // namespace svc::plugins
