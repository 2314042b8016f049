#pragma once

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/storage.h"
#include "svc/storage/plugin_store.h"
#include "svc/storage/settings_store.h"

namespace svc::storage {

/// What every ISettingsStore does. Rig offers `ISettingsStore& settings()` and `IPluginStore& plugins()`.
template <class Rig>
class SettingsStoreContract : public ::testing::Test {
 protected:
  using Texts = std::map<std::string, std::string>;

  ISettingsStore& store() { return rig_.settings(); }

  static SettingChange change(std::string key, std::string json) {
    return {std::move(key), common::RawJson(std::move(json))};
  }
  Texts saved(const std::string& plugin_id) {
    Texts out;
    const auto values = store().load(plugin_id);
    EXPECT_TRUE(values.ok());
    for (const auto& [key, value] : values.value()) {
      out[key] = value.text();
    }
    return out;
  }

  Rig rig_;
};

TYPED_TEST_SUITE_P(SettingsStoreContract);

TYPED_TEST_P(SettingsStoreContract, HoldsNothingAtFirst) {
  EXPECT_TRUE(this->saved("todo").empty());
}

TYPED_TEST_P(SettingsStoreContract, ReturnsWhatWasSavedByteForByte) {
  ASSERT_TRUE(
      this->store().apply("todo", {this->change("a", R"("ä\n")"), this->change("b", "1.50")}).ok());
  EXPECT_EQ(this->saved("todo"),
            (std::map<std::string, std::string>{{"a", R"("ä\n")"}, {"b", "1.50"}}));
}

TYPED_TEST_P(SettingsStoreContract, ReplacesAndRemovesInOneStep) {
  ASSERT_TRUE(
      this->store()
          .apply("todo", {this->change("a", "1"), this->change("b", "2"), this->change("c", "3")})
          .ok());
  ASSERT_TRUE(
      this->store()
          .apply("todo", {this->change("a", "10"), {"b", std::nullopt}, {"absent", std::nullopt}})
          .ok());
  EXPECT_EQ(this->saved("todo"), (std::map<std::string, std::string>{{"a", "10"}, {"c", "3"}}));
}

TYPED_TEST_P(SettingsStoreContract, KeepsPluginsApart) {
  ASSERT_TRUE(this->store().apply("todo", {this->change("a", "1")}).ok());
  EXPECT_TRUE(this->saved("todo-2").empty());
}

TYPED_TEST_P(SettingsStoreContract, ChangesNothingWhenOneChangeIsRefused) {
  const std::string large = '"' + std::string(limits::kSettingValue, 'x') + '"';
  const auto refused =
      this->store().apply("todo", {this->change("a", "1"), this->change("b", large)});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, errc::kTooLarge);
  EXPECT_THAT(refused.error().message,
              ::testing::AllOf(::testing::HasSubstr("settingValue is 262144"),
                               ::testing::HasSubstr("262146 bytes")));
  EXPECT_TRUE(this->saved("todo").empty());
}

TYPED_TEST_P(SettingsStoreContract, AcceptsAValueAtTheLimit) {
  const std::string largest = '"' + std::string(limits::kSettingValue - 2, 'x') + '"';
  EXPECT_TRUE(this->store().apply("todo", {this->change("a", largest)}).ok());
}

TYPED_TEST_P(SettingsStoreContract, RefusesEmptyNames) {
  EXPECT_EQ(this->store().apply("", {this->change("a", "1")}).error().code, errc::kInvalidArgument);
  EXPECT_EQ(this->store().apply("todo", {this->change("", "1")}).error().code,
            errc::kInvalidArgument);
}

TYPED_TEST_P(SettingsStoreContract, LosesTheSettingsOfARemovedPlugin) {
  PluginRow row;
  row.id = "todo";
  ASSERT_TRUE(this->rig_.plugins().put(row).ok());
  ASSERT_TRUE(this->store().apply("todo", {this->change("a", "1")}).ok());
  ASSERT_TRUE(this->store().apply("notes", {this->change("a", "2")}).ok());
  ASSERT_TRUE(this->rig_.plugins().remove("todo").ok());
  EXPECT_TRUE(this->saved("todo").empty());
  EXPECT_EQ(this->saved("notes").size(), 1U);
}

REGISTER_TYPED_TEST_SUITE_P(SettingsStoreContract, HoldsNothingAtFirst,
                            ReturnsWhatWasSavedByteForByte, ReplacesAndRemovesInOneStep,
                            KeepsPluginsApart, ChangesNothingWhenOneChangeIsRefused,
                            AcceptsAValueAtTheLimit, RefusesEmptyNames,
                            LosesTheSettingsOfARemovedPlugin);

}  // namespace svc::storage
