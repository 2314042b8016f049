#pragma once

#include <gmock/gmock.h>

#include "svc/storage/settings_store.h"

namespace svc::storage {

/// Result has no default value, so every expectation of these needs an action.
class MockSettingsStore : public ISettingsStore {
 public:
  MockSettingsStore();
  ~MockSettingsStore() override;

  using Values = std::map<std::string, common::RawJson>;

  MOCK_METHOD(Result<Values>, load, (const std::string& plugin_id), (override));
  MOCK_METHOD(Status, apply,
              (const std::string& plugin_id, const std::vector<SettingChange>& changes),
              (override));
};

}  // namespace svc::storage
