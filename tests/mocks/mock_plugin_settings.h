#pragma once

#include <gmock/gmock.h>

#include "svc/plugins/settings.h"

namespace svc::plugins {

class MockPluginSettings : public IPluginSettings {
 public:
  MockPluginSettings();
  ~MockPluginSettings() override;

  MOCK_METHOD(void, get, (const std::string& plugin_id, Completion<common::RawJson> done),
              (override));
  MOCK_METHOD(void, save,
              (const std::string& plugin_id, const common::Json& values,
               Completion<common::RawJson> done),
              (override));
};

}  // namespace svc::plugins
