#include "plugin_manager.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "async.h"

namespace svc::plugins {
namespace {

/// Fires once every job it handed out a share of has ended.
class Countdown {
 public:
  explicit Countdown(Completion<void> done) : done_(shared(std::move(done))) {}
  [[nodiscard]] Completion<void> share() {
    return [token = token_](const Status&) mutable { token.reset(); };
  }
  /// To be called after the last share(): an empty countdown fires at once.
  void arm() {
    *token_ = Handle([done = done_] { (*done)({}); });
    token_.reset();
  }

 private:
  std::shared_ptr<Completion<void>> done_;
  std::shared_ptr<Handle> token_ = std::make_shared<Handle>();
};

}  // namespace

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
  plugin->status = plugin->row.enabled ? PluginStatus::kStarting : PluginStatus::kDisabled;
  plugins_[plugin->row.id] = plugin;
  with_.loaded->add(plugin->row.id, plugin->meters);
  with_.loaded->setStatus(plugin->row.id, plugin->status, "");
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
  Countdown settled(
      limited(with_.main, patience, {errc::kTimeout, "plugins are still loading"},
              Completion<void>([done = shared(std::move(done))](const Status&) { (*done)({}); })));
  for (const auto& entry : plugins_) {
    const auto& plugin = entry.second;
    if (!plugin->row.enabled) {
      continue;
    }
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
    plugin->row = row;
    (*registered)({});
    Completion<void> answer = [plugin, done, finished](const Status&) {
      (*done)(makeRecord(*plugin));
      (*finished)({});
    };
    if (!row.enabled) {
      self->lifecycle_->setStatus(*plugin, PluginStatus::kDisabled, "");
      self->lifecycle_->unload(plugin, {}, std::move(answer));
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
        for (const auto& [id, plugin] : plugins_) {
          if (plugin_id.empty() ? plugin->row.enabled : id == plugin_id) {
            chosen.push_back(plugin);
          }
        }
        if (chosen.empty() && !plugin_id.empty()) {
          answer(unknownPlugin(plugin_id));
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

void PluginManager::shutdown(Completion<void> done) {
  shutting_down_ = true;
  lifecycle_->stopRestarts();
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
