#pragma once

#include <gmock/gmock.h>

#include "svc/cli/commands.h"

namespace svc::cli {

class MockCommands : public ICommands {
 public:
  MockCommands();
  ~MockCommands() override;

  MOCK_METHOD(std::vector<Command>, list, (), (override));
  MOCK_METHOD(void, run, (CommandRun run, std::stop_token stop, Completion<CommandOutcome> done),
              (override));
  MOCK_METHOD(Handle, onChanged, (std::function<void()> listener), (override));
};

}  // namespace svc::cli
