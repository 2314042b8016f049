#pragma once

#include <gmock/gmock.h>

#include "svc/plugins/schedules.h"

namespace svc::plugins {

class MockSchedules : public ISchedules {
 public:
  MockSchedules();
  ~MockSchedules() override;

  MOCK_METHOD(void, run, (std::string plugin_id, std::string name, Completion<ScheduleInfo> done),
              (override));
  MOCK_METHOD(std::string, timezone, (), (const, override));
};

}  // namespace svc::plugins
