#pragma once

#include <functional>
#include <memory>
#include <string>

#include "svc/plugins/plugin_updates.h"

#include "collaborators.h"
#include "lifecycle.h"
#include "plugin_state.h"

namespace svc::plugins {

/// IPluginSwitch over one plugin. Main thread only.
class PluginSwitch final : public IPluginSwitch, public std::enable_shared_from_this<PluginSwitch> {
 public:
  struct Parts {
    std::shared_ptr<Lifecycle> lifecycle;
    /// True once the server shuts down: nothing is loaded any more.
    std::function<bool()> stopping;
    /// In the list and among the plugin's operations.
    Turn registered;
    Turn operation;
  };
  PluginSwitch(Collaborators with, PluginPtr plugin, Parts parts);
  PluginSwitch(const PluginSwitch&) = delete;
  PluginSwitch& operator=(const PluginSwitch&) = delete;
  ~PluginSwitch() override;

  [[nodiscard]] const storage::PluginRow& row() const override { return plugin_->row; }
  void suspend(std::string detail, Completion<void> done) override;
  void replace(storage::PluginRow row, Completion<void> done) override;
  void adopt(storage::PluginRow row) override;
  void load(Completion<PluginRecord> done) override;
  void giveUp(std::string detail) override;

 private:
  void release();

  const Collaborators with_;
  const PluginPtr plugin_;
  Parts parts_;
  Handle hold_limit_;
  bool suspended_ = false;
};

}  // namespace svc::plugins
