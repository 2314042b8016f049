#include "lifecycle.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"
#include "svc/kernel/async.h"

#include "backoff.h"
#include "log_line.h"
#include "termination_text.h"

namespace svc::plugins {

Lifecycle::Lifecycle(Collaborators with, const ManagerSettings& settings,
                     std::function<void()> changed,
                     std::function<PluginPtr(const std::string&)> find)
    : with_(std::move(with)),
      settings_(settings),
      changed_(std::move(changed)),
      find_(std::move(find)) {}

void Lifecycle::show(PluginState& plugin) {
  main_thread_.check();
  with_.loaded->setStatus(plugin.row.id, shownStatus(plugin), shownDetail(plugin));
  changed_();
}

void Lifecycle::setStatus(PluginState& plugin, PluginStatus status, std::string detail) {
  plugin.status = status;
  plugin.detail = cutStatus(std::move(detail));
  show(plugin);
}

void Lifecycle::load(const PluginPtr& plugin, Completion<void> answer) {
  main_thread_.check();
  plugin->restart_timer.reset();
  if (!plugin->current && plugin->row.enabled) {
    setStatus(*plugin, PluginStatus::kStarting, "");
  }
  const auto done = std::make_shared<Completion<void>>(std::move(answer));
  const auto weak = weak_from_this();
  auto& main = with_.main;
  LoadRun::Hooks hooks;
  hooks.changed = [weak, &main](const std::shared_ptr<Generation>& generation) {
    main.post([weak, generation] {
      if (const auto self = weak.lock()) {
        self->examine(generation);
      }
    });
  };
  // Whoever asked for a reload is told that a service of the previous generation did not stop, also when the switch did
  // not wait for it.
  const auto settled = std::make_shared<Countdown>([done](const Status&) { (*done)({}); });
  hooks.retire = [self = shared_from_this(), plugin, settled](
                     const std::shared_ptr<Generation>& previous, Completion<void> phases_done) {
    DisposeAnswers answers;
    answers.services_over = settled->share();
    answers.phases_done = std::move(phases_done);
    self->retire(plugin, previous, {}, std::move(answers));
  };
  auto run = std::make_shared<LoadRun>(with_, settings_, plugin, ++last_load_id_, std::move(hooks));
  plugin->cancel_load = [run](const std::string& why) { run->cancel(why); };
  run->run([self = shared_from_this(), plugin, run, settled, done](const Status& status) {
    plugin->cancel_load = nullptr;
    if (status) {
      self->published(plugin);
    } else {
      self->loadFailed(plugin, run->failure(), *done);
    }
    settled->arm();
  });
}

void Lifecycle::published(const PluginPtr& plugin) {
  if (plugin->current) {
    // It may have ended between its factory and the switch.
    examine(plugin->current);
  } else {
    show(*plugin);
  }
}

void Lifecycle::loadFailed(const PluginPtr& plugin, const LoadRun::Failure& failure,
                           Completion<void>& done) {
  if (failure.status != PluginStatus::kDisabled) {
    with_.logs->write(plugin->row.id, {.at = with_.clock.nowMs(),
                                       .level = "error",
                                       .generation = plugin->row.generation + 1,
                                       .message = "load failed: " + failure.message,
                                       .stack = failure.stack});
    plugin->meters->recordError({with_.clock.nowMs(), failure.message, failure.stack, "load"});
  }
  // A factory may throw megabytes, and whoever lists plugins is sent them.
  auto message = cutStatus(failure.message);
  if (failure.is_damaged) {
    plugin->contents = nullptr;
    with_.assets->set(plugin->row.id, nullptr);
    unload(plugin, {}, [](const Status&) {});
  }
  if (plugin->current) {
    plugin->reload_failure = "reload failed: " + message;
    message = fmt::format("{} (the previous instance is still running)", plugin->reload_failure);
    present(*plugin);
  } else {
    auto detail = failure.detail.value_or(failure.message);
    if (failure.is_passing && restarts_allowed_) {
      detail += loadAgain(plugin);
    }
    setStatus(*plugin, failure.status, std::move(detail));
  }
  const auto details = common::Json::object()
                           .set("pluginId", plugin->row.id)
                           .set("status", statusName(shownStatus(*plugin)))
                           .set("statusDetail", shownDetail(*plugin));
  done(Error{errc::kLoadFailed, std::move(message), details.dump()});
}

void Lifecycle::retire(const PluginPtr& plugin, const std::shared_ptr<Generation>& previous,
                       const DisposeLimits& limits, DisposeAnswers answers) {
  main_thread_.check();
  const auto load_id = previous->loadId();
  answers.overran = [self = shared_from_this(), plugin, load_id](DisposePhase phase,
                                                                 const std::string& message) {
    if (phase == DisposePhase::kStopServices) {
      auto& text = plugin->degraded[load_id];
      text += text.empty() ? message : "; " + message;
      self->show(*plugin);
    }
  };
  answers.gone = [self = shared_from_this(), plugin, load_id,
                  gone = std::move(answers.gone)](const Status& status) mutable {
    if (plugin->degraded.erase(load_id) > 0) {
      self->show(*plugin);
    }
    gone(status);
  };
  disposeGeneration(with_.main, with_.api, previous, std::exchange(plugin->services, nullptr),
                    limits, std::move(answers));
}

void Lifecycle::unload(const PluginPtr& plugin, const DisposeLimits& limits,
                       Completion<void> done) {
  main_thread_.check();
  with_.loaded->withdraw(plugin->row.id);
  disposeLoaded(plugin, limits, std::move(done));
}

void Lifecycle::suspend(const PluginPtr& plugin, Completion<void> done) {
  main_thread_.check();
  with_.loaded->suspend(plugin->row.id);
  disposeLoaded(plugin, {}, std::move(done));
}

void Lifecycle::disposeLoaded(const PluginPtr& plugin, const DisposeLimits& limits,
                              Completion<void> done) {
  plugin->restart_timer.reset();
  const auto previous = std::exchange(plugin->current, nullptr);
  plugin->loaded_at.reset();
  plugin->reload_failure.clear();
  if (!previous) {
    done({});
    return;
  }
  DisposeAnswers answers;
  answers.gone = [done = std::move(done)](const Status&) mutable { done({}); };
  retire(plugin, previous, limits, std::move(answers));
}

void Lifecycle::examine(const std::shared_ptr<Generation>& generation) {
  main_thread_.check();
  const auto plugin = generation ? find_(generation->pluginId()) : nullptr;
  if (!plugin || plugin->current != generation) {
    return;
  }
  if (const auto end = generation->termination()) {
    environmentEnded(plugin, *end);
    return;
  }
  if (plugin->services) {
    plugin->services->update();
  }
  present(*plugin);
}

void Lifecycle::present(PluginState& plugin) {
  if (plugin.services && plugin.services->activated()) {
    const auto needed = plugin.current->needsConfiguration();
    const auto failure = plugin.services->activationFailure();
    if (!needed.empty()) {
      plugin.status = PluginStatus::kNeedsConfiguration;
    } else {
      plugin.status = failure.empty() ? PluginStatus::kRunning : PluginStatus::kError;
    }
    const auto& cause = needed.empty() ? failure : needed;
    plugin.detail = plugin.reload_failure.empty() ? cause : plugin.reload_failure;
  }
  show(plugin);
}

void Lifecycle::environmentEnded(const PluginPtr& plugin, const script::Termination& termination) {
  auto text = terminationText(termination);
  const auto ended = std::exchange(plugin->current, nullptr);
  plugin->meters->recordTermination({with_.clock.nowMs(), text, termination.stack, "environment"});
  ended->logWithStack("error", text, termination.stack);
  const bool restarts = restartsAfter(termination.reason) && restarts_allowed_;
  if (restarts) {
    text += loadAgain(plugin);
  } else {
    text += fmt::format("; load it again with `svc plugin reload {}`", plugin->row.id);
  }
  plugin->loaded_at.reset();
  setStatus(*plugin, PluginStatus::kError, std::move(text));
  with_.loaded->withdraw(plugin->row.id);
  // Nothing of its own is left to run, but channels still hold its sockets and requests.
  retire(plugin, ended, {}, {});
}

std::string Lifecycle::loadAgain(const PluginPtr& plugin) {
  const auto delay = nextDelay(*plugin);
  plugin->restart_timer = with_.main.after(delay, [weak = weak_from_this(), plugin] {
    if (const auto self = weak.lock()) {
      self->scheduleRestart(plugin);
    }
  });
  return fmt::format("; it is loaded again in {:.3g} s",
                     std::chrono::duration<double>(delay).count());
}

std::chrono::milliseconds Lifecycle::nextDelay(PluginState& plugin) const {
  const bool healthy =
      plugin.loaded_at && with_.clock.nowMs() - *plugin.loaded_at >= limits::kBackoffReset.count();
  if (healthy) {
    plugin.restarts = 0;
  }
  return backoffDelay(plugin.restarts++, settings_.random());
}

void Lifecycle::scheduleRestart(const PluginPtr& plugin) {
  const bool queued =
      plugin->operations.add([self = shared_from_this(), plugin](Completion<void> finished) {
        if (plugin->current || plugin->removed || !plugin->row.enabled ||
            !self->restarts_allowed_ || self->with_.safe_mode->holds(plugin->row)) {
          finished({});
          return;
        }
        plugin->meters->recordRestart();
        self->load(plugin, std::move(finished));
      });
  if (!queued) {
    with_.log->warn("plugin {}: not loaded again, too many operations are waiting", plugin->row.id);
  }
}

}  // namespace svc::plugins
