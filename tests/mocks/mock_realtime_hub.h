#pragma once

#include <gmock/gmock.h>

#include "svc/realtime/realtime.h"

namespace svc::test {

class MockRealtimeHub : public realtime::IRealtimeHub {
 public:
  MockRealtimeHub();
  ~MockRealtimeHub() override;

  MOCK_METHOD(void, changed, (realtime::Change change), (override));
  MOCK_METHOD(bool, isFollowed, (const std::string& entity, const std::string& id),
              (const, override));
  MOCK_METHOD(std::size_t, toEveryWindow, (std::string message), (override));
  MOCK_METHOD(Handle, onChanged, (ChangeListener listener), (override));
};

}  // namespace svc::test
