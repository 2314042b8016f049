#include "daemon_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "line_reader.h"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace svc::machines {
namespace {

constexpr int kKeyFd = 3;
constexpr int kParentFd = 4;
/// Where descriptors are before they get their numbers, so that none is overwritten first.
constexpr int kAboveAll = 10;

class Fd {
 public:
  Fd() = default;
  explicit Fd(int number) : number_(number) {}
  Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    close();
    number_ = std::exchange(other.number_, -1);
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { close(); }
  void close() {
    if (number_ >= 0) {
      ::close(std::exchange(number_, -1));
    }
  }
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_ = -1;
};

Error systemError(std::string_view what) {
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
  const Fd low_read(ends[0]);
  const Fd low_write(ends[1]);
  Pipe pipe{Fd(::fcntl(ends[0], F_DUPFD_CLOEXEC, kAboveAll)),
            Fd(::fcntl(ends[1], F_DUPFD_CLOEXEC, kAboveAll))};
  if (pipe.read.get() < 0 || pipe.write.get() < 0) {
    return systemError("cannot make a pipe");
  }
  return pipe;
}

/// Variables of this process, without those that configure it.
std::vector<std::string> environmentOfDaemon() {
  std::vector<std::string> out;
  for (char** each = environ; *each != nullptr; ++each) {
    if (!std::string_view(*each).starts_with("SVC_")) {
      out.emplace_back(*each);
    }
  }
  return out;
}

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (auto& text : texts) {
    out.push_back(text.data());
  }
  out.push_back(nullptr);
  return out;
}

/// What the child gets in place of its descriptors.
struct ChildEnds {
  int output = -1;
  int key = -1;
  int parent = -1;
};

Result<pid_t> spawn(std::vector<std::string> argv, const ChildEnds& ends) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends.output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends.output, STDERR_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends.key, kKeyFd);
  ::posix_spawn_file_actions_adddup2(&actions, ends.parent, kParentFd);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, kParentFd + 1);
  sigset_t signals;
  ::sigemptyset(&signals);
  ::posix_spawnattr_setsigmask(&attributes, &signals);
  ::sigfillset(&signals);
  ::posix_spawnattr_setsigdefault(&attributes, &signals);
  // A group, not a session: the kernel wakes and hangs up a stopped daemon whose parent has gone.
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  auto variables = environmentOfDaemon();
  const auto arguments = pointersTo(argv);
  const auto environment = pointersTo(variables);
  pid_t child = -1;
  const int failure = ::posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(),
                                    environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    errno = failure;
    return systemError(fmt::format("cannot run {}", argv.front()));
  }
  return child;
}

std::string describe(int status) {
  return WIFEXITED(status) ? fmt::format("ended with exit status {}", WEXITSTATUS(status))
                           : fmt::format("was ended by signal {}", WTERMSIG(status));
}

/// What the thread that watches the child and the process object share.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  pid_t pid = -1;  ///< -1 once it is reaped, when the number may be another process's
};

class DaemonProcess final : public IDaemonProcess {
 public:
  DaemonProcess(pid_t pid, Fd output, Fd parent, IExecutor& main,
                std::function<void(std::string_view)> on_line, DaemonExit on_exit)
      : parent_(std::move(parent)), released_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    shared_->pid = pid;
    thread_ = std::thread([this, pid, output = std::move(output), &main, tell = std::move(on_line),
                           on_exit = std::move(on_exit)] {
      watch(pid, output.get(), tell, [&](const std::string& how) {
        main.post([alive = std::weak_ptr(alive_), on_exit, how] {
          if (alive.lock()) {
            on_exit(how);
          }
        });
      });
    });
  }
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;
  ~DaemonProcess() override {
    ::eventfd_write(released_.get(), 1);
    thread_.join();
  }

  void terminate() override {
    const std::scoped_lock lock(shared_->mutex);
    if (shared_->pid > 0) {
      ::kill(shared_->pid, SIGTERM);
    }
  }
  bool awaitExit(std::chrono::milliseconds limit) override {
    std::unique_lock lock(shared_->mutex);
    return shared_->changed.wait_for(lock, limit, [this] { return shared_->pid < 0; });
  }

 private:
  /// Reads lines until the child has ended; what it wrote last is in the pipe by then.
  void watch(pid_t pid, int output, const std::function<void(std::string_view)>& on_line,
             const std::function<void(const std::string&)>& exited) {
    LineReader lines(on_line);
    const Fd ended(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    ::fcntl(output, F_SETFL, O_NONBLOCK);
    for (bool running = true, open = true; running;) {
      std::array<pollfd, 3> wait{{{released_.get(), POLLIN, 0},
                                  {ended.get(), POLLIN, 0},
                                  {open ? output : -1, POLLIN, 0}}};
      if (::poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) {
        break;
      }
      if (wait[0].revents != 0) {
        return;
      }
      open = open && lines.readFrom(output);
      // Without a pidfd the end of the output has to do.
      running = ended.get() < 0 ? open : wait[1].revents == 0;
    }
    lines.finish();
    int status = 0;
    {
      const std::scoped_lock lock(shared_->mutex);
      while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
      }
      shared_->pid = -1;
    }
    shared_->changed.notify_all();
    exited(describe(status));
  }

  const Fd parent_;
  const Fd released_;
  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<IDaemonProcess>> DaemonLauncher::launch(const DaemonCommand& command,
                                                               DaemonExit on_exit) {
  auto output = makePipe();
  auto key = makePipe();
  auto parent = makePipe();
  for (const auto* pipe : {&output, &key, &parent}) {
    if (!*pipe) {
      return pipe->error();
    }
  }
  // A key is far smaller than a pipe, so this does not wait for the child.
  const auto& text = command.enroll_key;
  if (::write(key.value().write.get(), text.data(), text.size()) !=
      static_cast<ssize_t>(text.size())) {
    return systemError("cannot hand the host daemon its enroll key");
  }
  auto pid = spawn(command.argv, {.output = output.value().write.get(),
                                  .key = key.value().read.get(),
                                  .parent = parent.value().read.get()});
  if (!pid) {
    return std::move(pid).error();
  }
  return std::unique_ptr<IDaemonProcess>(std::make_unique<DaemonProcess>(
      pid.value(), std::move(output.value().read), std::move(parent.value().write), main_, on_line_,
      std::move(on_exit)));
}

}  // namespace svc::machines
