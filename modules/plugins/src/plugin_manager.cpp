#include "plugin_manager.h"

#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/shown_text.h"

#include "manifest.h"
#include "started_programs.h"

namespace svc::plugins {
std::shared_ptr<PluginManager> PluginManager::create(const Collaborators& with,
                                                     ManagerSettings settings) {
  std::shared_ptr<PluginManager> manager(new PluginManager(with, std::move(settings)));
  manager->start();
  return manager;
}

PluginManager::PluginManager(const Collaborators& with, ManagerSettings settings)
    : with_(with),
      settings_(std::move(settings)),
      registry_(with.main),
      start_gate_(with.main, settings_.parallel_loads, SIZE_MAX) {}

void PluginManager::start() {
  const auto weak = weak_from_this();
  lifecycle_ = std::make_shared<Lifecycle>(
      with_, settings_,
      [weak] {
        if (const auto self = weak.lock()) {
          self->announce();
        }
      },
      [weak](const std::string& plugin_id) {
        const auto self = weak.lock();
        return self ? self->find(plugin_id) : nullptr;
      });
  with_.loaded->onWanted([weak, main = &with_.main](const std::string& plugin_id) {
    main->post([weak, plugin_id] {
      if (const auto self = weak.lock()) {
        self->start_gate_.prefer(plugin_id);
      }
    });
  });
  with_.schedules->onChanged([weak] {
    if (const auto self = weak.lock()) {
      self->announce();
    }
  });
  const auto abort_runs = [schedules = with_.schedules](const GenerationPtr& generation,
                                                        Completion<void> done) {
    schedules->abortRuns(*generation);
    done({});
  };
  abort_schedules_ = with_.api.addDisposeStep(DisposePhase::kStopServices, abort_runs);
}

PluginPtr PluginManager::find(const std::string& plugin_id) const {
  const auto found = plugins_.find(plugin_id);
  return found == plugins_.end() ? nullptr : found->second;
}

PluginManager::Records PluginManager::records() const {
  Records out;
  for (const auto& [id, plugin] : plugins_) {
    out.push_back(makeRecord(*plugin));
  }
  return out;
}

Error PluginManager::unknownPlugin(const std::string& plugin_id) {
  return {errc::kUnknownPlugin, fmt::format("no plugin \"{}\" is installed", plugin_id),
          common::Json::object().set("pluginId", plugin_id).dump()};
}

void PluginManager::insertPlugin(const PluginPtr& plugin) {
  const bool held = with_.safe_mode->holds(plugin->row);
  plugin->status = plugin->row.enabled && !held ? PluginStatus::kStarting : PluginStatus::kDisabled;
  plugin->detail = held ? SafeMode::kDetail : "";
  const auto& id = plugin->row.id;
  plugin->orphaned = plugin->row.source_kind == kBuiltinKind && builtinDirectory(id).empty();
  plugin->settings = std::make_shared<SavedSettings>(
      id, settings_.pluginDirectory(id) / "secrets",
      SavedSettings::Parts{with_.main, with_.workers, with_.settings, with_.logs->mask()},
      [weak = weak_from_this(), id] {
        if (const auto self = weak.lock()) {
          self->settingsSaved(id);
        }
      });
  plugin->schedules = with_.schedules;
  plugins_[id] = plugin;
  with_.assets->set(id, nullptr);
  with_.loaded->add(plugin->row.id, plugin->meters);
  with_.loaded->setStatus(plugin->row.id, plugin->status, plugin->detail);
  with_.logs->attach(plugin->row.id);
}

void PluginManager::announce() {
  if (std::exchange(announcing_, true)) {
    return;
  }
  with_.main.post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) {
      return;
    }
    self->announcing_ = false;
    self->listeners_.notify(self->records());
  });
}

Handle PluginManager::onChanged(std::function<void(const Records&)> listener) {
  return listeners_.add(std::move(listener));
}

Status PluginManager::open() {
  if (const auto left = endProgramsLeftBehind(settings_.data); left > 0) {
    with_.log->warn(
        "{} program{} that plugins had started outlived a server that was killed; ended", left,
        left == 1 ? "" : "s");
  }
  if (auto status = with_.safe_mode->open(settings_.safe_mode); !status) {
    return status;
  }
  auto rows = with_.store.list();
  if (!rows) {
    return std::move(rows).error();
  }
  std::map<std::string, storage::PluginRow> by_id;
  for (auto& row : rows.value()) {
    // Ids are names of directories. This one comes from no install, but from a database that somebody has edited.
    if (!isPluginId(row.id)) {
      with_.log->error(
          "the database has a plugin \"{}\", which none can be called; it is left alone",
          common::shownOnOneLine(row.id));
      continue;
    }
    by_id.emplace(row.id, std::move(row));
  }
  if (auto status = settleBuiltins(by_id); !status) {
    return status;
  }
  for (auto& [id, row] : by_id) {
    insertPlugin(std::make_shared<PluginState>(std::move(row), with_.main));
  }
  return {};
}

void PluginManager::setLimits(const ManagerSettings& settings) {
  settings_.heap_mib = settings.heap_mib;
  settings_.buffer_mib = settings.buffer_mib;
  settings_.watchdog = settings.watchdog;
  settings_.terminate = settings.terminate;
  settings_.worker_threads = settings.worker_threads;
  settings_.descriptors = settings.descriptors;
  settings_.database_mib = settings.database_mib;
  settings_.overrides = settings.overrides;
}

bool PluginManager::endForMemory(const std::string& plugin_id, const std::string& why) {
  const auto plugin = find(plugin_id);
  return plugin && plugin->current && plugin->current->endForMemory(why);
}

void PluginManager::list(Completion<Records> done) {
  onMain<Records>(std::move(done), [this](Completion<Records> answer) { answer(records()); });
}

void PluginManager::get(std::string plugin_id, Completion<PluginRecord> done) {
  onMain<PluginRecord>(std::move(done),
                       [this, plugin_id = std::move(plugin_id)](Completion<PluginRecord> answer) {
                         if (const auto plugin = find(plugin_id)) {
                           // Who looks at one plugin waits for it.
                           start_gate_.prefer(plugin_id);
                           answer(makeRecord(*plugin));
                         } else {
                           answer(unknownPlugin(plugin_id));
                         }
                       });
}

void PluginManager::loadAll(std::chrono::milliseconds patience, Completion<void> done) {
  std::vector<PluginPtr> chosen;
  for (const auto& [id, plugin] : plugins_) {
    if (plugin->row.enabled && !with_.safe_mode->holds(plugin->row)) {
      chosen.push_back(plugin);
    } else {
      describe(plugin);
    }
  }
  loadEach(std::move(chosen))
      .start(
          limited(with_.main, patience, {errc::kTimeout, "plugins are still loading"},
                  Completion<void>([done = std::move(done)](const Status&) mutable { done({}); })));
}

Course<void> PluginManager::loadEach(std::vector<PluginPtr> chosen) {
  const auto self = shared_from_this();
  std::vector<Course<void>> loads;
  for (const auto& plugin : chosen) {
    loads.push_back(loadInTurn(plugin));
  }
  std::ignore = co_await all(std::move(loads));
  co_return {};
}

Course<void> PluginManager::loadInTurn(PluginPtr plugin) {
  const auto self = shared_from_this();
  // The gate bounds how many load at once; the plugin's own queue keeps the order of its operations.
  // It is never full.
  Error refused{errc::kOverloaded, ""};
  auto name = plugin->row.id;
  const auto gate = co_await start_gate_.turn(std::move(refused), std::move(name));
  if (!gate) {
    co_return gate.error();
  }
  const auto operation = co_await plugin->operations.turn();
  if (!operation) {
    co_return operation.error();
  }
  auto loaded = co_await ask(*lifecycle_, &Lifecycle::load, plugin);
  co_return loaded;
}

void PluginManager::setEnabled(std::string plugin_id, bool enabled, Completion<PluginRecord> done) {
  startOnMain(std::move(done), &PluginManager::changeEnabled, std::move(plugin_id), enabled);
}

Course<PluginRecord> PluginManager::changeEnabled(std::string plugin_id, bool enabled) {
  const auto self = shared_from_this();
  auto registered = co_await registry_.turn();
  if (!registered) {
    co_return std::move(registered).error();
  }
  const auto plugin = find(plugin_id);
  if (!plugin) {
    co_return unknownPlugin(plugin_id);
  }
  const auto operation = co_await plugin->operations.turn();
  if (!operation) {
    co_return operation.error();
  }
  auto row = plugin->row;
  row.enabled = enabled;
  row.updated_at = with_.clock.nowMs();
  if (auto stored = co_await storeRow(row); !stored) {
    co_return std::move(stored).error();
  }
  if (enabled && !plugin->row.enabled) {
    with_.schedules->resume(row.id);
  }
  plugin->row = row;
  registered.value().end();
  if (!enabled) {
    lifecycle_->setStatus(*plugin, PluginStatus::kDisabled, "");
    std::ignore = co_await ask(*lifecycle_, &Lifecycle::unload, plugin, kDisposeLimits);
  } else if (with_.safe_mode->holds(row)) {
    lifecycle_->setStatus(*plugin, PluginStatus::kDisabled, SafeMode::kDetail);
  } else if (!plugin->current) {
    std::ignore = co_await ask(*lifecycle_, &Lifecycle::load, plugin);
  }
  co_return makeRecord(*plugin);
}

void PluginManager::reload(std::string plugin_id, Completion<std::vector<ReloadOutcome>> done) {
  startOnMain(std::move(done), &PluginManager::reloadChosen, std::move(plugin_id));
}

Course<std::vector<ReloadOutcome>> PluginManager::reloadChosen(std::string plugin_id) {
  const auto self = shared_from_this();
  std::vector<Course<ReloadOutcome>> reloads;
  bool held = false;
  for (const auto& [id, plugin] : plugins_) {
    if (plugin_id.empty() ? !plugin->row.enabled : id != plugin_id) {
      continue;
    }
    if (with_.safe_mode->holds(plugin->row)) {
      held = true;
    } else {
      reloads.push_back(reloadOne(plugin));
    }
  }
  if (reloads.empty() && (held || !plugin_id.empty())) {
    co_return held ? heldBack(plugin_id) : unknownPlugin(plugin_id);
  }
  auto outcomes = co_await all(std::move(reloads));
  std::vector<ReloadOutcome> out;
  for (auto& outcome : outcomes.value()) {
    if (outcome) {
      out.push_back(std::move(outcome).value());
    }
  }
  co_return out;
}

Course<ReloadOutcome> PluginManager::reloadOne(PluginPtr plugin) {
  const auto self = shared_from_this();
  const auto operation = co_await plugin->operations.turn();
  if (!operation) {
    co_return ReloadOutcome{makeRecord(*plugin), operation.error()};
  }
  const auto loaded = co_await ask(*lifecycle_, &Lifecycle::load, plugin);
  co_return ReloadOutcome{makeRecord(*plugin),
                          loaded ? std::nullopt : std::optional(loaded.error())};
}

void PluginManager::settingsSaved(std::string plugin_id) {
  with_.main.post([weak = weak_from_this(), plugin_id = std::move(plugin_id)] {
    const auto self = weak.lock();
    const auto plugin = self && !self->shutting_down_ ? self->find(plugin_id) : nullptr;
    if (!plugin) {
      return;
    }
    self->announce();
    if (plugin->status == PluginStatus::kNeedsConfiguration) {
      // How it went is in the record; nobody waits for it.
      self->reloadOne(plugin).start({});
    }
  });
}

void PluginManager::shutdown(Completion<void> done) {
  shutting_down_ = true;
  lifecycle_->stopRestarts();
  with_.schedules->close();
  registry_.clear();
  start_gate_.clear();
  const auto limit = kShutdownLimits.total + kShutdownLimits.gone;
  Countdown all(
      limited(with_.main, limit, {errc::kTimeout, "plugins are still stopping"},
              Completion<void>([done = std::move(done)](const Status&) mutable { done({}); })));
  for (const auto& entry : plugins_) {
    const auto& id = entry.first;
    const auto& plugin = entry.second;
    plugin->operations.clear();
    plugin->restart_timer.reset();
    if (plugin->cancel_load) {
      plugin->cancel_load("the server is shutting down");
    }
    with_.loaded->setStatus(id, plugin->status, "the server is shutting down");
    lifecycle_->unload(plugin, kShutdownLimits, all.share());
    // A load that had begun to switch publishes first and is disposed behind it.
    static_cast<void>(plugin->operations.add(
        [self = shared_from_this(), plugin, last = all.share()](Completion<void> finished) mutable {
          self->lifecycle_->unload(
              plugin, kShutdownLimits,
              [last = std::move(last), finished = std::move(finished)](const Status&) mutable {
                finished({});
                last({});
              });
        }));
  }
  all.arm();
}

void PluginManager::close() {
  for (const auto& [id, plugin] : plugins_) {
    with_.loaded->withdraw(id);
    plugin->operations.clear();
    plugin->restart_timer.reset();
    if (const auto current = std::exchange(plugin->current, nullptr)) {
      current->terminate("the server has stopped", {});
    }
  }
  plugins_.clear();
}

}  // namespace svc::plugins
