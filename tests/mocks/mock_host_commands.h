#pragma once

#include <gmock/gmock.h>

#include "svc/hosts/host_commands.h"

namespace svc::hosts {

class MockHostCommands : public IHostCommands {
 public:
  MockHostCommands();
  ~MockHostCommands() override;

  MOCK_METHOD(void, send,
              (const std::string& host_id, std::string command, std::chrono::milliseconds wait,
               Completion<std::string> done),
              (override));
};

}  // namespace svc::hosts
