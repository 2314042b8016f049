#include "subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

namespace svc::client {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kKept = std::size_t{1} << 20U;
constexpr int kCannotStart = 127;

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(0);
    close(1);
  }
  void close(std::size_t end) {
    if (ends.at(end) >= 0) {
      ::close(ends.at(end));
      ends.at(end) = -1;
    }
  }
};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (auto& word : words) {
    result.push_back(word.data());
  }
  result.push_back(nullptr);
  return result;
}

/// Reads what is there; false at the end of the stream.
bool readSome(int fd, std::string& text) {
  std::array<char, 65536> buffer{};
  const auto size = ::read(fd, buffer.data(), buffer.size());
  if (size <= 0) {
    return size < 0 && errno == EINTR;
  }
  const auto room = kKept - std::min(text.size(), kKept);
  text.append(buffer.data(), std::min(room, static_cast<std::size_t>(size)));
  return true;
}

/// False when the deadline passes before both streams end.
bool readBoth(Pipe& out, Pipe& err, ProcessOutcome& outcome, Clock::time_point deadline) {
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      return false;
    }
    std::array<pollfd, 2> entries{pollfd{out.ends[0], POLLIN, 0}, pollfd{err.ends[0], POLLIN, 0}};
    if (::poll(entries.data(), entries.size(), static_cast<int>(left)) < 0 && errno != EINTR) {
      return false;
    }
    if (entries[0].revents != 0 && !readSome(out.ends[0], outcome.out)) {
      out.close(0);
    }
    if (entries[1].revents != 0 && !readSome(err.ends[0], outcome.err)) {
      err.close(0);
    }
  }
  return true;
}

[[noreturn]] void become(const ProcessRequest& request, const std::vector<char*>& argv,
                         const std::vector<char*>& environment, int out, int err) {
  // A group of its own, so that what it started ends with it.
  ::setpgid(0, 0);
  if (!request.directory.empty() && ::chdir(request.directory.c_str()) != 0) {
    ::_exit(kCannotStart);
  }
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (request.environment) {
    ::execvpe(argv[0], argv.data(), environment.data());
  } else {
    ::execvp(argv[0], argv.data());
  }
  ::_exit(kCannotStart);
}

}  // namespace

Result<ProcessOutcome> runProcess(const ProcessRequest& request) {
  const auto deadline = Clock::now() + request.bound;
  Pipe out;
  Pipe err;
  if (::pipe2(out.ends.data(), O_CLOEXEC) != 0 || ::pipe2(err.ends.data(), O_CLOEXEC) != 0) {
    return Error{errc::kUnavailable, std::string("cannot make a pipe: ") + std::strerror(errno)};
  }
  auto words = request.argv;
  auto variables = request.environment.value_or(std::vector<std::string>{});
  const auto argv = pointers(words);
  const auto environment = pointers(variables);
  const pid_t pid = ::fork();
  if (pid < 0) {
    return Error{errc::kUnavailable,
                 std::string("cannot start a process: ") + std::strerror(errno)};
  }
  if (pid == 0) {
    become(request, argv, environment, out.ends[1], err.ends[1]);
  }
  out.close(1);
  err.close(1);
  ProcessOutcome outcome;
  const bool ended = readBoth(out, err, outcome, deadline);
  if (!ended) {
    ::kill(-pid, SIGKILL);
    ::kill(pid, SIGKILL);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended) {
    return Error{errc::kTimeout, fmt::format("{} did not end within {} s", request.argv.front(),
                                             request.bound.count() / 1000)};
  }
  constexpr int kSignalBase = 128;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
  if (outcome.exit_code == kCannotStart && outcome.out.empty() && outcome.err.empty()) {
    return Error{errc::kNotFound, fmt::format("cannot run {}", request.argv.front())};
  }
  return outcome;
}

}  // namespace svc::client
