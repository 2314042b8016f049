#pragma once

#include <gmock/gmock.h>

#include "trial_server.h"

namespace svc::client {

class MockTrialServer : public ITrialServer {
 public:
  MOCK_METHOD(Result<common::Json>, install, (const std::filesystem::path& root), (override));
};

}  // namespace svc::client
