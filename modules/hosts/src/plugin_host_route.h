#pragma once

#include <memory>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

#include "loads.h"

namespace svc::hosts {

/// `GET /api/v1/plugins/:id/host`: what of a plugin machines run, `{ host: { artifact: { digest, byteLength, sdkVersion } } }`;
/// `host` is null while nothing is loaded that has a host entry. Requests arrive on the io thread, where the loads are.
class PluginHostRoute {
 public:
  PluginHostRoute(plugins::IPluginManager& manager, http::IReactor& reactor,
                  std::weak_ptr<const Loads> loads)
      : manager_(manager), reactor_(reactor), loads_(std::move(loads)) {}

  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void show(const http::ExchangePtr& exchange) const;

  plugins::IPluginManager& manager_;
  http::IReactor& reactor_;
  std::weak_ptr<const Loads> loads_;
  Handle route_;
};

}  // namespace svc::hosts
