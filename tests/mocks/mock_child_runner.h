#pragma once

#include <gmock/gmock.h>

#include "child_process.h"

namespace svc::client {

class MockChildRunner : public IChildRunner {
 public:
  MOCK_METHOD(Result<ChildOutcome>, run, (const ChildCommand& command, const Tick& tick),
              (override));
};

}  // namespace svc::client
