#pragma once

#include <string>
#include <vector>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

namespace svc::rpc {

/// The plugin inventory over HTTP: list, enable, disable, reload, remove. Requests arrive on the io thread,
/// answers leave from the main thread.
class ManagementRoutes {
 public:
  explicit ManagementRoutes(plugins::IPluginManager& manager) : manager_(manager) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  [[nodiscard]] Status add(http::IHttpServer& server, std::string method, std::string pattern,
                           http::Handler handler);

  void list(const http::ExchangePtr& exchange);
  void get(const http::ExchangePtr& exchange);
  void overview(const http::ExchangePtr& exchange);
  void inspect(const http::ExchangePtr& exchange);
  void setEnabled(const http::ExchangePtr& exchange, bool enabled);
  void reload(const http::ExchangePtr& exchange);
  void remove(const http::ExchangePtr& exchange);

  plugins::IPluginManager& manager_;
  std::vector<Handle> routes_;
};

}  // namespace svc::rpc
