#pragma once

#include <gmock/gmock.h>

#include "svc/storage/plugin_store.h"

namespace svc::storage {

/// Result has no default value, so every expectation of these needs an action.
class MockPluginStore : public IPluginStore {
 public:
  MockPluginStore();
  ~MockPluginStore() override;

  MOCK_METHOD(Result<std::vector<PluginRow>>, list, (), (override));
  MOCK_METHOD(Result<std::optional<PluginRow>>, find, (const std::string& plugin_id), (override));
  MOCK_METHOD(Status, put, (const PluginRow& row), (override));
  MOCK_METHOD(Status, remove, (const std::string& plugin_id), (override));
};

}  // namespace svc::storage
