#pragma once

#include <vector>

#include "svc/http/http.h"
#include "svc/plugins/settings.h"

namespace svc::rpc {

/// `GET` and `PUT /plugins/:id/settings`. Requests arrive on the io thread.
class SettingsRoutes {
 public:
  explicit SettingsRoutes(plugins::IPluginSettings& settings) : settings_(settings) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void get(const http::ExchangePtr& exchange);
  void save(const http::ExchangePtr& exchange);

  plugins::IPluginSettings& settings_;
  std::vector<Handle> routes_;
};

}  // namespace svc::rpc
