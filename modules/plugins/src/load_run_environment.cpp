#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/marked_processes.h"
#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"
#include "svc/kernel/async.h"

#include "core_part.h"
#include "dependency_engines.h"
#include "load_run.h"
#include "schedule_part.h"
#include "settings_part.h"
#include "started_programs.h"
#include "termination_text.h"

// The steps that make a plugin's environment and run its factory.
namespace svc::plugins {
namespace {

using namespace std::chrono_literals;

/// How long a failed factory call waits to learn that its environment has ended, and why.
constexpr std::chrono::milliseconds kEndNotice = 1s;
/// In the places of a stack.
constexpr std::string_view kPackages = "/node_modules/";

std::string seconds(std::chrono::milliseconds time) {
  return fmt::format("{} s", std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

}  // namespace

script::ScriptLimits LoadRun::scriptLimits() const {
  const auto& overrides = settings_.overrides[plugin_->row.id];
  constexpr std::int64_t kMiB = 1024L * 1024;
  const auto heap = overrides["heapMiB"].asInteger(settings_.heap_mib) * kMiB;
  const auto count = [&overrides](const char* name, std::int64_t usual) {
    return static_cast<std::size_t>(std::max<std::int64_t>(overrides[name].asInteger(usual), 1));
  };
  return {
      static_cast<std::size_t>(heap),
      std::chrono::milliseconds{overrides["watchdogMs"].asInteger(settings_.watchdog.count())},
      std::chrono::milliseconds{overrides["terminateMs"].asInteger(settings_.terminate.count())},
      count("workerThreads", settings_.worker_threads),
      count("descriptors", settings_.descriptors),
      count("databaseMiB", settings_.database_mib) * kMiB,
      static_cast<std::size_t>(overrides["bufferMiB"].asInteger(settings_.buffer_mib)) * kMiB};
}

script::InstanceOptions LoadRun::instanceOptions() const {
  const auto& id = plugin_->row.id;
  script::InstanceOptions options;
  options.name = fmt::format("{}#{}", id, generation_->number());
  options.root = plugin_->row.root_dir;
  options.cache_dir = settings_.pluginDirectory(id) / "cache";
  options.environment = {{"SVC_DATA_DIR", settings_.data.string()},
                         {"SVC_PLUGIN_ID", id},
                         {"SVC_CLI", (settings_.bin / "svc").string()}};
  if (auto url = settings_.base_url(); !url.empty()) {
    options.environment["SVC_SERVER_URL"] = std::move(url);
  }
  if (auto url = settings_.app_url(); !url.empty()) {
    options.environment["SVC_APP_URL"] = std::move(url);
  }
  if (auto mark = newProgramMark(settings_.data); !mark.empty()) {
    options.environment[base::kProcessMark] = std::move(mark);
  }
  options.limits = scriptLimits();
  options.parts.push_back(corePart());
  options.functions = coreFunctions(generation_, with_.kv, settings_);
  auto settings = settingsFunctions(plugin_->settings);
  std::move(settings.begin(), settings.end(), std::back_inserter(options.functions));
  auto schedules = scheduleFunctions(generation_, with_.schedules);
  std::move(schedules.begin(), schedules.end(), std::back_inserter(options.functions));
  for (const auto& part : with_.api.parts()) {
    options.parts.push_back({part->name, part->script});
    if (part->functions) {
      auto functions = part->functions(generation_);
      std::move(functions.begin(), functions.end(), std::back_inserter(options.functions));
    }
    if (part->natives) {
      auto natives = part->natives(generation_, options.limits);
      std::move(natives.begin(), natives.end(), std::back_inserter(options.natives));
    }
  }
  options.observer = generation_->observer();
  return options;
}

void LoadRun::createEnvironment(Completion<void> done) {
  if (auto status = base::makePrivateDirectory(settings_.pluginDirectory(plugin_->row.id));
      !status) {
    done(std::move(status));
    return;
  }
  plugin_->settings->load([self = shared_from_this(), done = std::move(done)](Status read) mutable {
    if (read) {
      self->startEnvironment(std::move(done));
    } else {
      done(std::move(read));
    }
  });
}

void LoadRun::startEnvironment(Completion<void> done) {
  generation_ = std::make_shared<Generation>(
      plugin_->row.id, load_id_, plugin_->row.generation + 1, plugin_->meters,
      GenerationContext{with_.clock, with_.logs, with_.loaded, hooks_.changed});
  generation_->setRegistration("manifest", common::Json::object()
                                               .set("name", manifest_.name)
                                               .set("version", manifest_.version)
                                               .set("host", manifest_.host));
  followSettings(*plugin_->settings, generation_);
  using Instance = std::shared_ptr<script::IScriptInstance>;
  Completion<Instance> created = [self = shared_from_this(),
                                  done = std::move(done)](Result<Instance> instance) mutable {
    if (!instance) {
      self->failure_.is_passing = instance.error().code == errc::kTimeout;
      done(std::move(instance).error());
      return;
    }
    self->generation_->attach(std::move(instance).value());
    done({});
  };
  Error late{errc::kTimeout,
             fmt::format("the environment was not ready after {}", seconds(limits::kFactory))};
  with_.runtime.create(instanceOptions(),
                       deliverOn(with_.main, limited(with_.main, limits::kFactory, std::move(late),
                                                     std::move(created))));
}

void LoadRun::runFactory(Completion<void> done) {
  Completion<std::string> loaded = [self = shared_from_this(), done = std::move(done)](
                                       const Result<std::string>& result) mutable {
    if (!result) {
      self->factoryFailed(result.error(), std::move(done));
      return;
    }
    self->checks_ = self->with_.api.prepareChecks();
    Error late{errc::kTimeout,
               fmt::format("the activation checks did not finish within {} (limit prepare)",
                           seconds(limits::kPrepare))};
    self->prepare(0, limited(self->with_.main, limits::kPrepare, std::move(late), std::move(done)));
  };
  Error late{
      errc::kTimeout,
      fmt::format("the factory did not finish within {} (limit factory), in which its files are "
                  "bundled, too; move long work into a background service",
                  seconds(limits::kFactory))};
  if (!server_.warning.empty()) {
    generation_->log("warn", server_.warning);
  }
  const auto entry = std::filesystem::path(plugin_->row.root_dir) / server_.file;
  generation_->call("plugin.load", entry.string(),
                    deliverOn(with_.main, limited(with_.main, limits::kFactory, std::move(late),
                                                  std::move(loaded))));
}

void LoadRun::factoryFailed(const Error& error, Completion<void> done) {
  if (error.code != errc::kPluginNotRunning) {
    const auto details = common::Json::parse(error.details);
    auto stack = details ? details.value()["stack"].asString() : std::string();
    if (stack.find(kPackages) == std::string::npos) {
      refuse(done, PluginStatus::kError, error.message, std::move(stack));
    } else {
      refuseForPackages(std::move(done), error.message, std::move(stack));
    }
    return;
  }
  // The environment has ended under the factory: the reason is worth more than the failed call.
  Completion<void> explained = [self = shared_from_this(), message = error.message,
                                done = std::move(done)](const Status&) mutable {
    const auto end = self->generation_->termination();
    self->refuseForPackages(std::move(done), end ? terminationText(*end) : message,
                            end ? end->stack : std::string());
  };
  generation_->whenEnded(deliverOn(
      with_.main,
      limited(with_.main, kEndNotice, {errc::kTimeout, "no notice"}, std::move(explained))));
}

/// What failed in a package, or ended everything, may be too new for the Node.js inside, and does not always say so.
void LoadRun::refuseForPackages(Completion<void> done, std::string message, std::string stack) {
  runOnWorker<std::string>(
      with_.workers, with_.main,
      [root = std::filesystem::path(plugin_->row.root_dir), node = with_.runtime.nodeVersion()]()
          -> Result<std::string> { return unmetNode(root, node); },
      [self = shared_from_this(), done = std::move(done), message = std::move(message),
       stack = std::move(stack)](const Result<std::string>& unmet) mutable {
        if (unmet && !unmet.value().empty()) {
          message += fmt::format(" ({})", unmet.value());
        }
        self->refuse(done, PluginStatus::kError, std::move(message), std::move(stack));
      });
}

void LoadRun::prepare(std::size_t index, Completion<void> done) {
  if (index < checks_.size()) {
    (*checks_.at(index))(
        generation_,
        deliverOn(with_.main, Completion<void>([self = shared_from_this(), index,
                                                done = std::move(done)](Status status) mutable {
                    if (!status || !self->done_.pending()) {
                      done(std::move(status));
                    } else {
                      self->prepare(index + 1, std::move(done));
                    }
                  })));
    return;
  }
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(with_.clock.steadyNow() - started_);
  generation_->log("info", fmt::format("loaded {} {} in {} ms", manifest_.name, manifest_.version,
                                       took.count()));
  done({});
}

}  // namespace svc::plugins
