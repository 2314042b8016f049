#include "mocks/mock_settings_store.h"

namespace svc::storage {

MockSettingsStore::MockSettingsStore() = default;
MockSettingsStore::~MockSettingsStore() = default;

}  // namespace svc::storage
