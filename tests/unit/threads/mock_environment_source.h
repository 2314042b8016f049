#pragma once

#include <gmock/gmock.h>

#include "environment_source.h"

namespace svc::threads {

class MockEnvironmentSource : public IEnvironmentSource {
 public:
  MOCK_METHOD(Status, check, (const EnvironmentNeed& need), (const, override));
  MOCK_METHOD(std::optional<ReadyEnvironment>, find, (const std::string& environment_id),
              (const, override));
  MOCK_METHOD(void, resolve,
              (EnvironmentNeed need, PlaceListener told, Completion<ReadyEnvironment> done),
              (override));
  MOCK_METHOD(std::string, lost, (const std::string& environment_id, const std::string& detail),
              (override));
  MOCK_METHOD(void, abandon, (const std::string& thread_id), (override));
};

}  // namespace svc::threads
