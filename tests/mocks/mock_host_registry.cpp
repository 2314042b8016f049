#include "mocks/mock_host_registry.h"

namespace svc::machines {

MockHostRegistry::MockHostRegistry() = default;
MockHostRegistry::~MockHostRegistry() = default;

}  // namespace svc::machines
