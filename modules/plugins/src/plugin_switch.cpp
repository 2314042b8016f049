#include "plugin_switch.h"

#include <utility>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"
#include "svc/kernel/async.h"

namespace svc::plugins {

PluginSwitch::PluginSwitch(Collaborators with, PluginPtr plugin, Parts parts)
    : with_(std::move(with)), plugin_(std::move(plugin)), parts_(std::move(parts)) {}

PluginSwitch::~PluginSwitch() { release(); }

void PluginSwitch::release() {
  hold_limit_.reset();
  if (std::exchange(suspended_, false) && !plugin_->current) {
    with_.loaded->withdraw(plugin_->row.id);
  }
}

void PluginSwitch::suspend(std::string detail, Completion<void> done) {
  suspended_ = true;
  if (!plugin_->row.enabled) {
    parts_.lifecycle->unload(plugin_, {}, std::move(done));
    return;
  }
  parts_.lifecycle->setStatus(*plugin_, PluginStatus::kStarting, std::move(detail));
  hold_limit_ = with_.main.after(limits::kUpdateHold,
                                 [loaded = with_.loaded, id = plugin_->row.id, plugin = plugin_] {
                                   if (!plugin->current) {
                                     loaded->withdraw(id);
                                   }
                                 });
  parts_.lifecycle->suspend(plugin_, std::move(done));
}

void PluginSwitch::replace(storage::PluginRow row, Completion<void> done) {
  row.generation = plugin_->row.generation;
  row.updated_at = with_.clock.nowMs();
  const std::function job = [&store = with_.store, row] { return store.put(row); };
  runOnWorker<void>(
      with_.workers, with_.main, job,
      [self = shared_from_this(), row, done = std::move(done)](Status stored) mutable {
        if (stored) {
          self->adopt(row);
        }
        done(std::move(stored));
      });
}

void PluginSwitch::adopt(storage::PluginRow row) {
  // The rest of what is known of a plugin that is off is read again when it is loaded.
  if (plugin_->manifest) {
    plugin_->manifest->version = row.version;
  }
  plugin_->row = std::move(row);
}

void PluginSwitch::giveUp(std::string detail) {
  parts_.lifecycle->setStatus(*plugin_, PluginStatus::kError, std::move(detail));
  release();
}

void PluginSwitch::load(Completion<PluginRecord> done) {
  parts_.registered.end();
  if (parts_.stopping()) {
    done(Error{errc::kUnavailable, "the server is shutting down"});
    return;
  }
  Completion<void> loaded = [self = shared_from_this(),
                             done = std::move(done)](const Status&) mutable {
    self->release();
    done(makeRecord(*self->plugin_));
  };
  if (!plugin_->row.enabled) {
    parts_.lifecycle->setStatus(*plugin_, PluginStatus::kDisabled, "");
    loaded({});
    return;
  }
  parts_.lifecycle->load(plugin_, std::move(loaded));
}

}  // namespace svc::plugins
