#pragma once

#include <string>

#include "console.h"

namespace svc::client {

/// A line of a log for people: time, level, logger where there is one, message, then the stack. What is no JSON object stays
/// as it is.
[[nodiscard]] std::string readableLogLine(const std::string& line, const Console& console);

}  // namespace svc::client
