#pragma once

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/storage/plugin_meter_store.h"
#include "svc/storage/plugin_store.h"

namespace svc::storage {

/// What every IPluginMeterStore does. Rig offers `IPluginMeterStore& pluginMeters()` and `IPluginStore& plugins()`.
template <class Rig>
class PluginMeterStoreContract : public ::testing::Test {
 protected:
  using Texts = std::map<std::string, std::string>;

  void putRow(const std::string& id) {
    PluginRow row;
    row.id = id;
    row.root_dir = "/home/me/" + id;
    ASSERT_TRUE(rig_.plugins().put(row).ok());
  }
  IPluginMeterStore& store() { return rig_.pluginMeters(); }

  Rig rig_;
};

TYPED_TEST_SUITE_P(PluginMeterStoreContract);

TYPED_TEST_P(PluginMeterStoreContract, KeepsTheNewestOfEach) {
  this->putRow("notes");
  this->putRow("silent");
  this->putRow("todo");
  EXPECT_THAT(this->store().meters().value(), ::testing::IsEmpty());
  ASSERT_TRUE(this->store().putMeters({{"notes", "1"}, {"todo", "2"}}).ok());
  ASSERT_TRUE(this->store().putMeters({{"todo", R"({"é":3})"}}).ok());
  const std::map<std::string, std::string> expected{{"notes", "1"}, {"todo", R"({"é":3})"}};
  EXPECT_EQ(this->store().meters().value(), expected);
}

TYPED_TEST_P(PluginMeterStoreContract, APutOfTheRowLeavesThemAlone) {
  this->putRow("todo");
  ASSERT_TRUE(this->store().putMeters({{"todo", "1"}}).ok());
  this->putRow("todo");
  EXPECT_EQ(this->store().meters().value().at("todo"), "1");
}

TYPED_TEST_P(PluginMeterStoreContract, TheyEndWithTheRow) {
  this->putRow("todo");
  ASSERT_TRUE(this->store().putMeters({{"todo", "1"}}).ok());
  ASSERT_TRUE(this->rig_.plugins().remove("todo").ok());
  ASSERT_TRUE(this->store().putMeters({{"todo", "2"}}).ok()) << "late: it is left out";
  this->putRow("todo");
  EXPECT_THAT(this->store().meters().value(), ::testing::IsEmpty());
}

REGISTER_TYPED_TEST_SUITE_P(PluginMeterStoreContract, KeepsTheNewestOfEach,
                            APutOfTheRowLeavesThemAlone, TheyEndWithTheRow);

}  // namespace svc::storage
