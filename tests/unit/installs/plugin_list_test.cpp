#include "plugin_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/json.h"

namespace svc::installs {
namespace {

using ::testing::ElementsAre;

TEST(PluginListTest, ReadsNamesAndDirectories) {
  const auto plugins = parsePluginList(
      R"({"schemaVersion":1,"name":"x","plugins":[{"name":"a","source":"./a"},{"source":"./b"},7]})",
      "u");
  EXPECT_THAT(plugins.value(), ElementsAre(ListedPlugin{"a", "./a"}));
  EXPECT_TRUE(parsePluginList("{}", "u").value().empty());
}

TEST(PluginListTest, WhatIsNoListIsRefusedWithItsPlace) {
  for (const auto* text : {"", "[]", "{"}) {
    const auto plugins = parsePluginList(text, "https://host/r");
    ASSERT_FALSE(plugins.ok()) << text;
    EXPECT_EQ(plugins.error().message, ".svc/plugins.json of https://host/r is not a JSON object");
  }
}

TEST(PluginListTest, NamesAreAsManyAsAPersonReads) {
  std::vector<ListedPlugin> plugins{{"a", ""}, {"b", ""}};
  EXPECT_EQ(namesOf(plugins), "a, b");
  plugins.resize(22, {"c", ""});
  EXPECT_TRUE(namesOf(plugins).ends_with(", c and 2 more"));
}

TEST(PluginListTest, OffersOnlyWhatIsInsideTheRepository) {
  EXPECT_THAT(installable({{"up", "../x"}, {"root", "./"}, {"a", "./plugins/a"}, {"none", ""}}),
              ElementsAre(ListedPlugin{"a", "./plugins/a"}));
}

}  // namespace
}  // namespace svc::installs
