#include "child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

// The header of glibc 2.36 does not declare these for C++.
extern "C" {
#include <sys/pidfd.h>
}

namespace svc::client {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kKeptOutput = 64UL * 1024;
constexpr milliseconds kTickEvery{1000};
/// What an interrupted child has to end by itself.
constexpr milliseconds kGrace{2000};

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }
  void reset(int fd = -1) {
    if (fd_ >= 0) {
      ::close(fd_);
    }
    fd_ = fd;
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
  [[nodiscard]] bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      return false;
    }
    read.reset(ends[0]);
    write.reset(ends[1]);
    return true;
  }
};

/// Never returns. `failure` carries errno to the parent when the program cannot be run.
[[noreturn]] void becomeChild(const ChildCommand& command, char* const* argv, int output,
                              int failure, pid_t parent) {
  ::setpgid(0, 0);
  // A parent that is killed takes it along; without this it would go on in the background.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) {
    ::_exit(127);
  }
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) {
    ::signal(signal, SIG_DFL);
  }
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  if (::chdir(command.directory.c_str()) == 0) {
    ::execvp(argv[0], argv);
  }
  const int reason = errno;
  [[maybe_unused]] const auto ignored = ::write(failure, &reason, sizeof(reason));
  ::_exit(127);
}

/// A started child with what is needed to follow it.
class Running {
 public:
  Running(pid_t pid, int output) : pid_(pid), exit_(::pidfd_open(pid, 0)), output_(output) {
    ::fcntl(output_, F_SETFL, O_NONBLOCK);
  }

  /// Until the child ends or `interrupts` is readable; true when it ended.
  bool follow(int interrupts, const IChildRunner::Tick& tick) {
    const auto start = Clock::now();
    for (;;) {
      std::array<pollfd, 3> entries{
          {{.fd = exit_.get(), .events = POLLIN, .revents = 0},
           {.fd = output_open_ ? output_ : -1, .events = POLLIN, .revents = 0},
           {.fd = interrupts, .events = POLLIN, .revents = 0}}};
      const int ready =
          ::poll(entries.data(), entries.size(), static_cast<int>(kTickEvery.count()));
      drain();
      if (entries[0].revents != 0 && ready > 0) {
        return true;
      }
      if (entries[2].revents != 0 && ready > 0) {
        return false;
      }
      if (ready == 0 && tick) {
        tick(std::chrono::duration_cast<milliseconds>(Clock::now() - start));
      }
    }
  }

  /// The child and everything in its group.
  void end() {
    ::kill(-pid_, SIGTERM);
    pollfd entry{.fd = exit_.get(), .events = POLLIN, .revents = 0};
    while (::poll(&entry, 1, static_cast<int>(kGrace.count())) < 0 && errno == EINTR) {
    }
    ::kill(-pid_, SIGKILL);
  }

  ChildOutcome reap(bool interrupted) {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    drain();
    ChildOutcome outcome;
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.output = std::move(text_);
    outcome.interrupted = interrupted;
    return outcome;
  }

 private:
  void drain() {
    std::array<char, 4096> buffer{};
    while (output_open_) {
      const auto size = ::read(output_, buffer.data(), buffer.size());
      if (size > 0) {
        text_.append(buffer.data(), static_cast<std::size_t>(size));
        if (text_.size() > 2 * kKeptOutput) {
          text_.erase(0, text_.size() - kKeptOutput);
        }
      } else if (size == 0 || (errno != EINTR && errno != EAGAIN)) {
        output_open_ = false;
      } else if (errno == EAGAIN) {
        return;
      }
    }
  }

  pid_t pid_;
  Descriptor exit_;
  int output_;
  bool output_open_ = true;
  std::string text_;
};

Error cannotStart(const std::string& program, int reason) {
  return Error{reason == ENOENT ? errc::kNotFound : errc::kUnavailable,
               "\"" + program + "\" cannot be started: " + std::strerror(reason)};
}

}  // namespace

Result<ChildOutcome> ChildRunner::run(const ChildCommand& command, const Tick& tick) {
  Pipe output;
  Pipe failure;
  if (!output.open() || !failure.open()) {
    return cannotStart(command.argv.front(), errno);
  }
  std::vector<std::string> words = command.argv;
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (auto& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);

  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    return cannotStart(command.argv.front(), errno);
  }
  if (pid == 0) {
    becomeChild(command, argv.data(), output.write.get(), failure.write.get(), parent);
  }
  ::setpgid(pid, pid);
  output.write.reset();
  failure.write.reset();
  Running running(pid, output.read.get());
  int reason = 0;
  // Its end closes when the program runs, so this does not wait for the program.
  while (true) {
    const auto size = ::read(failure.read.get(), &reason, sizeof(reason));
    if (size == 0) {
      break;
    }
    if (size > 0) {
      static_cast<void>(running.reap(false));
      return cannotStart(command.argv.front(), reason);
    }
    if (errno != EINTR) {
      break;
    }
  }
  const bool ended = running.follow(interrupts_, tick);
  if (!ended) {
    running.end();
  }
  return running.reap(!ended);
}

}  // namespace svc::client
