#pragma once

#include <vector>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

namespace svc::rpc {

/// GET and PUT /api/v1/plugins/safe-mode. Requests arrive on the io thread, answers leave from the main thread.
class SafeModeRoute {
 public:
  explicit SafeModeRoute(plugins::IPluginManager& manager) : manager_(manager) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void show(const http::ExchangePtr& exchange);
  void change(const http::ExchangePtr& exchange);

  plugins::IPluginManager& manager_;
  std::vector<Handle> routes_;
};

}  // namespace svc::rpc
