#pragma once

#include <gmock/gmock.h>

#include "svc/plugins/plugin_updates.h"

namespace svc::plugins {

class MockPluginUpdates : public IPluginUpdates {
 public:
  MockPluginUpdates();
  ~MockPluginUpdates() override;

  MOCK_METHOD(void, rows, (Completion<std::vector<storage::PluginRow>> done), (override));
  MOCK_METHOD(void, begin, (std::string plugin_id, Completion<PluginSwitchPtr> done), (override));
  MOCK_METHOD(void, adopt, (const storage::PluginRow& row), (override));
  MOCK_METHOD(void, setUpdateState, (std::string plugin_id, common::Json state), (override));
};

}  // namespace svc::plugins
