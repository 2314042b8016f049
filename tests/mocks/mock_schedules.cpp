#include "mocks/mock_schedules.h"

namespace svc::plugins {

MockSchedules::MockSchedules() = default;
MockSchedules::~MockSchedules() = default;

}  // namespace svc::plugins
