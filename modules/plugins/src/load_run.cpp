#include "load_run.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"
#include "svc/kernel/async.h"
#include "svc/plugins/versions.h"

#include "engines.h"
#include "log_line.h"

namespace svc::plugins {
namespace {

/// The files of a bundled plugin are not as they were shipped.
constexpr Errc kDamaged{"plugin_damaged"};

std::string remedyForMissing(const storage::PluginRow& row) {
  return row.source_kind == "path"
             ? std::string("put it back or reinstall with `svc plugin install <path>`")
             : fmt::format("`svc plugin update {}` downloads it again", row.id);
}

}  // namespace

LoadRun::LoadRun(const Collaborators& with, const ManagerSettings& settings, PluginPtr plugin,
                 std::uint64_t load_id, Hooks hooks)
    : with_(with),
      settings_(settings),
      plugin_(std::move(plugin)),
      load_id_(load_id),
      hooks_(std::move(hooks)) {}

const std::array<LoadStep, 11>& LoadRun::steps() {
  static constexpr std::array<LoadStep, 11> kSteps{{
      {1, "hold, identity, enabled", &LoadRun::checkEnabled},
      {2, "directory and manifest", &LoadRun::readManifest},
      {3, "engines", &LoadRun::checkEngines},
      {4, "artifacts", &LoadRun::prepareArtifacts},
      {5, "branding", &LoadRun::checkBrandingFiles},
      {6, "svc object", &LoadRun::createEnvironment},
      {7, "factory and prepare", &LoadRun::runFactory},
      {8, "dispose previous", &LoadRun::handOver},
      {9, "publish", &LoadRun::publish},
      {10, "commit", &LoadRun::commit},
      {11, "schedules and services", &LoadRun::startServices},
  }};
  return kSteps;
}

void LoadRun::run(Completion<void> done) {
  done_ = std::move(done);
  started_ = with_.clock.steadyNow();
  next(0);
}

void LoadRun::cancel(const std::string& why) {
  if (switching_ || !done_.pending()) {
    return;
  }
  cancelled_ = why;
  if (generation_) {
    generation_->terminate(why, {});
  }
}

void LoadRun::next(std::size_t index) {
  if (index == steps().size()) {
    finish({});
    return;
  }
  if (!cancelled_.empty() && !switching_) {
    failure_ = {PluginStatus::kError, cancelled_, ""};
    finish(Error{errc::kAborted, cancelled_});
    return;
  }
  (this->*steps().at(index).run)([self = shared_from_this(), index](Status status) {
    if (status) {
      self->next(index + 1);
    } else {
      self->finish(std::move(status));
    }
  });
}

void LoadRun::finish(Status status) {
  if (!status) {
    if (!cancelled_.empty()) {
      failure_ = {PluginStatus::kError, cancelled_, ""};
    } else if (failure_.message.empty()) {
      failure_.message = status.error().message;
    }
    failure_.message = with_.logs->mask().apply(std::move(failure_.message));
    failure_.stack = with_.logs->mask().apply(std::move(failure_.stack));
    if (generation_) {
      generation_->terminate("the load failed", {});
    }
  }
  done_(std::move(status));
}

void LoadRun::refuse(Completion<void>& done, PluginStatus status, std::string message,
                     std::string stack) {
  failure_.status = status;
  failure_.message = std::move(message);
  failure_.stack = std::move(stack);
  done(Error{errc::kLoadFailed, failure_.message});
}

void LoadRun::checkEnabled(Completion<void> done) {
  const auto& row = plugin_->row;
  if (with_.safe_mode->holds(row)) {
    refuseDisabled(done, "safe mode is on; turn it off with `svc plugin safe-mode off`",
                   SafeMode::kDetail);
  } else if (!row.enabled || plugin_->removed) {
    refuseDisabled(
        done, fmt::format("the plugin is disabled; enable it with `svc plugin enable {}`", row.id),
        "");
  } else {
    done({});
  }
}

void LoadRun::refuseDisabled(Completion<void>& done, std::string message, std::string detail) {
  failure_ = {PluginStatus::kDisabled, std::move(message), "", std::move(detail)};
  done(Error{errc::kLoadFailed, failure_.message});
}

void LoadRun::readManifest(Completion<void> done) {
  const std::function job = [root = plugin_->row.root_dir,
                             bundled = plugin_->row.source_kind ==
                                       kBuiltinKind]() -> Result<ParsedManifest> {
    if (const auto damage = bundled ? damageOf(root) : std::string(); !damage.empty()) {
      return Error{
          kDamaged,
          fmt::format("the bundled plugin is damaged: {}; install the service again", damage)};
    }
    return readPlugin(root);
  };
  runOnWorker<ParsedManifest>(
      with_.workers, with_.main, job,
      [self = shared_from_this(), done = std::move(done)](Result<ParsedManifest> parsed) mutable {
        self->acceptManifest(std::move(parsed), std::move(done));
      });
}

void LoadRun::acceptManifest(Result<ParsedManifest> parsed, Completion<void> done) {
  const auto& row = plugin_->row;
  if (!parsed) {
    const bool missing = parsed.error().code == kNoDirectory;
    if (row.source_kind == kBuiltinKind && !missing) {
      failure_.is_damaged = parsed.error().code == kDamaged;
      refuse(done, PluginStatus::kIncompatible, parsed.error().message);
      return;
    }
    refuse(done, missing ? PluginStatus::kMissing : PluginStatus::kError,
           missing ? fmt::format("{}; {}", parsed.error().message, remedyForMissing(row))
                   : parsed.error().message);
    return;
  }
  manifest_ = std::move(parsed.value().manifest);
  warnings_ = std::move(parsed.value().warnings);
  if (manifest_.id != row.id) {
    refuse(done, PluginStatus::kError,
           fmt::format(R"(package.json now names plugin "{}", installed is "{}"; reinstall it)",
                       manifest_.id, row.id));
    return;
  }
  if (!plugin_->current) {
    plugin_->manifest = manifest_;
  }
  done({});
}

void LoadRun::checkEngines(Completion<void> done) {
  auto reason = incompatibility(manifest_, kServiceVersion, kSdkVersion);
  if (!reason.empty()) {
    refuse(done, PluginStatus::kIncompatible, std::move(reason));
    return;
  }
  done({});
}

void LoadRun::checkBrandingFiles(Completion<void> done) {
  using Files = std::pair<ContentsPtr, ServerArtifact>;
  const std::function job = [root = plugin_->row.root_dir, kind = plugin_->row.source_kind,
                             manifest = manifest_]() -> Result<Files> {
    auto contents = readContents(root, manifest);
    if (!contents) {
      return std::move(contents).error();
    }
    return Files(std::move(contents).value(), chooseServer(root, manifest, kind));
  };
  runOnWorker<Files>(
      with_.workers, with_.main, job,
      [self = shared_from_this(), done = std::move(done)](Result<Files> files) mutable {
        if (!files) {
          done(std::move(files).error());
          return;
        }
        self->contents_ = std::move(files.value().first);
        self->server_ = std::move(files.value().second);
        if (!self->plugin_->current) {
          self->showContents();
        }
        done({});
      });
}

void LoadRun::showContents() {
  plugin_->contents = contents_;
  with_.assets->set(plugin_->row.id, contents_);
}

void LoadRun::handOver(Completion<void> done) {
  switching_ = true;
  if (!plugin_->current) {
    done({});
    return;
  }
  with_.loaded->hold(plugin_->row.id);
  // A disposal that takes longer than the hand-over goes on behind the new generation.
  Completion<void> released = [done = std::move(done)](const Status&) mutable { done({}); };
  hooks_.retire(
      std::exchange(plugin_->current, nullptr),
      limited(with_.main, limits::kHandover, {errc::kTimeout, "hand-over"}, std::move(released)));
}

void LoadRun::publish(Completion<void> done) {
  auto row = plugin_->row;
  row.generation = generation_->number();
  row.version = manifest_.version;
  row.updated_at = with_.clock.nowMs();
  const std::function job = [&store = with_.store, row] { return store.put(row); };
  runOnWorker<void>(
      with_.workers, with_.main, job,
      [self = shared_from_this(), row, done = std::move(done)](const Status& status) mutable {
        if (!status) {
          // The counter is right in memory; a full disk does not stop a working plugin.
          self->generation_->log("warn",
                                 fmt::format("the generation counter could not be stored: {}",
                                             status.error().message));
        }
        self->switchOver(row);
        done({});
      });
}

void LoadRun::switchOver(const storage::PluginRow& row) {
  plugin_->row = row;
  plugin_->manifest = manifest_;
  showContents();
  plugin_->current = generation_;
  plugin_->loaded_at = with_.clock.nowMs();
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(with_.clock.steadyNow() - started_);
  plugin_->load_ms = took.count();
  with_.loaded->publish(row.id, generation_,
                        [generation = generation_] { return generation->lease(); });
}

void LoadRun::commit(Completion<void> done) {
  for (const auto& step : with_.api.commitSteps()) {
    (*step)(generation_);
  }
  done({});
}

void LoadRun::startServices(Completion<void> done) {
  if (plugin_->current != generation_) {
    done({});  // it has ended, or is being unloaded
    return;
  }
  plugin_->warnings = fmt::format("{}", fmt::join(warnings_, "; "));
  plugin_->reload_failure.clear();
  plugin_->build_problems.clear();
  for (const auto& problem : build_problems_) {
    plugin_->build_problems.push_back(with_.logs->mask().apply(cutMessage(buildFailure(problem))));
  }
  // The bundles are those of the files as they are now: what was said of earlier files is over, what was said meanwhile is not.
  if (build_problems_.empty() && plugin_->dev_problems == dev_problems_before_) {
    plugin_->dev_problems.clear();
  }
  const auto changed = [notify = hooks_.changed, generation = std::weak_ptr(generation_)] {
    if (const auto target = generation.lock()) {
      notify(target);
    }
  };
  plugin_->services = std::make_shared<ServiceSupervisor>(
      generation_, ServiceSupervisor::Context{with_.main, with_.clock, settings_.random, changed});
  // The rows are there before a service can look at what it has scheduled.
  with_.schedules->commit(
      generation_, [services = plugin_->services, done = std::move(done)](const Status&) mutable {
        services->activate(std::move(done));
      });
}

}  // namespace svc::plugins
