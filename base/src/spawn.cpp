#include "svc/base/spawn.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "svc/base/assert.h"
#include "svc/base/system_error.h"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace svc::base {
namespace {

enum class Step : std::uint8_t { kPrepare, kDirectory, kRun };

/// What a child says that could not become the program.
struct Failure {
  Step step = Step::kPrepare;
  int code = 0;
};

struct Move {
  int from = -1;
  int to = -1;
};

struct Range {
  unsigned first = 0;
  unsigned last = 0;
};

/// All that the child needs, made before it exists: it shares this process's memory, and whatever lock another thread held
/// stays locked in it.
struct Plan {
  std::vector<std::string> words;
  std::vector<std::string> variables;
  /// Where the program may be, in order.
  std::vector<std::string> programs;
  std::vector<char*> argv;
  std::vector<char*> environment;
  char* const* envp = nullptr;
  std::string directory;
  /// Copies above every number that is given, so that none is overwritten before it is used.
  std::vector<Fd> kept;
  std::vector<Move> moves;
  std::vector<Range> closed;
  Fd failure;
  ProcessGroup group = ProcessGroup::kOwn;
  int parent_death_signal = 0;
  pid_t parent = -1;
  bool ignores_sigpipe = false;
  std::uint64_t file_limit = 0;
  bool controls_terminal = false;
};

// What follows runs in the child until the program does: system calls only.

[[noreturn]] void giveUp(const Plan& plan, Step step, int code) {
  const Failure failure{step, code};
  [[maybe_unused]] const auto ignored = ::write(plan.failure.get(), &failure, sizeof failure);
  constexpr int kCannotRun = 127;
  ::_exit(kCannotRun);
}

void resetSignals(bool ignores_sigpipe) {
  struct sigaction action {};
  for (int number = 1; number < NSIG; ++number) {
    action.sa_handler = number == SIGPIPE && ignores_sigpipe ? SIG_IGN : SIG_DFL;
    // Some cannot be changed, and need not.
    ::sigaction(number, &action, nullptr);
  }
}

/// Kernels and sandboxes without close_range are asked number by number.
void closeRange(Range range) {
  if (::syscall(SYS_close_range, range.first, range.last, 0) == 0) {
    return;
  }
  constexpr unsigned kHighest = 1U << 20U;
  for (auto number = range.first; number <= std::min(range.last, kHighest); ++number) {
    ::close(static_cast<int>(number));
  }
}

/// Where the limit of this process is lower, that one holds.
void limitFiles(std::uint64_t bytes) {
  rlimit files{};
  if (::getrlimit(RLIMIT_FSIZE, &files) == 0) {
    files.rlim_cur = files.rlim_max = std::min<rlim_t>(bytes, files.rlim_max);
    ::setrlimit(RLIMIT_FSIZE, &files);
  }
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

[[noreturn]] void becomeProgram(const Plan& plan) {
  resetSignals(plan.ignores_sigpipe);
  if (plan.group == ProcessGroup::kSession) {
    ::setsid();
  } else if (plan.group == ProcessGroup::kOwn) {
    ::setpgid(0, 0);
  }
  if (plan.parent_death_signal != 0) {
    ::prctl(PR_SET_PDEATHSIG, plan.parent_death_signal);
    if (::getppid() != plan.parent) {
      ::_exit(0);  // nobody is left who would want it
    }
  }
  for (const auto& move : plan.moves) {
    while (::dup2(move.from, move.to) < 0) {
      if (errno != EINTR && errno != EBUSY) {
        giveUp(plan, Step::kPrepare, errno);
      }
    }
  }
  for (const auto& range : plan.closed) {
    closeRange(range);
  }
  if (plan.file_limit != 0) {
    limitFiles(plan.file_limit);
  }
  if (plan.controls_terminal && ::ioctl(STDIN_FILENO, TIOCSCTTY, 0) != 0) {
    giveUp(plan, Step::kPrepare, errno);
  }
  if (!plan.directory.empty() && ::chdir(plan.directory.c_str()) != 0) {
    giveUp(plan, Step::kDirectory, errno);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  int reason = ENOENT;
  for (const auto& program : plan.programs) {
    ::execve(program.c_str(), plan.argv.data(), plan.envp);
    if (errno == EACCES) {
      reason = EACCES;  // a later directory may have one that can be run
    } else if (errno != ENOENT && errno != ENOTDIR) {
      giveUp(plan, Step::kRun, errno);
    }
  }
  giveUp(plan, Step::kRun, reason);
}

/// Of its own function, so that nothing of the caller's lives on the stack that parent and child share.
[[gnu::noinline]] pid_t startChild(const Plan& plan) {
  const pid_t child = ::vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork): see Plan
  if (child == 0) {
    becomeProgram(plan);
  }
  return child;
}

// From here on it is the parent again.

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (auto& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> candidates(const std::string& program) {
  if (program.empty() || program.find('/') != std::string::npos) {
    return {program};
  }
  const char* const path = ::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): as exec does
  std::string_view left = path == nullptr ? "/bin:/usr/bin" : path;
  std::vector<std::string> out;
  for (bool more = true; more;) {
    const auto end = std::min(left.find(':'), left.size());
    const auto directory = left.substr(0, end);
    out.push_back(directory.empty() ? "./" + program : std::string(directory) + "/" + program);
    more = end < left.size();
    left.remove_prefix(more ? end + 1 : end);
  }
  return out;
}

/// Everything but these numbers.
std::vector<Range> rangesBetween(std::vector<int> numbers) {
  std::sort(numbers.begin(), numbers.end());
  std::vector<Range> ranges;
  unsigned next = 0;
  for (const int number : numbers) {
    const auto kept = static_cast<unsigned>(number);
    if (kept > next) {
      ranges.push_back({next, kept - 1});
    }
    next = kept + 1;
  }
  ranges.push_back({next, UINT_MAX});
  return ranges;
}

/// Descriptors of the child: what becomes what, and what is closed.
Status planDescriptors(const SpawnOptions& options, Plan& plan) {
  std::vector<PassedDescriptor> wanted{
      {options.in, STDIN_FILENO}, {options.out, STDOUT_FILENO}, {options.err, STDERR_FILENO}};
  wanted.insert(wanted.end(), options.passed.begin(), options.passed.end());
  int top = 0;
  for (const auto& each : wanted) {
    top = std::max(top, each.number);
  }
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  std::vector<int> stay;
  for (const auto& each : wanted) {
    const int source = each.descriptor < 0 ? null.get() : each.descriptor;
    auto& copy = plan.kept.emplace_back(::fcntl(source, F_DUPFD_CLOEXEC, top + 1));
    if (!copy) {
      return systemError("cannot pass on a descriptor", errno);
    }
    plan.moves.push_back({copy.get(), each.number});
    stay.push_back(each.number);
  }
  // It closes when the program runs, which is how this process knows.
  plan.failure = Fd(::fcntl(plan.failure.get(), F_DUPFD_CLOEXEC, top + 1));
  if (!plan.failure) {
    return systemError("cannot make a pipe", errno);
  }
  stay.push_back(plan.failure.get());
  plan.closed = rangesBetween(std::move(stay));
  return {};
}

void planProgram(const SpawnOptions& options, Plan& plan) {
  plan.programs = candidates(options.argv.front());
  plan.words = options.argv;
  if (!options.shown_as.empty()) {
    plan.words.front() = options.shown_as;
  }
  plan.argv = pointersTo(plan.words);
  plan.envp = environ;
  if (options.environment) {
    for (const auto& [name, value] : *options.environment) {
      plan.variables.push_back(name + "=" + value);
    }
    plan.environment = pointersTo(plan.variables);
    plan.envp = plan.environment.data();
  }
  plan.directory = options.directory.string();
  plan.group = options.group;
  plan.parent_death_signal = options.parent_death_signal;
  plan.parent = ::getpid();
  plan.ignores_sigpipe = options.ignores_sigpipe;
  plan.file_limit = options.file_limit;
  plan.controls_terminal = options.controls_terminal;
}

/// No handler of this process may run in the child, whose memory is this process's.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

Error describe(const Failure& failure, const SpawnOptions& options) {
  const auto& program = options.argv.front();
  if (failure.step == Step::kDirectory) {
    return systemError(fmt::format("cannot run {} in {}", program, options.directory.string()),
                       failure.code);
  }
  auto error = systemError(fmt::format("cannot run {}", program), failure.code);
  if (failure.step == Step::kRun) {
    switch (failure.code) {
      case ENOENT:
      case ENOTDIR:
        error.code = errc::kNotFound;
        break;
      case EAGAIN:
      case ENOMEM:
      case ETXTBSY:
      case EMFILE:
      case ENFILE:
        break;
      default:
        error.code = errc::kInvalidArgument;
    }
  }
  return error;
}

void collect(pid_t pid) {
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

Result<ChildProcess> spawn(const SpawnOptions& options) {
  SVC_ASSERT(!options.controls_terminal || options.group == ProcessGroup::kSession);
  auto failures = makePipe();
  if (!failures) {
    return std::move(failures).error();
  }
  Plan plan;
  plan.failure = std::move(failures.value().write);
  if (auto planned = planDescriptors(options, plan); !planned) {
    return std::move(planned).error();
  }
  planProgram(options, plan);
  pid_t pid = -1;
  int reason = 0;
  {
    const SignalsBlocked blocked;
    pid = startChild(plan);
    reason = errno;
  }
  if (pid < 0) {
    return describe({Step::kPrepare, reason}, options);
  }
  plan.failure.reset();
  Failure failure;
  if (readSome(failures.value().read.get(), reinterpret_cast<char*>(&failure),  // NOLINT
               sizeof failure) == static_cast<std::ptrdiff_t>(sizeof failure)) {
    collect(pid);
    return describe(failure, options);
  }
  const bool leads = options.group != ProcessGroup::kShared;
  Fd ended(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!ended) {
    auto error = systemError(fmt::format("cannot watch {}", options.argv.front()), errno);
    ::kill(leads ? -pid : pid, SIGKILL);
    collect(pid);
    return error;
  }
  return ChildProcess(pid, std::move(ended), leads);
}

}  // namespace svc::base
