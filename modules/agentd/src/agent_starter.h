#pragma once

#include <filesystem>
#include <mutex>
#include <string>

#include "svc/base/environment.h"
#include "svc/base/login_path.h"
#include "svc/base/process_marks.h"
#include "svc/kernel/result.h"

#include "agent_process.h"
#include "presets.h"
#include "session_request.h"

namespace svc::agentd {

/// Starts agents as the user would from a terminal. Thread-safe; blocks.
class AgentStarter {
 public:
  /// `own`: the daemon's environment. `bin`: where svc is, which agents find. `runs`: a directory for the marks of those that run,
  /// by which the next daemon ends what this one leaves behind when it is killed.
  AgentStarter(base::Environment own, std::filesystem::path bin, std::filesystem::path runs)
      : own_(std::move(own)), bin_(std::move(bin)), marks_(std::move(runs)), login_path_(own_) {}

  /// The path of `svc` beside this program; empty when it is not there.
  [[nodiscard]] std::string tool() const;
  /// Ends what an earlier daemon has left.
  void endLeftovers();
  /// Errors: `not_found` (the program, with what to do; the directory), `forbidden`, `invalid_input`, `unavailable`.
  [[nodiscard]] Result<SpawnedAgent> start(const SessionRequest& request, const Preset* preset,
                                           const std::string& server_url);
  /// Nothing with this mark runs any more.
  void forget(const std::string& mark);

  /// Where the login shell of the user finds a program; empty when it does not.
  [[nodiscard]] std::string find(const std::string& command);
  /// What programs of the user get.
  [[nodiscard]] base::Environment environment();

 private:
  const base::Environment own_;
  const std::filesystem::path bin_;
  const base::ProcessMarks marks_;
  base::LoginPath login_path_;
  std::once_flag cleaned_;
};

/// The words of a preset's arguments.
[[nodiscard]] std::vector<std::string> argumentsOf(const Preset& preset);

}  // namespace svc::agentd
