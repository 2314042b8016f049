#include "plugin_manager.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "async.h"

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
  with_.schedules->onChanged([weak] {
    if (const auto self = weak.lock()) {
      self->announce();
    }
  });
  const std::function abort_runs = [schedules = with_.schedules](const GenerationPtr& generation,
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
  if (auto status = with_.safe_mode->open(settings_.safe_mode); !status) {
    return status;
  }
  auto rows = with_.store.list();
  if (!rows) {
    return std::move(rows).error();
  }
  for (auto& row : rows.value()) {
    insertPlugin(std::make_shared<PluginState>(std::move(row), with_.main));
  }
  return {};
}

void PluginManager::storeRow(const storage::PluginRow& row, Completion<void> done) {
  const std::function job = [&store = with_.store, row] { return store.put(row); };
  runOnWorker<void>(with_.workers, with_.main, job, std::move(done));
}

void PluginManager::setLimits(const ManagerSettings& settings) {
  settings_.heap_mib = settings.heap_mib;
  settings_.watchdog = settings.watchdog;
  settings_.terminate = settings.terminate;
  settings_.worker_threads = settings.worker_threads;
  settings_.descriptors = settings.descriptors;
  settings_.overrides = settings.overrides;
}

void PluginManager::list(Completion<Records> done) {
  onMain<Records>(std::move(done), [this](Completion<Records> answer) { answer(records()); });
}

void PluginManager::get(std::string plugin_id, Completion<PluginRecord> done) {
  onMain<PluginRecord>(std::move(done),
                       [this, plugin_id = std::move(plugin_id)](Completion<PluginRecord> answer) {
                         if (const auto plugin = find(plugin_id)) {
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
  loadEach(
      chosen,
      limited(with_.main, patience, {errc::kTimeout, "plugins are still loading"},
              Completion<void>([done = shared(std::move(done))](const Status&) { (*done)({}); })));
}

void PluginManager::loadEach(const std::vector<PluginPtr>& chosen, Completion<void> done) {
  Countdown settled(std::move(done));
  for (const auto& plugin : chosen) {
    auto share = shared(settled.share());
    // The gate bounds how many load at once; the plugin's own queue keeps the order of its
    // operations.
    static_cast<void>(
        start_gate_.add([self = shared_from_this(), plugin, share](Completion<void> passed) {
          auto leave = shared(std::move(passed));
          self->enqueue(
              plugin->operations, leave, [self, plugin, share, leave](Completion<void> finished) {
                self->lifecycle_->load(
                    plugin, [share, leave, finished = shared(std::move(finished))](const Status&) {
                      (*finished)({});
                      (*leave)({});
                      (*share)({});
                    });
              });
        }));
  }
  settled.arm();
}

void PluginManager::setEnabled(std::string plugin_id, bool enabled, Completion<PluginRecord> done) {
  onMain<PluginRecord>(std::move(done), [this, plugin_id = std::move(plugin_id),
                                         enabled](Completion<PluginRecord> answer) {
    auto reply = shared(std::move(answer));
    enqueue(registry_, reply,
            [self = shared_from_this(), plugin_id, enabled, reply](Completion<void> registered) {
              const auto plugin = self->find(plugin_id);
              if (!plugin) {
                (*reply)(unknownPlugin(plugin_id));
                return;
              }
              self->enqueue(
                  plugin->operations, reply,
                  [self, plugin, enabled, reply,
                   registered = shared(std::move(registered))](Completion<void> finished) {
                    self->changeEnabled(plugin, enabled, std::move(*reply), std::move(*registered),
                                        std::move(finished));
                  });
            });
  });
}

void PluginManager::changeEnabled(const PluginPtr& plugin, bool enabled,
                                  Completion<PluginRecord> done, Completion<void> registered,
                                  Completion<void> finished) {
  auto row = plugin->row;
  row.enabled = enabled;
  row.updated_at = with_.clock.nowMs();
  storeRow(row, [self = shared_from_this(), plugin, row, done = shared(std::move(done)),
                 registered = shared(std::move(registered)),
                 finished = shared(std::move(finished))](Status stored) {
    if (!stored) {
      (*done)(std::move(stored).error());
      return;
    }
    if (row.enabled && !plugin->row.enabled) {
      self->with_.schedules->resume(row.id);
    }
    plugin->row = row;
    (*registered)({});
    Completion<void> answer = [plugin, done, finished](const Status&) {
      (*done)(makeRecord(*plugin));
      (*finished)({});
    };
    if (!row.enabled) {
      self->lifecycle_->setStatus(*plugin, PluginStatus::kDisabled, "");
      self->lifecycle_->unload(plugin, {}, std::move(answer));
    } else if (self->with_.safe_mode->holds(row)) {
      self->lifecycle_->setStatus(*plugin, PluginStatus::kDisabled, SafeMode::kDetail);
      answer({});
    } else if (!plugin->current) {
      self->lifecycle_->load(plugin, std::move(answer));
    } else {
      answer({});
    }
  });
}

void PluginManager::reload(std::string plugin_id, Completion<std::vector<ReloadOutcome>> done) {
  using Outcomes = std::vector<ReloadOutcome>;
  onMain<Outcomes>(
      std::move(done), [this, plugin_id = std::move(plugin_id)](Completion<Outcomes> answer) {
        std::vector<PluginPtr> chosen;
        bool held = false;
        for (const auto& [id, plugin] : plugins_) {
          if (plugin_id.empty() ? !plugin->row.enabled : id != plugin_id) {
            continue;
          }
          if (with_.safe_mode->holds(plugin->row)) {
            held = true;
          } else {
            chosen.push_back(plugin);
          }
        }
        if (chosen.empty() && (held || !plugin_id.empty())) {
          answer(held ? heldBack(plugin_id) : unknownPlugin(plugin_id));
          return;
        }
        auto outcomes = std::make_shared<std::map<std::string, ReloadOutcome>>();
        Countdown all([outcomes, answer = shared(std::move(answer))](const Status&) {
          Outcomes out;
          for (auto& [id, outcome] : *outcomes) {
            out.push_back(std::move(outcome));
          }
          (*answer)(std::move(out));
        });
        for (const auto& plugin : chosen) {
          reloadOne(plugin, [outcomes, share = shared(all.share())](ReloadOutcome outcome) {
            outcomes->emplace(outcome.record.id, std::move(outcome));
            (*share)({});
          });
        }
        all.arm();
      });
}

void PluginManager::reloadOne(const PluginPtr& plugin, std::function<void(ReloadOutcome)> done) {
  Completion<void> answer = [plugin, done = std::move(done)](const Status& status) {
    done({makeRecord(*plugin), status ? std::nullopt : std::optional(status.error())});
  };
  auto reply = shared(std::move(answer));
  enqueue(plugin->operations, reply,
          [self = shared_from_this(), plugin, reply](Completion<void> finished) {
            self->lifecycle_->load(plugin,
                                   [reply, finished = shared(std::move(finished))](Status status) {
                                     (*reply)(std::move(status));
                                     (*finished)({});
                                   });
          });
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
      self->reloadOne(plugin, [](const ReloadOutcome&) {});
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
              Completion<void>([done = shared(std::move(done))](const Status&) { (*done)({}); })));
  for (const auto& entry : plugins_) {
    const auto& id = entry.first;
    const auto& plugin = entry.second;
    plugin->operations.clear();
    plugin->restart_timer.reset();
    if (plugin->cancel_load) {
      plugin->cancel_load("the server is shutting down");
    }
    with_.loaded->setStatus(id, plugin->status, "the server is shutting down");
    auto share = shared(all.share());
    lifecycle_->unload(plugin, kShutdownLimits, [share](const Status&) { (*share)({}); });
    // A load that had begun to switch publishes first and is disposed behind it.
    static_cast<void>(plugin->operations.add(
        [self = shared_from_this(), plugin, last = shared(all.share())](Completion<void> finished) {
          self->lifecycle_->unload(plugin, kShutdownLimits,
                                   [last, finished = shared(std::move(finished))](const Status&) {
                                     (*finished)({});
                                     (*last)({});
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
