#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "svc/kernel/module.h"
#include "svc/kernel/module_states.h"
#include "svc/kernel/program_exit.h"

#include "config.h"
#include "live_config.h"
#include "lock_file.h"
#include "logging.h"
#include "main_loop.h"
#include "module_graph.h"
#include "module_library.h"
#include "service_manager.h"
#include "worker_lanes.h"

namespace svc::kernel {

struct KernelOptions {
  std::string program = "server";
  std::string version;
  Paths paths;
  /// Where the data directory is for lack of another one; empty when somebody has named it.
  std::filesystem::path home;
  /// Names in the data directory and in its logs folder; empty = the directory is not locked, nothing is written to a file.
  std::string lock_file = "server.lock";
  std::string log_file = "server.log";
  /// Name in the data directory of what tells others that the process runs; removed when it is ended by force. Empty = none.
  std::string run_file = "server.json";
  std::vector<std::filesystem::path> module_directories;
  /// Module set when configuration names none.
  std::vector<std::string> default_modules;
  ConfigSources config;
  /// The text of the configuration file as it is now.
  LiveConfig::ReadFile read_config_file;
  /// What a service manager wants to hear.
  ServiceManager::Wishes service_manager;
  /// Bounds of the way down; beyond them the process is ended by force.
  std::chrono::milliseconds drain_limit{3000};
  std::chrono::milliseconds stop_limit{3000};
};

/// Loads modules, starts them in dependency order, runs the main loop, and takes everything down again.
/// Main thread only, except requestShutdown(), fail(), startAgain() and modules().
class Kernel final : public IModuleStates, public IProgramExit {
 public:
  explicit Kernel(KernelOptions options);
  ~Kernel() override;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// Opens the libraries, reads the configuration and resolves the graph. Starts nothing and writes nothing.
  [[nodiscard]] Status load();
  /// What the rules of the configuration keys say of the values.
  [[nodiscard]] std::vector<ConfigProblem> configProblems() const { return config()->problems(); }
  /// What they say of values in the file that a variable or flag overrides.
  [[nodiscard]] std::vector<ConfigProblem> maskedProblems() const {
    return config()->maskedProblems(options_.config);
  }
  /// The module graph for people (`--check`).
  [[nodiscard]] std::string describe() const;
  /// Takes the data directory, then starts every module and makes it ready. On failure what was started is stopped.
  [[nodiscard]] Status start();
  /// Runs until shutdown is requested, then drains and stops.
  void run();
  /// Drains and stops what runs. Called by run() and after a failed start.
  void shutdown();

  /// Thread-safe.
  void requestShutdown(std::string reason);
  void fail(std::string reason) override;
  void startAgain(std::filesystem::path executable, std::string reason) override;
  /// What takes over after run(); empty = nothing.
  [[nodiscard]] const std::filesystem::path& successor() const { return successor_; }
  /// Of the process, after run().
  [[nodiscard]] int exitStatus() const { return failed_ ? 1 : 0; }
  /// Applies what has changed in the configuration file; the outcome is in the log. Thread-safe.
  void reloadConfig();
  [[nodiscard]] std::vector<ModuleState> modules() const override;
  [[nodiscard]] std::shared_ptr<const Config> config() const { return config_->current(); }

 private:
  struct Running;

  [[nodiscard]] std::vector<ConfigKey> configKeys(
      const std::vector<LoadedLibrary>& libraries) const;
  [[nodiscard]] Status readModuleSettings(std::vector<std::string>& names,
                                          ProviderChoice& providers);
  [[nodiscard]] Status checkConfig(std::vector<std::string>& missing) const;
  [[nodiscard]] Status prepareDirectories();
  [[nodiscard]] Result<bool> takeData();
  /// Whose the data directory, and what is in it, must be.
  [[nodiscard]] Status checkOwners() const;
  [[nodiscard]] Status keepPrivate(const std::filesystem::path& directory, bool created);
  [[nodiscard]] Status startModule(const ModuleDescriptor& descriptor);
  [[nodiscard]] Status makeReady(Running& running);
  [[nodiscard]] Handle applyLogLevel();
  void reportReload(const Result<IConfigChanges::Outcome>& outcome) const;
  void drainAll();
  void stopAll();
  /// What is left to do before a forced end: its reason stands in the log, and nobody is told of a process that is gone.
  void lastWords(const std::string& reason) const;
  void setState(const std::string& module, const std::string& state,
                const std::string& detail = {});

  KernelOptions options_;
  MainLoop loop_;
  ServiceManager service_manager_{options_.service_manager};
  SystemClock clock_;
  WorkerLanes workers_{clock_};
  std::optional<LiveConfig> config_;
  std::optional<Logging> logging_;
  Handle log_level_;
  std::shared_ptr<spdlog::logger> log_;
  std::optional<LockFile> lock_;
  std::vector<std::filesystem::path> mended_;  ///< directories whose mode was too wide
  ServiceRegistry services_;
  std::vector<LoadedLibrary> libraries_;
  ModuleGraph graph_;
  std::vector<std::unique_ptr<Running>> running_;
  std::vector<Task> when_ready_;
  std::atomic<bool> stop_requested_{false};
  std::atomic<bool> failed_{false};
  std::filesystem::path successor_;
  mutable std::mutex states_mutex_;
  std::vector<ModuleState> states_;
};

}  // namespace svc::kernel
