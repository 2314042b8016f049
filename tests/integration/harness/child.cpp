#include "child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>

extern char** environ;

namespace svc::test {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> environmentFor(const Command& command) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    // The developer's own server and terminal must not leak into a test. What servers have compiled of the runtime is the
    // same for all of them, whoever names the file.
    const bool shared = text.starts_with("SVC_JSRUNTIME_CODE_CACHE=");
    const bool foreign = (text.starts_with("SVC_") && !shared) || text.starts_with("XDG_") ||
                         text.starts_with("HOME=") || text.starts_with("NO_COLOR=");
    if (!foreign) {
      result.emplace_back(text);
    }
  }
  // Of two of one name a program finds the first.
  if (!command.environment.contains("HOME")) {
    result.emplace_back("HOME=/nonexistent");
  }
  for (const auto& [name, value] : command.environment) {
    result.push_back(name + "=" + value);
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (auto& word : words) {
    result.push_back(word.data());
  }
  result.push_back(nullptr);
  return result;
}

/// A file that holds the text and is gone from the file system.
int inputFile(const std::string& text) {
  const int fd = static_cast<int>(::syscall(SYS_memfd_create, "input", 1U));
  if (fd < 0 || ::write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error("cannot make an input file");
  }
  ::lseek(fd, 0, SEEK_SET);
  return fd;
}

std::array<int, 2> makePipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("cannot make a pipe");
  }
  return ends;
}

int millisecondsUntil(Clock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(0, left));
}

/// Appends what is there; closes the descriptor at the end of the stream.
void drain(int& fd, std::string& text) {
  std::array<char, 65536> buffer{};
  const auto size = ::read(fd, buffer.data(), buffer.size());
  if (size > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(size));
  } else {
    ::close(fd);
    fd = -1;
  }
}

}  // namespace

TempDir::TempDir() {
  auto pattern = (std::filesystem::temp_directory_path() / "svc-it-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("cannot make a temporary directory");
  }
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Child::Child(const Command& command) {
  auto argv_words = command.argv;
  auto environment_words = environmentFor(command);
  const auto argv = pointers(argv_words);
  const auto environment = pointers(environment_words);
  const auto out = makePipe();
  const auto err = makePipe();
  const int in = inputFile(command.input);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(in, STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    if (::chdir(command.directory.c_str()) == 0) {
      ::execve(argv[0], argv.data(), environment.data());
    }
    ::_exit(127);
  }
  ::close(in);
  ::close(out[1]);
  ::close(err[1]);
  out_ = out[0];
  err_ = err[0];
  process_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  if (pid_ < 0 || process_ < 0) {
    throw std::runtime_error("cannot start " + command.argv.front() + ": " + std::strerror(errno));
  }
}

Child::~Child() {
  if (!exit_code_) {
    signal(SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
  }
  for (const int fd : {process_, out_, err_}) {
    if (fd >= 0) {
      ::close(fd);
    }
  }
}

void Child::signal(int number) const {
  if (!exit_code_) {
    ::kill(pid_, number);
  }
}

bool Child::pump(Clock::time_point deadline) {
  std::array<pollfd, 3> entries{
      pollfd{.fd = out_, .events = POLLIN, .revents = 0},
      pollfd{.fd = err_, .events = POLLIN, .revents = 0},
      pollfd{.fd = exit_code_ ? -1 : process_, .events = POLLIN, .revents = 0}};
  if (::poll(entries.data(), entries.size(), millisecondsUntil(deadline)) <= 0) {
    return false;
  }
  if (entries[0].revents != 0) {
    drain(out_, out_text_);
  }
  if (entries[1].revents != 0) {
    drain(err_, err_text_);
  }
  if (entries[2].revents != 0) {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return true;
}

std::optional<std::string> Child::readLine(std::chrono::milliseconds bound) {
  const auto deadline = Clock::now() + bound;
  for (;;) {
    if (const auto end = out_text_.find('\n'); end != std::string::npos) {
      auto line = out_text_.substr(0, end);
      out_text_.erase(0, end + 1);
      return line;
    }
    if (out_ < 0 || !pump(deadline)) {
      return std::nullopt;
    }
  }
}

std::optional<Outcome> Child::wait(std::chrono::milliseconds bound) {
  const auto deadline = Clock::now() + bound;
  while (!exit_code_) {
    if (!pump(deadline)) {
      return std::nullopt;
    }
  }
  // A grandchild may hold the pipes open; what this process wrote is there already.
  while ((out_ >= 0 || err_ >= 0) && pump(Clock::now())) {
  }
  return Outcome{*exit_code_, out_text_, err_text_};
}

std::string Child::errorText() {
  while (err_ >= 0 && pump(Clock::now())) {
  }
  return err_text_;
}

Outcome runCommand(const Command& command) {
  Child child(command);
  auto outcome = child.wait();
  if (!outcome) {
    throw std::runtime_error(command.argv.front() +
                             " did not end in time; it said: " + child.errorText());
  }
  return std::move(*outcome);
}

}  // namespace svc::test
