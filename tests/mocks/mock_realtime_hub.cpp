#include "mocks/mock_realtime_hub.h"

namespace svc::test {

MockRealtimeHub::MockRealtimeHub() = default;
MockRealtimeHub::~MockRealtimeHub() = default;

}  // namespace svc::test
