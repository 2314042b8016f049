#include "mocks/mock_service_settings.h"

namespace svc::storage {

MockServiceSettings::MockServiceSettings() = default;
MockServiceSettings::~MockServiceSettings() = default;

}  // namespace svc::storage
