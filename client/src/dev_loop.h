#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "svc/common/bundle_builder.h"
#include "svc/common/json.h"

#include "console.h"
#include "dev_cockpit.h"
#include "file_watcher.h"

namespace svc::client {

class IDevBuilder {
 public:
  virtual ~IDevBuilder() = default;
  /// As common::BundleBuilder::build().
  [[nodiscard]] virtual Result<common::BuildReport> build(const common::BuildRequest& request) = 0;
};

struct DevProblem {
  common::BuildTarget target = common::BuildTarget::kApp;
  std::string message;
};

class IDevServer {
 public:
  virtual ~IDevServer() = default;
  /// Loads the plugin again; its record. The error's message is the server's, or says that there is none.
  [[nodiscard]] virtual Result<common::Json> reload(const std::string& plugin_id) = 0;
  /// Replaces the build problems in the plugin's status.
  [[nodiscard]] virtual Status setProblems(const std::string& plugin_id,
                                           const std::vector<DevProblem>& problems) = 0;
  /// What a window says of the page of the plugin's present load; empty when none has failed.
  [[nodiscard]] virtual Result<std::string> uiFailure(const std::string& plugin_id) = 0;
  /// What has failed in open windows since the last call, as the plugin's log has it; nothing while there is no server.
  [[nodiscard]] virtual std::vector<std::string> windowFailures(const std::string& plugin_id) = 0;
};

/// Ends a series of changes: when none came for a while, or when they do not end.
class Debounce {
 public:
  using Time = std::chrono::steady_clock::time_point;

  void touch(Time now);
  /// How long to wait for more; nullopt when nothing has changed, zero when it is time.
  [[nodiscard]] std::optional<std::chrono::milliseconds> left(Time now) const;
  void reset() { first_.reset(); }

 private:
  std::optional<Time> first_;
  Time last_;
};

/// Builds and reloads one plugin whenever its files change, one cycle at a time, until the watcher is stopped.
class DevLoop {
 public:
  struct Plugin {
    std::string id;
    std::filesystem::path root;
  };
  struct Ports {
    IFileWatcher& watcher;
    IDevBuilder& builder;
    IDevServer& server;
    std::function<Debounce::Time()> now;
    /// Of a person at a terminal; null without one.
    IDevCockpit* cockpit = nullptr;
  };
  DevLoop(Plugin plugin, const Console& console, Ports ports)
      : plugin_(std::move(plugin)), console_(console), ports_(std::move(ports)) {}

  /// The exit code.
  [[nodiscard]] int run();

 private:
  /// Why there is a next cycle; nullopt when the loop is to end.
  [[nodiscard]] std::optional<std::string> nextReason();
  /// "2 files changed"; nullopt when nothing has.
  [[nodiscard]] std::optional<std::string> takeChanges();
  [[nodiscard]] std::optional<std::chrono::milliseconds> untilNextLook() const;
  void lookAround();
  /// Prints a failure of the page in the window once, and that it is over.
  void lookAtUi();
  void tellWindowFailures();
  void cycle(const std::string& reason);
  /// False when the cycle ends here.
  [[nodiscard]] bool build(std::vector<std::string>& parts);
  [[nodiscard]] bool failBuild(common::BuildTarget target, const std::string& message,
                               std::vector<std::string>& parts);
  void reportBuild(const common::BuildReport& report, std::vector<std::string>& parts);
  void clearProblems();
  [[nodiscard]] bool reload(std::vector<std::string>& parts);
  void printLine(bool ok, const std::vector<std::string>& parts) const;

  Plugin plugin_;
  const Console& console_;
  Ports ports_;
  common::Json manifest_;
  /// The server may have problems of an earlier run.
  bool problems_sent_ = true;
  std::vector<std::string> warned_;
  /// The one that was printed; empty = none.
  std::string ui_failure_;
  /// Failures of windows that were told since the last reload.
  std::set<std::string> told_;
  int looks_without_ = 0;
  Debounce::Time ui_looked_;
};

/// "Watching <root> for plugin "<id>" (frontend rebuild + reload on change) — Ctrl+C to stop."
[[nodiscard]] std::string startLine(const DevLoop::Plugin& plugin, const common::Json& manifest);

/// Text of an entry in the `svc` object; empty when it is not declared.
[[nodiscard]] const std::string& declaredEntry(const common::Json& manifest, const char* entry);

}  // namespace svc::client
