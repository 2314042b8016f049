#pragma once

namespace svc::client {

/// What the process answers its caller. A plugin command's own code passes through beside these.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailure = 1,
  kExitUsage = 2,
  kExitNotFound = 3,
  kExitRefused = 4,
  kExitIncompatible = 5,
  kExitUnreachable = 69,
  kExitInterrupted = 130,
};

}  // namespace svc::client
