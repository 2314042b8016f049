#include "mocks/mock_schedule_store.h"

namespace svc::storage {

MockScheduleStore::MockScheduleStore() = default;
MockScheduleStore::~MockScheduleStore() = default;

}  // namespace svc::storage
