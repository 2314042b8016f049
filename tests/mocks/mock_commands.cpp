#include "mocks/mock_commands.h"

namespace svc::cli {

MockCommands::MockCommands() = default;
MockCommands::~MockCommands() = default;

}  // namespace svc::cli
