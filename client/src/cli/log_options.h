#pragma once

#include <CLI/CLI.hpp>

#include "commands/commands.h"

namespace svc::client {

/// -n and -f, the same for every log.
void addLogOptions(CLI::App* command, LogOptions& options);

}  // namespace svc::client
