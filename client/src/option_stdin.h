#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::client {

/// Replaces one `--<opt>-stdin` (before any `--`) by `--<opt> <line>` with the line read from `in`, so that a secret
/// stays out of the process list. Every error is a usage error.
[[nodiscard]] Result<std::vector<std::string>> expandOptionStdin(std::vector<std::string> argv,
                                                                 std::istream& in,
                                                                 bool in_terminal);

}  // namespace svc::client
