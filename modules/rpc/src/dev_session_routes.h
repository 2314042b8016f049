#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "svc/http/http.h"
#include "svc/kernel/executor.h"
#include "svc/plugins/plugins.h"

namespace svc::rpc {

/// Longer than the longest build of `svc plugin dev`, which does not renew while it builds, takes by far.
inline constexpr std::chrono::seconds kDevSession{30};

/// Which plugins somebody develops now: windows say more about what fails in those. `svc plugin dev` says so again and again, with the builds that
/// fail now, because nobody says that it was killed. With the session goes what it has said of builds in the plugin's record.
/// Thread-safe: requests arrive on the io thread; sessions begin and end on the main thread.
class DevSessionRoutes {
 public:
  DevSessionRoutes(plugins::IPluginManager& manager, IMainExecutor& main)
      : manager_(manager), main_(main) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void show(const http::ExchangePtr& exchange);
  void renew(const http::ExchangePtr& exchange);
  void end(const http::ExchangePtr& exchange);
  using Problems = std::vector<plugins::DevProblem>;
  /// What a session has said; none when there is no session.
  [[nodiscard]] std::optional<Problems> problemsOf(const std::string& plugin_id);
  void begin(const std::string& plugin_id, Problems problems);
  void forget(const std::string& plugin_id);

  plugins::IPluginManager& manager_;
  IMainExecutor& main_;
  std::mutex mutex_;
  /// By plugin id; only of plugins that there are.
  std::map<std::string, Problems> sessions_;
  /// Until a session lapses. Main thread.
  std::map<std::string, Handle> lapses_;
  std::vector<Handle> routes_;
};

}  // namespace svc::rpc
