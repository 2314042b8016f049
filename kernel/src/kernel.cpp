#include "kernel.h"

#include <algorithm>
#include <cerrno>
#include <ranges>
#include <system_error>

#include <fmt/format.h>

#include "svc/kernel/thread_role.h"

#include "force_exit.h"

namespace svc::kernel {
namespace {

constexpr std::chrono::seconds kReadyLimit{60};

/// What to do where a module's own words are those of the system.
std::string remedyOf(const Error& error) {
  return error.message.ends_with(std::generic_category().message(EAGAIN))
             ? ": no further thread or process for this user; raise the limit (`ulimit -u`, "
               "TasksMax= of a unit, pids of a container)"
             : "";
}

}  // namespace

struct Kernel::Running {
  const ModuleDescriptor* descriptor = nullptr;
  std::unique_ptr<ModuleContext> context;
  Module* module = nullptr;
  bool started = false;

  Running() = default;
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    if (module != nullptr) {
      descriptor->destroy(module);
    }
  }
};

Kernel::Kernel(KernelOptions options) : options_(std::move(options)) {
  setThreadRole(ThreadRole::kMain);
}

Kernel::~Kernel() { shutdown(); }

Status Kernel::load() {
  std::vector<std::string> names;
  ProviderChoice choice;
  if (auto status = readModuleSettings(names, choice); !status) {
    return status;
  }
  std::vector<const ModuleDescriptor*> descriptors;
  for (const auto& name : names) {
    auto library = loadModuleLibrary(name, options_.module_directories);
    if (!library) {
      return std::move(library).error();
    }
    descriptors.push_back(library.value().descriptor);
    libraries_.push_back(std::move(library).value());
  }
  auto config = Config::create(configKeys(libraries_), options_.config);
  if (!config) {
    return std::move(config).error();
  }
  config_.emplace(std::move(config).value(), options_.config, options_.read_config_file, loop_,
                  [this](const auto& outcome) { reportReload(outcome); });
  auto graph = resolveModules(descriptors, choice);
  if (!graph) {
    return std::move(graph).error();
  }
  graph_ = std::move(graph).value();
  for (const auto& [service, module] : graph_.providers) {
    services_.select(service, module);
  }
  for (const auto* descriptor : graph_.order) {
    states_.push_back({descriptor->name, descriptor->version, "loaded", {}});
  }
  return {};
}

std::string Kernel::describe() const {
  std::string text =
      fmt::format("{} {}\nmodules in start order:\n", options_.program, options_.version);
  for (const auto* descriptor : graph_.order) {
    const auto library =
        std::find_if(libraries_.begin(), libraries_.end(),
                     [&](const auto& candidate) { return candidate.descriptor == descriptor; });
    text += fmt::format("  {} {}  ({})\n", descriptor->name, descriptor->version,
                        library->file.string());
    for (const auto& service : descriptor->provides) {
      const bool chosen = graph_.providers.at(std::string(service.name)) == descriptor->name;
      text += fmt::format("    provides {} {}{}\n", service.name, service.major,
                          chosen ? "" : " (not chosen)");
    }
    for (const auto& requirement : descriptor->required) {
      const auto provider = graph_.providers.find(requirement.service.name);
      text += fmt::format(
          "    requires {} {} {}\n", requirement.service.name, requirement.service.major,
          provider == graph_.providers.end() ? "(optional, absent)" : "from " + provider->second);
    }
  }
  return text;
}

Status Kernel::start() {
  SVC_ASSERT(config_.has_value());
  std::vector<std::string> missing;
  if (auto status = checkConfig(missing); !status) {
    return status;
  }
  if (auto status = prepareDirectories(); !status) {
    return status;
  }
  log_->info("{} {} starts, data in {}", options_.program, options_.version,
             options_.paths.data.string());
  for (const auto& message : missing) {
    log_->warn("configuration: {}", message);
  }
  for (auto offered : {services_.provide<IModuleStates>(*this, "kernel"),
                       services_.provide<IProgramExit>(*this, "kernel"),
                       services_.provide<IMainExecutor>(loop_, "kernel"),
                       services_.provide<IMainIo>(loop_, "kernel"),
                       services_.provide<IWorkerPool>(workers_, "kernel"),
                       services_.provide<IBulkWorkers>(workers_, "kernel"),
                       services_.provide<IWorkerLanes>(workers_, "kernel"),
                       services_.provide<IClock>(clock_, "kernel"),
                       services_.provide<IConfigChanges>(*config_, "kernel"),
                       services_.provide<ILogFilters>(logging_->filters(), "kernel")}) {
    if (!offered) {
      return offered;
    }
  }
  log_level_ = applyLogLevel();
  for (const auto& absent : graph_.absent) {
    log_->info("optional service is absent ({})", absent);
  }
  for (const auto* descriptor : graph_.order) {
    if (auto status = startModule(*descriptor); !status) {
      shutdown();
      return status;
    }
  }
  for (const auto& running : running_) {
    if (auto status = makeReady(*running); !status) {
      shutdown();
      return status;
    }
    if (stop_requested_) {
      return {};  // run() takes everything down
    }
  }
  if (lock_) {
    confirmReplacement(options_.paths.data);
  }
  for (auto& task : std::exchange(when_ready_, {})) {
    task();
  }
  service_manager_.ready(loop_);
  return {};
}

Status Kernel::startModule(const ModuleDescriptor& descriptor) {
  auto running = std::make_unique<Running>();
  running->descriptor = &descriptor;
  running->context = std::make_unique<ModuleContext>(
      ModuleContext{services_, *config_, loop_, workers_, workers_, clock_, options_.paths,
                    options_.version, logging_->logger(descriptor.name),
                    [this](Task task) { when_ready_.push_back(std::move(task)); },
                    [this](std::string reason) { requestShutdown(std::move(reason)); }});
  const auto status = guarded([&]() -> Status {
    running->module = descriptor.create();
    return running->module->start(*running->context);
  });
  if (!status) {
    const auto chain = requirementChain(graph_, descriptor.name);
    setState(descriptor.name, "failed", status.error().message);
    // A module that failed half-way still gets its stop(), as every started one does.
    running_.push_back(std::move(running));
    return Error{
        status.error().code,
        fmt::format("module {} failed to start: {}{}{}", descriptor.name, status.error().message,
                    remedyOf(status.error()), chain.empty() ? "" : fmt::format(" ({})", chain))};
  }
  running->started = true;
  setState(descriptor.name, "started");
  running_.push_back(std::move(running));
  return {};
}

Status Kernel::makeReady(Running& running) {
  // Shared, because a module may answer after the bound has passed.
  auto outcome = std::make_shared<std::optional<Status>>();
  const auto called = guarded([&]() -> Status {
    running.module->ready(Completion<void>([this, outcome](Status status) {
      loop_.post([outcome, answer = std::move(status)] { outcome->emplace(answer); });
    }));
    return {};
  });
  if (called) {
    loop_.runUntil([&] { return outcome->has_value() || stop_requested_; },
                   std::chrono::steady_clock::now() + kReadyLimit);
  }
  if (stop_requested_) {
    return {};
  }
  const Status result =
      !called ? called
              : outcome->value_or(Status{Error{errc::kTimeout, "it did not answer within 60 s"}});
  if (!result) {
    setState(running.descriptor->name, "failed", result.error().message);
    return Error{result.error().code,
                 fmt::format("module {} failed to get ready: {}", running.descriptor->name,
                             result.error().message)};
  }
  setState(running.descriptor->name, "ready");
  return {};
}

void Kernel::run() {
  loop_.runUntil([this] { return stop_requested_.load(); });
  shutdown();
}

void Kernel::shutdown() {
  if (running_.empty()) {
    return;
  }
  stop_requested_ = true;
  service_manager_.stopping();
  // Long jobs end while modules drain, not after.
  workers_.requestStop();
  drainAll();
  {
    // Jobs use what the modules provide, so they end before any module stops.
    const ForceExit guard(options_.stop_limit, "a worker's job did not end",
                          [this](const std::string& reason) { lastWords(reason); });
    workers_.stop();
  }
  stopAll();
  services_.clear();
  if (log_) {
    log_->info("stopped");
    logging_->flush();
  }
}

void Kernel::drainAll() {
  const auto deadline = std::chrono::steady_clock::now() + options_.drain_limit;
  // NOLINTNEXTLINE(modernize-loop-convert): clang 14 cannot compile the standard library's reverse_view
  for (auto at = running_.rbegin(); at != running_.rend(); ++at) {
    const auto& entry = *at;
    if (!entry->started) {
      continue;  // its start failed: it has nothing to finish
    }
    const std::string name = entry->descriptor->name;
    setState(name, "draining");
    auto done = std::make_shared<std::atomic<bool>>(false);
    const auto status = guarded([&]() -> Status {
      entry->module->drain(Completion<void>([this, done](const Status&) {
        *done = true;
        loop_.post([] {});  // wakes the loop
      }));
      return {};
    });
    if (!status) {
      log_->error("module {} failed to drain: {}", name, status.error().message);
    } else if (!loop_.runUntil([&] { return done->load(); }, deadline)) {
      log_->warn("module {} did not drain within {} ms", name, options_.drain_limit.count());
    }
  }
}

void Kernel::stopAll() {
  while (!running_.empty()) {
    auto& running = *running_.back();
    const std::string name = running.descriptor->name;
    {
      const ForceExit guard(options_.stop_limit, fmt::format("module {} did not stop", name),
                            [this](const std::string& reason) { lastWords(reason); });
      const auto status = guarded([&]() -> Status {
        if (running.module != nullptr) {
          running.module->stop();
        }
        services_.withdraw(name);
        running_.pop_back();
        return {};
      });
      if (!status) {
        log_->error("module {} failed to stop: {}", name, status.error().message);
        running_.pop_back();
      }
    }
    setState(name, "stopped");
  }
}

void Kernel::lastWords(const std::string& reason) const {
  if (!options_.run_file.empty()) {
    std::error_code ignored;
    std::filesystem::remove(options_.paths.data / options_.run_file, ignored);
  }
  if (log_) {
    log_->error("{}", reason);
    logging_->flush();
  }
}

void Kernel::requestShutdown(std::string reason) {
  loop_.post([this, why = std::move(reason)] {
    if (!stop_requested_ && log_) {
      log_->info("stopping: {}", why);
    }
    stop_requested_ = true;
  });
}

void Kernel::fail(std::string reason) {
  loop_.post([this, why = std::move(reason)] {
    if (!stop_requested_ && log_) {
      log_->error("stopping: {}", why);
      failed_ = true;
    }
    stop_requested_ = true;
  });
}

void Kernel::startAgain(std::filesystem::path executable, std::string reason) {
  loop_.post([this, path = std::move(executable), why = std::move(reason)] {
    if (!stop_requested_) {
      if (log_) {
        log_->info("starting again: {}", why);
      }
      successor_ = path;
    }
    stop_requested_ = true;
  });
}

std::vector<ModuleState> Kernel::modules() const {
  const std::lock_guard lock(states_mutex_);
  return states_;
}

void Kernel::setState(const std::string& module, const std::string& state,
                      const std::string& detail) {
  const std::lock_guard lock(states_mutex_);
  for (auto& entry : states_) {
    if (entry.name == module) {
      entry.state = state;
      entry.detail = detail;
    }
  }
}

}  // namespace svc::kernel
