#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include "svc/common/codes.h"

extern char** environ;  // NOLINT: how POSIX declares it

namespace svc::installs {
namespace {

using Clock = std::chrono::steady_clock;

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { close(); }
  void close() {
    if (fd_ >= 0) {
      ::close(std::exchange(fd_, -1));
    }
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_ = -1;
};

Error systemError(const std::string& what) {
  return {errc::kUnavailable, fmt::format("{}: {}", what, std::generic_category().message(errno))};
}

struct Pipe {
  Fd read;
  Fd write;
};

Result<Pipe> makePipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return systemError("cannot make a pipe");
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

/// "NAME=value" entries, and the pointers posix_spawn takes.
class Environment {
 public:
  explicit Environment(const Command& command) {
    std::map<std::string, std::string> values;
    for (char** each = environ; *each != nullptr; ++each) {
      const std::string entry(*each);
      values.emplace(entry.substr(0, entry.find('=')), entry);
    }
    for (const auto& name : command.removed_environment) {
      values.erase(name);
    }
    for (const auto& [name, value] : command.environment) {
      values[name] = fmt::format("{}={}", name, value);
    }
    for (auto& [name, entry] : values) {
      entries_.push_back(std::move(entry));
    }
    for (auto& entry : entries_) {
      pointers_.push_back(entry.data());
    }
    pointers_.push_back(nullptr);
  }
  [[nodiscard]] char* const* get() const { return pointers_.data(); }

 private:
  std::vector<std::string> entries_;
  std::vector<char*> pointers_;
};

/// Starts the program as the leader of a new session and process group, with default signals.
Result<pid_t> spawn(const Command& command, int out, int err) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  // A connection that was just accepted may not be marked yet: its client would wait for the end of this program, too.
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawn_file_actions_addchdir_np(&actions, command.directory.c_str());
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  // A session of its own has no terminal: what wants to ask a question there fails instead of waiting.
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> arguments = command.argv;
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (auto& argument : arguments) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);
  const Environment environment(command);
  pid_t child = -1;
  const int failure =
      ::posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environment.get());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    errno = failure;
    const bool missing = failure == ENOENT && ::access(command.directory.c_str(), X_OK) == 0;
    return missing ? Error{errc::kUnavailable,
                           fmt::format("\"{}\" is not on the PATH of the server; install it and "
                                       "restart the server",
                                       command.argv.front())}
                   : systemError(fmt::format("cannot run {}", command.argv.front()));
  }
  return child;
}

/// Reads what is there, a little more than `limit` bytes at most. False at the end of the stream.
bool drain(const Fd& from, std::string& into, std::size_t limit) {
  std::array<char, 65536>
      buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  while (into.size() <= limit) {
    const auto count = ::read(from.get(), buffer.data(), buffer.size());
    if (count > 0) {
      into.append(buffer.data(), static_cast<std::size_t>(count));
      continue;
    }
    if (count < 0 && errno == EINTR) {
      continue;
    }
    return count < 0 && errno == EAGAIN;
  }
  return true;
}

/// A running child. Its group is killed and the child reaped when this goes away.
class Child {
 public:
  Child(pid_t pid, Fd handle) : pid_(pid), handle_(std::move(handle)) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (!reaped_) {
      (void)reap();
    }
  }
  [[nodiscard]] int handle() const { return handle_.get(); }
  /// Ends what is left of its group, which exists at least until the child is reaped.
  int reap() {
    int status = 0;
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, &status, 0);
    reaped_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_;
  Fd handle_;
  bool reaped_ = false;
};

struct Streams {
  Pipe out;
  Pipe err;
  Fd stopped;
};

Result<Output> collect(const Command& command, const Streams& streams, Child& child) {
  const auto deadline = Clock::now() + command.timeout;
  const auto& name = command.argv.front();
  Output output;
  bool out_open = true;
  bool err_open = true;
  for (bool running = true; running;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      return Error{errc::kTimeout, fmt::format("{} did not finish within {} ms (limit fetchTool)",
                                               name, command.timeout.count())};
    }
    std::array<pollfd, 4> wait{{{streams.stopped.get(), POLLIN, 0},
                                {child.handle(), POLLIN, 0},
                                {out_open ? streams.out.read.get() : -1, POLLIN, 0},
                                {err_open ? streams.err.read.get() : -1, POLLIN, 0}}};
    if (::poll(wait.data(), wait.size(), static_cast<int>(std::min<long>(left, 60'000))) < 0 &&
        errno != EINTR) {
      return systemError("cannot wait for a program");
    }
    if (wait[0].revents != 0) {
      return Error{errc::kAborted, fmt::format("{} was stopped", name)};
    }
    running = wait[1].revents == 0;
    // What it wrote last is in the pipes when it has ended; a descendant may keep them open for ever.
    out_open = out_open && drain(streams.out.read, output.out, command.output_limit);
    err_open = err_open && drain(streams.err.read, output.err, command.output_limit);
    if (std::max(output.out.size(), output.err.size()) > command.output_limit) {
      return Error{errc::kTooLarge,
                   fmt::format("{} wrote more than {} bytes", name, command.output_limit)};
    }
  }
  output.exit_code = child.reap();
  return output;
}

}  // namespace

Result<Output> Processes::run(const Command& command, std::stop_token stop) {
  auto out = makePipe();
  auto err = makePipe();
  if (!out || !err) {
    return !out ? out.error() : err.error();
  }
  Streams streams{std::move(out).value(), std::move(err).value(),
                  Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))};
  const std::stop_callback wake(stop, [fd = streams.stopped.get()] { ::eventfd_write(fd, 1); });
  auto pid = spawn(command, streams.out.write.get(), streams.err.write.get());
  if (!pid) {
    return std::move(pid).error();
  }
  Child child(pid.value(), Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid.value(), 0))));
  streams.out.write.close();
  streams.err.write.close();
  return collect(command, streams, child);
}

}  // namespace svc::installs
