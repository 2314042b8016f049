#pragma once

#include "svc/kernel/error.h"

#include "credential.h"
#include "daemon.h"

namespace svc::serverlink {

/// Whether a daemon with these settings, which no server has started, is in the directory of one that a server of this machine starts.
[[nodiscard]] bool isOfServer(const Credential& stored, const DaemonSettings& settings);

/// Says that it is, with the command that does what was wanted elsewhere.
[[nodiscard]] Error directoryOfServer(const DaemonSettings& settings);

}  // namespace svc::serverlink
