#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <vector>

#include "svc/cli/commands.h"
#include "svc/kernel/executor.h"
#include "svc/plugins/plugins.h"

#include "command_table.h"

namespace svc::cli {

/// The command table and what follows from it. Lives on the main thread, but for run().
class Commands final : public ICommands {
 public:
  Commands(plugins::ILoadedPlugins& loaded, IMainExecutor& main)
      : table_(loaded), loaded_(loaded), main_(main) {}

  void recordsChanged(const std::vector<plugins::PluginRecord>& records);
  /// The current commands; listeners hear when they changed.
  std::vector<Command> refresh();

  [[nodiscard]] std::vector<Command> list() override { return refresh(); }
  void run(CommandRun run, std::stop_token stop, Completion<CommandOutcome> done) override;
  [[nodiscard]] Handle onChanged(std::function<void()> listener) override;

 private:
  using Listeners = std::map<std::uint64_t, std::function<void()>>;

  CommandTable table_;
  plugins::ILoadedPlugins& loaded_;
  IMainExecutor& main_;
  std::vector<Command> known_;
  std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();
  std::uint64_t last_listener_ = 0;
};

}  // namespace svc::cli
