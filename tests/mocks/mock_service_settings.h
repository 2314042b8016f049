#pragma once

#include <gmock/gmock.h>

#include "svc/storage/service_settings.h"

namespace svc::storage {

class MockServiceSettings : public IServiceSettings {
 public:
  MockServiceSettings();
  ~MockServiceSettings() override;

  MOCK_METHOD(Result<std::optional<std::string>>, get, (const std::string& key), (override));
  MOCK_METHOD(Status, set, (const std::string& key, const std::string& value), (override));
};

}  // namespace svc::storage
