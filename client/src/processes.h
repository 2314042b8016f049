#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "svc/base/environment.h"
#include "svc/kernel/result.h"

namespace svc::client {

/// The process that holds the lock of the data directory, when one does. The lock, unlike server.json, cannot outlive
/// its owner.
[[nodiscard]] std::optional<int> lockOwner(const std::filesystem::path& data_dir);

/// Whether the process of that number, as it is seen from here, is the one that has the directory: a server in a container, or on
/// another machine with the same file system, has a number that here is somebody else's or nobody's. Also fine when the lock is free
/// by now. `refused` otherwise, and when the process may not be signalled.
[[nodiscard]] Status checkHolder(int pid, const std::filesystem::path& data_dir);

struct StartedServer {
  int pid = 0;
  std::string url;
};

/// Reads what a server prints until its ready line; the address. The error says whether the server ended or is late, with the end
/// of what it printed, or is `aborted` when `interrupts` became readable.
[[nodiscard]] Result<std::string> awaitReady(int output, std::chrono::milliseconds bound,
                                             int interrupts = -1);

/// Runs the program detached from this terminal and waits for its ready line. The error carries the end of what it
/// printed; a server that is not ready in time is ended.
[[nodiscard]] Result<StartedServer> startServer(const std::filesystem::path& program,
                                                const std::vector<std::string>& arguments,
                                                std::chrono::milliseconds bound);

/// SIGTERM, then waits for the process to be gone. `timeout` when it is still there.
[[nodiscard]] Status stopProcess(int pid, std::chrono::milliseconds bound);

/// Command line of a process without the program name; empty when it cannot be read.
[[nodiscard]] std::vector<std::string> argumentsOf(int pid);

/// Variables that a process was started with; nullopt when they cannot be read.
[[nodiscard]] std::optional<base::Environment> variablesOf(int pid);

}  // namespace svc::client
