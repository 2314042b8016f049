#include "mocks/mock_key_value_store.h"

namespace svc::storage {

MockKeyValueStore::MockKeyValueStore() = default;
MockKeyValueStore::~MockKeyValueStore() = default;

}  // namespace svc::storage
