#include "launcher.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <mutex>
#include <system_error>
#include <utility>

#include <Poco/UUIDGenerator.h>
#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/kernel/thread_role.h"
#include "svc/workers/worker_protocol.h"

namespace svc::workers {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScratch = "worker-";

Status makePrivate(const fs::path& directory) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (!failure) {
    fs::permissions(directory, fs::perms::owner_all, failure);
  }
  return failure ? Status(Error{
                       errc::kWorkerStartFailed,
                       fmt::format("cannot make {}: {}", directory.string(), failure.message())})
                 : Status();
}

std::vector<fs::path> leftovers(const fs::path& directory) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    if (entry.path().filename().string().starts_with(kScratch)) {
      found.push_back(entry.path());
    }
  }
  return found;
}

/// The ends of a worker's streams that it gets.
struct Given {
  Fd out;
  Fd err;
  Fd socket;
};

Status connect(ChildHandles& ours, Given& theirs) {
  auto out = makePipe();
  auto err = makePipe();
  auto socket = makeSocketPair();
  for (const auto* made : {&out, &err, &socket}) {
    if (!*made) {
      return made->error();
    }
  }
  ours.out = std::move(out.value().read);
  ours.err = std::move(err.value().read);
  ours.socket = std::move(socket.value().read);
  theirs = {std::move(out.value().write), std::move(err.value().write),
            std::move(socket.value().write)};
  return {};
}

}  // namespace

struct Launcher::Shared {
  Shared(LauncherOptions launcher_options, IExecutor& main_executor, IWorkerPool& worker_pool,
         const IClock& system_clock)
      : options(std::move(launcher_options)),
        main(main_executor),
        pool(worker_pool),
        clock(system_clock),
        work(io->get_executor()),
        login_path(options.environment) {}

  [[nodiscard]] std::vector<std::string> arguments(const WorkerSpec& spec, const fs::path& data,
                                                   const fs::path& scratch) const {
    auto words = options.program;
    const auto add = [&words](std::string_view name, const std::string& value) {
      words.push_back(fmt::format("--{}={}", name, value));
    };
    words.emplace_back("--data-dir");
    words.push_back((scratch / "kernel").string());
    // One environment is all it ever has.
    add("jsruntime.spare", "false");
    add("worker.socket", std::to_string(kWorkerSocket));
    add("worker.plugin-id", spec.plugin_id);
    add("worker.generation", spec.generation);
    add("worker.module", spec.module.string());
    add("worker.data-dir", data.string());
    add("worker.temp-dir", (scratch / "tmp").string());
    add("worker.heap-mb", std::to_string(spec.heap_mib));
    return words;
  }

  Result<ChildHandles> begin(const WorkerSpec& spec) {
    ChildHandles ours;
    const auto name = Poco::UUIDGenerator::defaultGenerator().createRandom().toString();
    ours.scratch = options.data / "tmp" / (std::string(kScratch) + name);
    const auto data = options.data / "plugin-data" / spec.plugin_id;
    for (const auto& directory :
         {ours.scratch, ours.scratch / "kernel", ours.scratch / "tmp", data}) {
      if (auto made = makePrivate(directory); !made) {
        return made.error();
      }
    }
    Given theirs;
    if (auto connected = connect(ours, theirs); !connected) {
      return connected.error();
    }
    SpawnOptions child;
    child.arguments = arguments(spec, data, ours.scratch);
    child.shown_as = options.shown_as;
    child.environment = workerEnvironment(options.environment, login_path.get());
    child.out = theirs.out.get();
    child.err = theirs.err.get();
    child.socket = theirs.socket.get();
    child.directory = data.string();
    const auto pid = spawn(child);
    if (!pid) {
      return pid.error();
    }
    ours.pid = pid.value();
    ours.ended = Fd(static_cast<int>(::syscall(SYS_pidfd_open, ours.pid, 0)));
    if (ours.ended.get() < 0) {
      const auto reason = std::generic_category().message(errno);
      ::kill(-ours.pid, SIGKILL);
      ::waitpid(ours.pid, nullptr, 0);
      return Error{errc::kUnavailable, "cannot watch a process: " + reason};
    }
    return ours;
  }

  /// On a worker thread.
  void launch(const WorkerSpec& spec, WorkerEvents events,
              Completion<std::shared_ptr<IWorkerProcess>> done) {
    auto handles = begin(spec);
    auto answer = std::make_shared<Completion<std::shared_ptr<IWorkerProcess>>>(std::move(done));
    if (!handles) {
      main.post([answer, error = Error{errc::kWorkerStartFailed, handles.error().message}] {
        (*answer)(error);
      });
      return;
    }
    auto child = std::make_shared<ChildWorker>(
        ChildContext{io, main, pool, clock, options.congested}, std::move(handles).value(),
        std::move(events),
        [log = options.log, spec](std::vector<LogLine> lines) { log(spec, std::move(lines)); });
    {
      const std::scoped_lock lock(mutex);
      std::erase_if(children, [](const auto& each) { return each.expired(); });
      children.push_back(child);
    }
    main.post([answer, child] { (*answer)(std::shared_ptr<IWorkerProcess>(child)); });
    child->start();
  }

  const LauncherOptions options;
  IExecutor& main;
  IWorkerPool& pool;
  const IClock& clock;
  const std::shared_ptr<boost::asio::io_context> io = std::make_shared<boost::asio::io_context>(1);
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work;
  LoginPath login_path;
  std::mutex mutex;
  std::vector<std::weak_ptr<ChildWorker>> children;
};

Launcher::Launcher(LauncherOptions options, IExecutor& main, IWorkerPool& pool, const IClock& clock)
    : shared_(std::make_shared<Shared>(std::move(options), main, pool, clock)) {
  auto old = leftovers(shared_->options.data / "tmp");
  if (!old.empty()) {
    (void)pool.submit([old = std::move(old)] {
      for (const auto& directory : old) {
        std::error_code ignored;
        fs::remove_all(directory, ignored);
      }
    });
  }
  thread_ = std::thread([shared = shared_.get()] {
    setThreadRole(ThreadRole::kIo);
    shared->io->run();
  });
  pthread_setname_np(thread_.native_handle(), "worker-io");
}

Launcher::~Launcher() {
  {
    const std::scoped_lock lock(shared_->mutex);
    for (const auto& each : shared_->children) {
      if (const auto child = each.lock()) {
        child->kill();
      }
    }
  }
  shared_->work.reset();
  thread_.join();
}

void Launcher::launch(WorkerSpec spec, WorkerEvents events,
                      Completion<std::shared_ptr<IWorkerProcess>> done) {
  auto answer = std::make_shared<Completion<std::shared_ptr<IWorkerProcess>>>(std::move(done));
  const bool taken =
      shared_->pool.submit([shared = shared_, spec = std::move(spec), events = std::move(events),
                            answer] { shared->launch(spec, events, std::move(*answer)); });
  if (!taken) {
    shared_->main.post([answer] {
      (*answer)(Error{errc::kWorkerStartFailed, "the daemon is too busy to start a worker"});
    });
  }
}

}  // namespace svc::workers
