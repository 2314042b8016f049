#pragma once

#include <memory>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

namespace svc::rpc {

class LogWaiters;

/// GET /api/v1/plugins/:id/logs: lines of the plugin's log; with `wait` the answer waits for the first line that
/// matches. At most kMaxWaiters requests wait; one more is answered `overloaded`.
class LogRoute {
 public:
  static constexpr std::size_t kMaxWaiters = 256;

  LogRoute(plugins::IPluginLogs& logs, http::IReactor& reactor);
  ~LogRoute();
  LogRoute(const LogRoute&) = delete;
  LogRoute& operator=(const LogRoute&) = delete;
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  std::shared_ptr<LogWaiters> waiters_;
  Handle lines_;
  Handle route_;
};

}  // namespace svc::rpc
