#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "svc/plugins/plugins.h"
#include "svc/storage/plugin_store.h"

#include "threads.h"

namespace svc::updates {

/// The window in which a new version has to hold. Main thread.
class Stabilisation final : public std::enable_shared_from_this<Stabilisation> {
 public:
  /// `target`: the row that runs now. `needed_configuration`: so did the version before.
  Stabilisation(Threads threads, plugins::IPluginManager& manager, storage::PluginRow target,
                bool needed_configuration);

  /// Answers what speaks against the new version; empty when it has held. `conflict`: somebody else has changed the
  /// plugin; `safe_mode`: it is held now, so nothing is known of it. Once, on a turn of its own.
  void watch(Completion<std::string> done);

 private:
  void examine(const std::vector<plugins::PluginRecord>& records);
  /// It is enabled and does not run: safe mode holds it, or it is being removed, which the window shows.
  void askWhyHeld();
  void openWindow();
  void end(Result<std::string> answer);
  [[nodiscard]] std::string verdict(const plugins::PluginRecord& record) const;

  const Threads threads_;
  plugins::IPluginManager& manager_;
  const storage::PluginRow target_;
  const bool needed_configuration_;
  Completion<std::string> done_;
  Handle listening_;
  Handle window_;
};

/// `conflict`: the plugin was changed while it was being "updated" or "rolled back".
[[nodiscard]] Error changedMeanwhile(const std::string& plugin_id, std::string_view doing,
                                     std::string_view what);

}  // namespace svc::updates
