#pragma once

#include <memory>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

#include "tokens.h"

namespace svc::routes {

/// POST /api/v1/plugins/:id/token: the plugin's HTTP token, made when there is none or when the caller rotates it.
/// Also while the plugin is disabled. Requests arrive on the io thread, answers leave from main or a worker.
class TokenRoute {
 public:
  TokenRoute(plugins::IPluginManager& manager, std::shared_ptr<Tokens> tokens)
      : manager_(manager), tokens_(std::move(tokens)) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void handle(const http::ExchangePtr& exchange);

  plugins::IPluginManager& manager_;
  std::shared_ptr<Tokens> tokens_;
  Handle route_;
};

}  // namespace svc::routes
