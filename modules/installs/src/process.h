#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "svc/common/limits/installs.h"
#include "svc/kernel/result.h"

namespace svc::installs {

struct Command {
  /// The program, found on PATH, and its arguments. No shell sees them.
  std::vector<std::string> argv;
  std::filesystem::path directory;
  /// Added to the environment of this process, replacing variables of the same name.
  std::vector<std::pair<std::string, std::string>> environment{};
  std::vector<std::string> removed_environment{};
  std::chrono::milliseconds timeout = limits::kFetchTool;
  /// Of each stream; more ends the program with `too_large`.
  std::size_t output_limit = 64UL * 1024 * 1024;
  /// Of each file that it writes; more ends it. What a stranger's server sends has no other end.
  std::uint64_t file_limit = limits::kPackage;
};

struct Output {
  int exit_code = 0;
  std::string out;
  std::string err;
};

/// Runs other programs. Thread-safe; blocks.
class IProcesses {
 public:
  virtual ~IProcesses() = default;
  /// Runs to the end without a terminal and without input. Errors: `unavailable` (the program is not there), `timeout`,
  /// `too_large`, `aborted` (stopped). Whatever the program has started ends with it.
  [[nodiscard]] virtual Result<Output> run(const Command& command, std::stop_token stop) = 0;
};

/// Child processes of this one, each in a process group of its own.
class Processes final : public IProcesses {
 public:
  [[nodiscard]] Result<Output> run(const Command& command, std::stop_token stop) override;
};

}  // namespace svc::installs
