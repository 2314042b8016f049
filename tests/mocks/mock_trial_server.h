#pragma once

#include <gmock/gmock.h>

#include "trial_server.h"

namespace svc::client {

class MockTrialServer : public ITrialServer {
 public:
  MOCK_METHOD(Result<Trial>, install,
              (const std::filesystem::path& root, const std::vector<TypedSetting>& settings),
              (override));
};

}  // namespace svc::client
