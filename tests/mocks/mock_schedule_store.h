#pragma once

#include <gmock/gmock.h>

#include "svc/storage/schedule_store.h"

namespace svc::storage {

/// Result has no default value, so every expectation of these needs an action.
class MockScheduleStore : public IScheduleStore {
 public:
  MockScheduleStore();
  ~MockScheduleStore() override;

  MOCK_METHOD(Result<std::vector<ScheduleRow>>, list, (), (override));
  MOCK_METHOD(Status, replace,
              (const std::string& plugin_id, const std::vector<ScheduleSpec>& specs,
               std::int64_t now),
              (override));
  MOCK_METHOD(Result<std::vector<ScheduleRow>>, due,
              (const std::vector<std::string>& plugin_ids, std::int64_t now, std::size_t limit),
              (override));
  MOCK_METHOD(Result<std::vector<bool>>, claim,
              (const std::vector<ScheduleClaim>& claims, std::int64_t now), (override));
  MOCK_METHOD(Status, finish, (const std::vector<ScheduleResult>& results, std::int64_t now),
              (override));
  MOCK_METHOD(Result<std::size_t>, interruptRunning, (const std::string& why, std::int64_t now),
              (override));
};

}  // namespace svc::storage
