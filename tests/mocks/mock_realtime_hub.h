#pragma once

#include <gmock/gmock.h>

#include "svc/realtime/realtime.h"

namespace svc::testing {

class MockRealtimeHub : public realtime::IRealtimeHub {
 public:
  MOCK_METHOD(void, changed, (std::string entity, std::string id, std::vector<std::string> changes),
              (override));
};

}  // namespace svc::testing
