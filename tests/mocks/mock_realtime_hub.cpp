#include "mocks/mock_realtime_hub.h"

namespace svc::testing {

MockRealtimeHub::MockRealtimeHub() = default;
MockRealtimeHub::~MockRealtimeHub() = default;

}  // namespace svc::testing
