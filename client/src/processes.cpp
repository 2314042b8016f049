#include "processes.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "svc/base/fd.h"
#include "svc/base/files.h"
#include "svc/base/marked_processes.h"
#include "svc/base/spawn.h"
#include "svc/base/system_error.h"
#include "svc/common/codes.h"

#include "console.h"
#include "server_locator.h"

namespace svc::client {
namespace {

constexpr std::size_t kProcessFile = 4UL * 1024 * 1024;

using Clock = std::chrono::steady_clock;
constexpr std::string_view kReadyLine = "listening on ";
constexpr std::size_t kShownOutput = 4096;

/// False when the deadline passes first, or `interrupts` is readable.
bool waitReadable(int fd, Clock::time_point deadline, int interrupts = -1) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    std::array<pollfd, 2> entries{{{.fd = fd, .events = POLLIN, .revents = 0},
                                   {.fd = interrupts, .events = POLLIN, .revents = 0}}};
    const int ready = ::poll(entries.data(), entries.size(),
                             static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (ready > 0) {
      return entries[1].revents == 0;
    }
    if (ready == 0 || errno != EINTR) {
      return false;
    }
  }
}

std::optional<std::string> readyUrl(const std::string& output) {
  const auto start = output.find(kReadyLine);
  const auto end = start == std::string::npos ? start : output.find('\n', start);
  if (end == std::string::npos) {
    return std::nullopt;
  }
  return output.substr(start + kReadyLine.size(), end - start - kReadyLine.size());
}

std::string lastPart(const std::string& output) {
  if (output.size() <= kShownOutput) {
    return output;
  }
  const auto line = output.find('\n', output.size() - kShownOutput);
  return output.substr(line == std::string::npos ? output.size() - kShownOutput : line + 1);
}

}  // namespace

namespace {

/// A server whose lock file was removed still holds the directory, and its record says who it is.
std::optional<int> holderOfDirectory(const std::filesystem::path& data_dir) {
  const base::Fd directory(::open(data_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || ::flock(directory.get(), LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
    return std::nullopt;
  }
  const auto record = readServerRecord(data_dir);
  return record && record->pid > 0 ? std::optional(record->pid) : std::nullopt;
}

}  // namespace

std::optional<int> lockOwner(const std::filesystem::path& data_dir) {
  const base::Fd lock(
      ::open((data_dir / "server.lock").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!lock || ::flock(lock.get(), LOCK_SH | LOCK_NB) == 0) {
    return holderOfDirectory(data_dir);
  }
  std::array<char, 32> text{};
  const auto size = ::pread(lock.get(), text.data(), text.size(), 0);
  int pid = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + std::max<ssize_t>(size, 0), pid);
  return parsed.ec == std::errc{} && pid > 0 ? std::optional(pid) : std::nullopt;
}

namespace {

enum class Holds : std::uint8_t { kYes, kNo, kUnknown };

/// Whether the process has that directory, or the lock in it, open.
Holds holds(int pid, const std::filesystem::path& data_dir) {
  namespace fs = std::filesystem;
  std::error_code failed;
  fs::directory_iterator open_files(fmt::format("/proc/{}/fd", pid), failed);
  if (failed) {
    std::error_code ignored;
    return failed == std::errc::permission_denied || !fs::exists("/proc/self", ignored)
               ? Holds::kUnknown
               : Holds::kNo;
  }
  const std::array wanted{data_dir / "server.lock", data_dir};
  for (; open_files != fs::directory_iterator(); open_files.increment(failed)) {
    std::error_code ignored;
    if (std::any_of(wanted.begin(), wanted.end(), [&](const auto& file) {
          return fs::equivalent(open_files->path(), file, ignored);
        })) {
      return Holds::kYes;
    }
  }
  return Holds::kNo;
}

}  // namespace

Status checkHolder(int pid, const std::filesystem::path& data_dir) {
  const auto holder = holds(pid, data_dir);
  if (holder == Holds::kYes || lockOwner(data_dir) != pid) {
    return {};
  }
  if (holder == Holds::kNo) {
    return Error{codes::kRefused,
                 fmt::format("the server of {} calls itself process {}, and that is another one "
                             "here, or none: it runs in a container, or on another machine that "
                             "has this directory, too",
                             data_dir.string(), pid)};
  }
  if (::kill(pid, 0) != 0 && errno == EPERM) {
    return Error{codes::kRefused, fmt::format("the server of {} (pid {}) belongs to another user",
                                              data_dir.string(), pid)};
  }
  return {};
}

Result<std::string> awaitReady(int output, std::chrono::milliseconds bound, int interrupts) {
  const auto deadline = Clock::now() + bound;
  std::string text;
  std::array<char, 4096> buffer{};
  while (waitReadable(output, deadline, interrupts)) {
    const auto size = base::readSome(output, buffer.data(), buffer.size());
    if (size <= 0) {
      return Error{errc::kUnavailable, "the server ended before it was ready:\n" + lastPart(text)};
    }
    text.append(buffer.data(), static_cast<std::size_t>(size));
    if (auto url = readyUrl(text)) {
      return std::move(*url);
    }
  }
  if (Clock::now() < deadline) {
    return Error{errc::kAborted, "interrupted"};
  }
  return Error{errc::kTimeout,
               "the server was not ready in time and was stopped:\n" + lastPart(text)};
}

Result<StartedServer> startServer(const std::filesystem::path& program,
                                  const std::vector<std::string>& arguments,
                                  std::chrono::milliseconds bound) {
  auto output = base::makePipe();
  if (!output) {
    return std::move(output).error();
  }
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const int said = output.value().write.get();
  // A server outlives who has started it, also when that was a plugin.
  auto environment = base::currentEnvironment();
  environment.erase(base::kProcessMark);
  // Nobody reads the pipe once the server is ready; its log goes to the file, and what it prints is dropped.
  auto started = base::spawn({.argv = std::move(words),
                              .environment = std::move(environment),
                              .out = said,
                              .err = said,
                              .group = base::ProcessGroup::kSession,
                              .ignores_sigpipe = true});
  if (!started) {
    return std::move(started).error();
  }
  output.value().write.reset();
  const auto server = started.value().release();
  auto url = awaitReady(output.value().read.get(), bound);
  if (!url) {
    ::kill(server.pid, SIGTERM);
    return std::move(url).error();
  }
  return StartedServer{server.pid, std::move(url).value()};
}

Status stopProcess(int pid, std::chrono::milliseconds bound) {
  // The descriptor names this very process: a later one with the same number cannot be hit.
  const base::Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process || ::syscall(SYS_pidfd_send_signal, process.get(), SIGTERM, nullptr, 0) != 0) {
    if (errno == ESRCH) {
      return {};
    }
    return base::systemError(fmt::format("cannot stop process {}", pid), errno);
  }
  if (!waitReadable(process.get(), Clock::now() + bound)) {
    return Error{errc::kTimeout, fmt::format("the server (pid {}) did not stop within {} s", pid,
                                             bound.count() / 1000)};
  }
  return {};
}

std::vector<std::string> argumentsOf(int pid) {
  // A process may end between the opening of its file and the reading.
  const auto read = base::readFile(fmt::format("/proc/{}/cmdline", pid), kProcessFile);
  const std::string text = read ? read.value() : std::string();
  std::vector<std::string> words;
  for (std::size_t start = 0; start < text.size();) {
    const auto end = std::min(text.find('\0', start), text.size());
    words.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  if (!words.empty()) {
    words.erase(words.begin());
  }
  return words;
}

std::optional<base::Environment> variablesOf(int pid) {
  std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
  base::Environment variables;
  for (std::string entry; std::getline(file, entry, '\0');) {
    const auto equals = std::min(entry.find('='), entry.size());
    variables.emplace(entry.substr(0, equals), entry.substr(std::min(equals + 1, entry.size())));
  }
  return variables.empty() ? std::nullopt : std::optional(std::move(variables));
}

}  // namespace svc::client
