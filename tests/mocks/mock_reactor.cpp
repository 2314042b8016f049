#include "mocks/mock_reactor.h"

namespace svc::test {

MockReactor::MockReactor() = default;
MockReactor::~MockReactor() = default;

}  // namespace svc::test
