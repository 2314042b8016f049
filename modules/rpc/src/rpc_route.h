#pragma once

#include <memory>

#include "svc/http/http.h"
#include "svc/kernel/executor.h"
#include "svc/plugins/plugins.h"

#include "pending_calls.h"

namespace svc::rpc {

/// POST /api/v1/plugins/:id/rpc/:method: bytes of the request to the plugin's environment, bytes of its answer back.
/// Requests arrive on the io thread; answers leave from the script thread. Neither parses JSON here.
class RpcRoute {
 public:
  RpcRoute(plugins::ILoadedPlugins& loaded, http::IReactor& reactor, const IClock& clock);
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void handle(http::ExchangePtr exchange);

  plugins::ILoadedPlugins& loaded_;
  std::shared_ptr<PendingCalls> pending_;
  Handle route_;
};

}  // namespace svc::rpc
