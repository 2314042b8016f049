#pragma once

#include <string>
#include <vector>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

namespace svc::sdkclient {

struct SystemFacts {
  std::string data_dir;
  std::string timezone;  ///< IANA name
};

/// GET /api/v1/system/config and /api/v1/system/version. Requests arrive on the io thread; config is answered on main.
class SystemRoutes {
 public:
  SystemRoutes(http::IHttpServer& server, plugins::IPluginManager& manager, SystemFacts facts)
      : server_(server), manager_(manager), facts_(std::move(facts)) {}
  [[nodiscard]] Status attach();

 private:
  void config(const http::ExchangePtr& exchange);

  http::IHttpServer& server_;
  plugins::IPluginManager& manager_;
  SystemFacts facts_;
  std::vector<Handle> routes_;
};

}  // namespace svc::sdkclient
