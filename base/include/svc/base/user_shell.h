#pragma once

#include <string>

#include "svc/base/environment.h"

namespace svc::base {

/// The program of the user's shell: `SHELL` of `own`, else what the system knows of this process's user. `/bin/sh` where that cannot be run,
/// and of a user whom the system lets run services only: their shell (nologin, false) says so to whoever logs in, and ends. Thread-safe.
[[nodiscard]] std::string userShell(const Environment& own);

}  // namespace svc::base
