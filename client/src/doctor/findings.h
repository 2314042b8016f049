#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "api.h"
#include "dispatch.h"

/// What `svc doctor` looks at: one function per area, each adds what it found.
namespace svc::client {

struct Finding {
  enum class State : std::uint8_t { kOk, kWarning, kProblem };
  State state = State::kOk;
  std::string check;    ///< "data directory"
  std::string message;  ///< one sentence
  std::string fix;      ///< what to run or do; empty when all is well
  /// Does so, where it needs no decision of a person; empty where it does.
  std::function<Status()> repair{};
};
using Findings = std::vector<Finding>;

[[nodiscard]] inline Finding fine(std::string check, std::string message) {
  return {Finding::State::kOk, std::move(check), std::move(message), {}, {}};
}
[[nodiscard]] inline Finding warning(std::string check, std::string message, std::string fix) {
  return {Finding::State::kWarning, std::move(check), std::move(message), std::move(fix), {}};
}
[[nodiscard]] inline Finding problem(std::string check, std::string message, std::string fix) {
  return {Finding::State::kProblem, std::move(check), std::move(message), std::move(fix), {}};
}

[[nodiscard]] inline Finding repairable(Finding finding, std::function<Status()> repair) {
  finding.repair = std::move(repair);
  return finding;
}

/// svcd itself: there, its modules load, its configuration is right, nobody else can reach it by accident.
void checkProgram(const Context& context, Findings& findings);
/// Data directory, its lock, free space, logs, processes that were left behind.
void checkData(const Context& context, Findings& findings);
/// node, npm, git and curl, which builds and installs need; the time zone database and the clock.
void checkMachine(const Context& context, Findings& findings);
/// The running server and its plugins.
void checkServer(const Context& context, Findings& findings);

/// "1.2 GB"
[[nodiscard]] std::string sizeText(std::uintmax_t bytes);

}  // namespace svc::client
