#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "svc/http/http.h"

#include "call_history.h"
#include "clients.h"
#include "tokens.h"

namespace svc::mcp {

/// What the window and the command line ask about MCP clients: /api/v1/mcp/{tokens,clients,calls}. Io thread.
class AccessRoutes : public std::enable_shared_from_this<AccessRoutes> {
 public:
  /// `enabled` says whether clients are served at all; any thread.
  AccessRoutes(std::shared_ptr<Tokens> tokens, std::shared_ptr<Clients> clients,
               std::shared_ptr<CallHistory> history, std::function<bool()> enabled)
      : tokens_(std::move(tokens)),
        clients_(std::move(clients)),
        history_(std::move(history)),
        enabled_(std::move(enabled)) {}

  [[nodiscard]] Result<std::vector<Handle>> attach(http::IHttpServer& server);

 private:
  void listTokens(const http::ExchangePtr& exchange);
  void createToken(const http::ExchangePtr& exchange);
  void revokeToken(const http::ExchangePtr& exchange);
  void listClients(const http::ExchangePtr& exchange);
  void listCalls(const http::ExchangePtr& exchange);

  const std::shared_ptr<Tokens> tokens_;
  const std::shared_ptr<Clients> clients_;
  const std::shared_ptr<CallHistory> history_;
  const std::function<bool()> enabled_;
};

}  // namespace svc::mcp
