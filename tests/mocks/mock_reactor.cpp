#include "mocks/mock_reactor.h"

namespace svc::testing {

MockReactor::MockReactor() = default;
MockReactor::~MockReactor() = default;

}  // namespace svc::testing
