#include "mocks/mock_plugin_store.h"

namespace svc::storage {

MockPluginStore::MockPluginStore() = default;
MockPluginStore::~MockPluginStore() = default;

}  // namespace svc::storage
