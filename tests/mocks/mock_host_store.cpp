#include "mocks/mock_host_store.h"

namespace svc::storage {

MockHostStore::MockHostStore() = default;
MockHostStore::~MockHostStore() = default;

}  // namespace svc::storage
