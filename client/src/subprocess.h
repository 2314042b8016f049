#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "svc/base/environment.h"
#include "svc/kernel/result.h"

namespace svc::client {

struct ProcessRequest {
  /// The program is looked for on PATH when it has no slash.
  std::vector<std::string> argv;
  /// nullopt = this program's.
  std::optional<base::Environment> environment;
  /// Working directory; empty = this program's.
  std::filesystem::path directory;
  /// The process is ended when it takes longer.
  std::chrono::milliseconds bound = std::chrono::seconds(10);
};

struct ProcessOutcome {
  int exit_code = 0;  ///< 128 + signal when a signal ended it
  // The first MiB of each stream; the rest is dropped.
  std::string out;
  std::string err;
};

/// Runs a program without input and waits for its end. Errors: `not_found` when it cannot be started, `timeout`.
[[nodiscard]] Result<ProcessOutcome> runProcess(const ProcessRequest& request);

/// Starts a program that outlives this one and has no terminal. Its end is nobody's business.
[[nodiscard]] Status launchProgram(const std::vector<std::string>& argv);

}  // namespace svc::client
