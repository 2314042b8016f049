#pragma once

#include <string>
#include <vector>

#include "dispatch.h"

namespace svc::client {

/// Parses the command line (without the program name) and runs the command. Returns the exit code, which
/// is never 0 when the output could not be written.
[[nodiscard]] int run(Context& context, std::vector<std::string> arguments);

}  // namespace svc::client
