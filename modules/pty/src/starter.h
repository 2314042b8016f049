#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "svc/base/environment.h"
#include "svc/base/login_path.h"
#include "svc/base/process_marks.h"
#include "svc/base/pty.h"
#include "svc/common/limits/terminals.h"
#include "svc/kernel/result.h"

#include "terminal.h"

namespace svc::pty {

/// What the server asks for.
struct OpenRequest {
  std::string id;
  /// Empty = the user's home.
  std::string cwd;
  base::TerminalSize size;
  /// For the user's shell; empty = the shell itself.
  std::string command;
  base::Environment environment;
};

/// `invalid_input` for what is none.
[[nodiscard]] Result<OpenRequest> parseOpenRequest(const std::string& command);
/// Rows and columns from 1 to limits::kTerminalSize.
[[nodiscard]] bool isTerminalSize(std::int64_t rows, std::int64_t columns);

/// Starts the user's shell, as a login would, at a terminal of its own. Thread-safe; blocks.
class Starter {
 public:
  /// `own`: the daemon's environment. `bin`: where svc is, which programs there find. `runs`: a directory for the marks of those that
  /// run, by which the next daemon ends what this one leaves behind when it is killed.
  Starter(base::Environment own, std::filesystem::path bin, std::filesystem::path runs);

  /// Ends what an earlier daemon has left.
  void endLeftovers();
  /// Errors: `not_found`, `invalid_input`, `forbidden` (the directory), `unavailable`.
  [[nodiscard]] Result<Started> start(const OpenRequest& request, const std::string& server_url);
  /// The terminal with this mark is over.
  void forget(const std::string& mark) const;

 private:
  [[nodiscard]] base::Environment environmentFor(const OpenRequest& request,
                                                 const std::string& server_url,
                                                 const std::string& shell);
  /// svc is there, and the user's profile drops its directory from PATH.
  [[nodiscard]] bool profileHidesSvc();
  /// What is started: the shell, or a command in it.
  struct Words {
    std::vector<std::string> argv;
    std::string shown_as;
  };
  [[nodiscard]] Words wordsFor(const OpenRequest& request, const std::string& shell);

  const base::Environment own_;
  const std::filesystem::path bin_;
  const base::ProcessMarks marks_;
  std::once_flag cleaned_;
  const bool has_svc_;
  /// With the directory of svc, unless the profile drops it.
  base::LoginPath login_path_;
};

}  // namespace svc::pty
