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
/// fail now, because nobody says that it was killed. Thread-safe: requests arrive on the io thread, what the manager answers on the main thread.
class DevSessionRoutes {
 public:
  DevSessionRoutes(plugins::IPluginManager& manager, const IClock& clock)
      : manager_(manager), clock_(clock) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void show(const http::ExchangePtr& exchange);
  void renew(const http::ExchangePtr& exchange);
  void end(const http::ExchangePtr& exchange);
  struct Session {
    std::chrono::steady_clock::time_point ends;
    std::vector<plugins::DevProblem> problems;
  };
  [[nodiscard]] std::optional<Session> sessionOf(const std::string& plugin_id);

  plugins::IPluginManager& manager_;
  const IClock& clock_;
  std::mutex mutex_;
  /// By plugin id; only of plugins that there are.
  std::map<std::string, Session> sessions_;
  std::vector<Handle> routes_;
};

}  // namespace svc::rpc
