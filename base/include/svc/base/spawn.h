#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "svc/base/environment.h"
#include "svc/base/fd.h"
#include "svc/base/result.h"

namespace svc::base {

/// How a process has ended.
struct ExitStatus {
  int code = 0;
  /// The signal that ended it; 0 when it ended by itself.
  int signal = 0;

  [[nodiscard]] bool ok() const { return code == 0 && signal == 0; }
  /// As shells say it: 128 + n for signal n.
  [[nodiscard]] int shellCode() const;
  /// "ended with exit status 1", "was ended by signal 9".
  [[nodiscard]] std::string text() const;
};

enum class ProcessGroup : std::uint8_t {
  kShared,   ///< of its parent: Ctrl-C in a terminal reaches both
  kOwn,      ///< of its own, with what it starts
  kSession,  ///< of its own in a session of its own, which has no terminal to ask questions at
};

/// A descriptor of this process that a child gets, under a number of its own.
struct PassedDescriptor {
  int descriptor = -1;
  int number = -1;
};

struct SpawnOptions {
  /// The program, looked for on PATH when it has no slash, and its arguments. No shell sees them.
  std::vector<std::string> argv{};
  /// What lists of processes show instead of the program; empty for the program.
  std::string shown_as{};
  /// Without one it gets this process's.
  std::optional<Environment> environment{};
  /// Working directory; empty is that of this process. A relative program is looked for there.
  std::filesystem::path directory{};
  /// Standard streams: descriptors of this process, also of its own standard streams; -1 is /dev/null.
  int in = -1;
  int out = -1;
  int err = -1;
  /// Beside the streams; their numbers are from 3 on. It gets nothing else.
  std::vector<PassedDescriptor> passed{};
  ProcessGroup group = ProcessGroup::kOwn;
  /// `in` is a terminal (pty.h), which becomes the one of its session. Only with kSession.
  bool controls_terminal = false;
  /// What it gets when the *thread* that starts it ends, also because the process is killed; 0 for nothing.
  int parent_death_signal = 0;
  /// SIGPIPE is ignored in it, which programs inherit. All other signals have their defaults.
  bool ignores_sigpipe = false;
  /// Bytes of each file that it and what it starts may write: more ends it (SIGXFSZ), and leaves none of its memory on the disk. 0 = any.
  std::uint64_t file_limit = 0;
};

/// A child of this process. Whoever lets go of it ends it at once, with its group when that is its own. Move-only. One thread,
/// but for signal(), which is good from any while this is not moved or destroyed.
class ChildProcess {
 public:
  ChildProcess() = default;
  ChildProcess(pid_t pid, Fd ended, bool leads_group)
      : pid_(pid), ended_(std::move(ended)), leads_group_(leads_group) {}
  ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  /// True until it is reaped or released.
  explicit operator bool() const { return pid_ > 0; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// A pidfd: readable when it has ended.
  [[nodiscard]] int descriptor() const { return ended_.get(); }

  /// To the process itself. Never reaches another process with its number.
  void signal(int number) const;
  /// To all of its group; to it alone when it is in this process's.
  void signalGroup(int number) const;
  /// False when it still runs after `limit`.
  [[nodiscard]] bool awaitEnd(std::chrono::milliseconds limit) const;
  /// Waits for its end and collects it. What it has started may go on.
  ExitStatus reap();
  /// SIGTERM for its group, SIGKILL for what is left when it has ended or `grace` is over, and reap().
  ExitStatus terminate(std::chrono::milliseconds grace);

  struct Released {
    pid_t pid = -1;
    Fd ended;
  };
  /// From here on it is the caller's to end and to collect, or the system's when this process ends first.
  [[nodiscard]] Released release();

 private:
  pid_t pid_ = -1;
  Fd ended_;
  bool leads_group_ = false;
};

/// Starts a program with default signals and none of this process's descriptors but those that are named. Safe in a process with
/// threads. Blocks until the program runs. Errors: `not_found` (there is no such program), `invalid_argument` (there is a file,
/// and it cannot be run), `unavailable` (no room for a process, the file is being written, the directory cannot be entered).
[[nodiscard]] Result<ChildProcess> spawn(const SpawnOptions& options);

}  // namespace svc::base
