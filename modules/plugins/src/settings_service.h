#pragma once

#include <memory>
#include <string>

#include "svc/kernel/executor.h"
#include "svc/plugins/plugins.h"
#include "svc/plugins/settings.h"

namespace svc::plugins {

/// Settings over the loaded map: what a generation has published is read as it is, and a save is its environment's to
/// check. Thread-safe.
class SettingsService final : public IPluginSettings {
 public:
  SettingsService(IMainExecutor& main, std::shared_ptr<ILoadedPlugins> loaded)
      : main_(main), loaded_(std::move(loaded)) {}

  void get(const std::string& plugin_id, Completion<common::RawJson> done) override;
  void save(const std::string& plugin_id, const common::Json& values,
            Completion<common::RawJson> done) override;

 private:
  IMainExecutor& main_;
  std::shared_ptr<ILoadedPlugins> loaded_;
};

}  // namespace svc::plugins
