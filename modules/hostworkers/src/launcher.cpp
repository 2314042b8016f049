#include "launcher.h"

#include <mutex>
#include <system_error>
#include <utility>

#include <Poco/UUIDGenerator.h>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/login_path.h"
#include "svc/base/marked_processes.h"
#include "svc/base/spawn.h"
#include "svc/common/codes.h"
#include "svc/hostworkers/worker_protocol.h"

namespace svc::hostworkers {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScratch = "worker-";

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
  base::Fd out;
  base::Fd err;
  base::Fd socket;
};

Status connect(ChildHandles& ours, Given& theirs) {
  auto out = base::makePipe();
  auto err = base::makePipe();
  auto socket = base::makeSocketPair();
  if (!out || !err || !socket) {
    return !out ? out.error() : !err ? err.error() : socket.error();
  }
  ours.out = std::move(out.value().read);
  ours.err = std::move(err.value().read);
  ours.socket = std::move(socket.value().here);
  theirs = {std::move(out.value().write), std::move(err.value().write),
            std::move(socket.value().there)};
  return {};
}

}  // namespace

struct Launcher::Shared {
  Shared(LauncherOptions launcher_options, MainThread main_thread, IWorkerPool& worker_pool,
         const IClock& system_clock)
      : options(std::move(launcher_options)),
        main(main_thread.tasks),
        io(main_thread.io),
        pool(worker_pool),
        clock(system_clock),
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
    add("jsruntime.codeCache", (options.data / "cache" / "scripts").string());
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
      if (auto made = base::makePrivateDirectory(directory); !made) {
        return made.error();
      }
    }
    Given theirs;
    if (auto connected = connect(ours, theirs); !connected) {
      return connected.error();
    }
    auto environment = base::cleanEnvironment(options.environment, login_path.get());
    environment[base::kProcessMark] = ours.mark = name;
    auto child = base::spawn({.argv = arguments(spec, data, ours.scratch),
                              .shown_as = options.shown_as,
                              .environment = std::move(environment),
                              .directory = data,
                              .out = theirs.out.get(),
                              .err = theirs.err.get(),
                              .passed = {{theirs.socket.get(), kWorkerSocket}},
                              .group = base::ProcessGroup::kSession});
    if (!child) {
      return std::move(child).error();
    }
    ours.child = std::move(child).value();
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
  boost::asio::io_context& io;
  IWorkerPool& pool;
  const IClock& clock;
  base::LoginPath login_path;
  std::mutex mutex;
  std::vector<std::weak_ptr<ChildWorker>> children;
};

Launcher::Launcher(LauncherOptions options, MainThread main, IWorkerPool& pool, const IClock& clock)
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
}

Launcher::~Launcher() {
  std::vector<std::shared_ptr<ChildWorker>> children;
  {
    const std::scoped_lock lock(shared_->mutex);
    for (const auto& each : shared_->children) {
      if (auto child = each.lock()) {
        child->kill();
        children.push_back(std::move(child));
      }
    }
  }
  // Bounded: killed processes are waited for so long, not longer.
  for (const auto& child : children) {
    while (!child->isOver()) {
      shared_->io.run_one();
    }
  }
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

}  // namespace svc::hostworkers
