#include "svc/kernel/module.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>

#include "svc/base/marked_processes.h"
#include "svc/common/limits/plugins.h"
#include "svc/jsruntime/script_runtime.h"
#include "svc/kernel/config_rules.h"
#include "svc/kernel/thread_role.h"

#include "databases.h"
#include "memory_account.h"
#include "worker_session.h"

namespace {

using namespace svc;

constexpr std::size_t kMebibyte = 1024UL * 1024;

/// Whole lines, also when several threads write. A reader that has gone is nobody's loss.
void print(bool error, std::string_view line) {
  std::string text(line);
  text.push_back('\n');
  for (std::string_view rest = text; !rest.empty();) {
    const auto count = ::write(error ? STDERR_FILENO : STDOUT_FILENO, rest.data(), rest.size());
    if (count < 0 && errno != EINTR) {
      return;
    }
    rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
}

/// While the module is loaded: SQLite takes no allocator once it is in use.
const Status kMemoryIsCounted = database::MemoryAccount::install();

/// At once: the daemon sees to what the process has started, and the system to its memory.
[[noreturn]] void endProcess(const std::string& mark, hostentry::WorkerEnd end) {
  if (end.group) {
    base::signalMarked(mark, SIGKILL);
    if (::getpgrp() == ::getpid()) {
      ::kill(0, SIGKILL);
    }
  }
  if (end.signal > 0) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    ::sigaction(end.signal, &action, nullptr);
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, end.signal);
    ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    ::raise(end.signal);  // to this thread: another one waits for signals of the process
    constexpr int kSignalBase = 128;
    ::_exit(kSignalBase + end.signal);
  }
  ::_exit(end.code);
}

/// The process of one host entry. The daemon ends it by a message or by closing the socket, not by a signal.
class HostEntryModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto runtime = context.services.require<script::IScriptRuntime>();
    if (!runtime) {
      return std::move(runtime).error();
    }
    runtime_ = runtime.value();
    const auto& config = context.config;
    options_.socket = static_cast<int>(config.getInteger("worker.socket"));
    struct stat status {};
    if (::fstat(options_.socket, &status) != 0 || !S_ISSOCK(status.st_mode)) {
      return Error{errc::kInvalidArgument,
                   "a worker is started by the host daemon: worker.socket is no socket"};
    }
    // What the entry starts does not talk to the daemon.
    ::fcntl(options_.socket, F_SETFD, FD_CLOEXEC);
    ::signal(SIGPIPE, SIG_IGN);
    // What the entry starts has it, and the entry does not see it.
    if (const char* mark = ::getenv(base::kProcessMark)) {
      options_.mark = mark;
      ::unsetenv(base::kProcessMark);
    }
    options_.plugin_id = config.getString("worker.pluginId");
    options_.generation = config.getString("worker.generation");
    options_.module = config.getString("worker.module");
    options_.data_dir = config.getString("worker.dataDir");
    options_.temp_dir = config.getString("worker.tempDir");
    options_.heap_bytes = static_cast<std::size_t>(config.getInteger("worker.heapMb")) * kMebibyte;
    if (!kMemoryIsCounted) {
      return kMemoryIsCounted;
    }
    options_.natives.push_back(
        {"database", std::make_shared<database::Databases>(database::DatabaseBudget{
                         .plugin_id = options_.plugin_id,
                         .bytes = std::size_t{limits::kPluginDatabaseMiB} * kMebibyte,
                         .connections = limits::kDatabaseConnections})});
    return {};
  }

  void ready(Completion<void> done) override {
    std::make_shared<hostentry::WorkerSession>(
        options_,
        hostentry::WorkerSession::Surroundings{
            *runtime_, io_, print,
            [mark = options_.mark](hostentry::WorkerEnd end) { endProcess(mark, end); }})
        ->start();
    thread_ = std::jthread([this] {
      setThreadRole(ThreadRole::kIo);
      io_.run();
    });
    pthread_setname_np(thread_.native_handle(), "daemon-io");
    done({});
  }

  /// A signal reaches the workers of a daemon with the daemon itself, which then tells them to end. The kernel bounds the wait.
  void drain(Completion<void> done) override { draining_ = std::move(done); }

  void stop() override {
    work_.reset();
    io_.stop();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

 private:
  script::IScriptRuntime* runtime_ = nullptr;
  hostentry::WorkerOptions options_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  Completion<void> draining_;
  std::jthread thread_;
};

constexpr std::array<ServiceId, 0> kProvides{};
constexpr std::array kRequires{Requirement(script::IScriptRuntime::kId)};
constexpr std::array kConfig{
    ConfigKey{"worker.socket", ConfigType::kInteger, "3", "descriptor of the daemon's socket"},
    ConfigKey{"worker.pluginId", ConfigType::kString, "", "plugin of the host entry"},
    ConfigKey{"worker.generation", ConfigType::kString, "", "artifact identity"},
    ConfigKey{"worker.module", ConfigType::kString, "", "the built host entry"},
    ConfigKey{"worker.dataDir", ConfigType::kString, "", "directory that is kept"},
    ConfigKey{"worker.tempDir", ConfigType::kString, "", "directory that goes with the process"},
    ConfigKey{"worker.heapMb", ConfigType::kInteger, "512", "limit of the JavaScript heap",
              config_rules::integer<1>},
};

}  // namespace

SVC_MODULE(HostEntryModule, "hostentry", "0.43.0", kProvides, kRequires, kConfig);
