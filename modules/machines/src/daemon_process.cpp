#include "daemon_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "svc/base/environment.h"
#include "svc/base/spawn.h"
#include "svc/base/system_error.h"

#include "line_reader.h"

namespace svc::machines {
namespace {

constexpr int kKeyFd = 3;
constexpr int kParentFd = 4;

/// Variables of this process, without those that configure it.
base::Environment environmentOfDaemon() {
  auto variables = base::currentEnvironment();
  std::erase_if(variables, [](const auto& each) { return each.first.starts_with("SVC_"); });
  return variables;
}

/// Whether the thread that watches the child has collected it.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
};

class DaemonProcess final : public IDaemonProcess {
 public:
  DaemonProcess(base::ChildProcess child, base::Fd output, base::Fd parent, IExecutor& main,
                std::function<void(std::string_view)> on_line, DaemonExit on_exit)
      : parent_(std::move(parent)),
        released_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        child_(std::move(child)) {
    thread_ = std::thread([this, output = std::move(output), &main, tell = std::move(on_line),
                           on_exit = std::move(on_exit)] {
      watch(output.get(), tell, [&](const std::string& how) {
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
    (void)child_.release();
  }

  void terminate() override { child_.signal(SIGTERM); }
  bool awaitExit(std::chrono::milliseconds limit) override {
    std::unique_lock lock(shared_->mutex);
    return shared_->changed.wait_for(lock, limit, [this] { return shared_->ended; });
  }

 private:
  /// Reads lines until the child has ended; what it wrote last is in the pipe by then.
  void watch(int output, const std::function<void(std::string_view)>& on_line,
             const std::function<void(const std::string&)>& exited) {
    LineReader lines(on_line);
    ::fcntl(output, F_SETFL, O_NONBLOCK);
    for (bool running = true, open = true; running;) {
      std::array<pollfd, 3> wait{{{released_.get(), POLLIN, 0},
                                  {child_.descriptor(), POLLIN, 0},
                                  {open ? output : -1, POLLIN, 0}}};
      if (::poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) {
        break;
      }
      if (wait[0].revents != 0) {
        return;
      }
      open = open && lines.readFrom(output);
      running = wait[1].revents == 0;
    }
    lines.finish();
    const auto status = child_.reap();
    {
      const std::scoped_lock lock(shared_->mutex);
      shared_->ended = true;
    }
    shared_->changed.notify_all();
    exited(status.text());
  }

  const base::Fd parent_;
  const base::Fd released_;
  base::ChildProcess child_;
  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<IDaemonProcess>> DaemonLauncher::launch(const DaemonCommand& command,
                                                               DaemonExit on_exit) {
  auto output = base::makePipe();
  auto key = base::makePipe();
  auto parent = base::makePipe();
  for (const auto* pipe : {&output, &key, &parent}) {
    if (!*pipe) {
      return pipe->error();
    }
  }
  // A key is far smaller than a pipe, so this does not wait for the child.
  if (!base::writeAll(key.value().write.get(), command.enroll_key)) {
    return base::systemError("cannot hand the host daemon its enroll key", errno);
  }
  key.value().write.reset();
  const int said = output.value().write.get();
  // A group, not a session: the kernel wakes and hangs up a stopped daemon whose parent has gone.
  auto child = base::spawn(
      {.argv = command.argv,
       .environment = environmentOfDaemon(),
       .out = said,
       .err = said,
       .passed = {{key.value().read.get(), kKeyFd}, {parent.value().read.get(), kParentFd}},
       .group = base::ProcessGroup::kOwn});
  if (!child) {
    return Error{errc::kUnavailable, std::move(child).error().message};
  }
  return std::unique_ptr<IDaemonProcess>(std::make_unique<DaemonProcess>(
      std::move(child).value(), std::move(output.value().read), std::move(parent.value().write),
      main_, on_line_, std::move(on_exit)));
}

}  // namespace svc::machines
