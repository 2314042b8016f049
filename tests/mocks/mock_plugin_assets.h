#pragma once

#include <gmock/gmock.h>

#include "svc/plugins/assets.h"

namespace svc::plugins {

/// Result has no default value, so every expectation needs an action.
class MockPluginAssets : public IPluginAssets {
 public:
  MockPluginAssets();
  ~MockPluginAssets() override;

  MOCK_METHOD(Result<std::shared_ptr<const PluginAsset>>, branding,
              (const std::string& plugin_id, const std::string& name), (const, override));
  MOCK_METHOD(std::vector<PluginTheme>, themes, (), (const, override));
  MOCK_METHOD(std::vector<PluginSkill>, skills, (), (const, override));
};

}  // namespace svc::plugins
