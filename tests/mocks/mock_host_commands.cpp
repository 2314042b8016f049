#include "mocks/mock_host_commands.h"

namespace svc::hosts {

MockHostCommands::MockHostCommands() = default;
MockHostCommands::~MockHostCommands() = default;

}  // namespace svc::hosts
