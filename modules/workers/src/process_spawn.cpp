#include "process_spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include <fmt/format.h>

#include "svc/workers/worker_protocol.h"

namespace svc::workers {
namespace {

Error systemError(std::string_view what, int code) {
  return {errc::kUnavailable, fmt::format("{}: {}", what, std::generic_category().message(code))};
}

/// The file actions and attributes of posix_spawn.
class Actions {
 public:
  Actions() {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawnattr_init(&attributes_);
  }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  ~Actions() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  void stream(int fd, int as) {
    if (fd >= 0) {
      ::posix_spawn_file_actions_adddup2(&files_, fd, as);
    } else {
      ::posix_spawn_file_actions_addopen(&files_, as, "/dev/null",
                                         as == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
    }
  }
  void socket(int fd) {
    if (fd >= 0) {
      ::posix_spawn_file_actions_adddup2(&files_, fd, kWorkerSocket);
    }
    ::posix_spawn_file_actions_addclosefrom_np(&files_,
                                               fd >= 0 ? kWorkerSocket + 1 : kWorkerSocket);
  }
  void directory(const std::string& path) {
    if (!path.empty()) {
      ::posix_spawn_file_actions_addchdir_np(&files_, path.c_str());
    }
  }
  /// A session of its own has no terminal and is a process group of its own.
  void detach() {
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    ::sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }

  [[nodiscard]] const posix_spawn_file_actions_t* files() const { return &files_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

std::vector<char*> pointersTo(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (auto& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

void Fd::reset() {
  if (fd_ >= 0) {
    ::close(std::exchange(fd_, -1));
  }
}

Result<FdPair> makePipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return systemError("cannot make a pipe", errno);
  }
  return FdPair{Fd(ends[0]), Fd(ends[1])};
}

Result<FdPair> makeSocketPair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return systemError("cannot make a socket", errno);
  }
  return FdPair{Fd(ends[0]), Fd(ends[1])};
}

Result<pid_t> spawn(const SpawnOptions& options) {
  Actions actions;
  actions.stream(-1, STDIN_FILENO);
  actions.stream(options.out, STDOUT_FILENO);
  actions.stream(options.err, STDERR_FILENO);
  actions.socket(options.socket);
  actions.directory(options.directory);
  actions.detach();
  auto arguments = options.arguments;
  if (!options.shown_as.empty()) {
    arguments.front() = options.shown_as;
  }
  std::vector<std::string> variables;
  for (const auto& [name, value] : options.environment) {
    variables.push_back(name + "=" + value);
  }
  pid_t child = -1;
  const int failure = ::posix_spawn(&child, options.arguments.front().c_str(), actions.files(),
                                    actions.attributes(), pointersTo(arguments).data(),
                                    pointersTo(variables).data());
  if (failure != 0) {
    return systemError(fmt::format("cannot run {}", options.arguments.front()), failure);
  }
  return child;
}

}  // namespace svc::workers
