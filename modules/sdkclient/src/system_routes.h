#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/http/http.h"
#include "svc/kernel/config_changes.h"
#include "svc/plugins/plugins.h"

namespace svc::sdkclient {

struct SystemFacts {
  std::string data_dir;
  /// IANA name. Asked on the main thread.
  std::function<std::string()> timezone;
  /// Id of the server's own machine; empty when the service knows no machines. Any thread.
  std::function<std::string()> host_id = [] { return std::string(); };
};

/// GET /api/v1/system/config and /api/v1/system/version, POST /api/v1/system/config/reload. Requests arrive on the io
/// thread; config is answered on main.
class SystemRoutes {
 public:
  /// `changes`: null where the program cannot read its configuration again.
  SystemRoutes(http::IHttpServer& server, plugins::IPluginManager& manager, SystemFacts facts,
               IConfigChanges* changes)
      : server_(server), manager_(manager), facts_(std::move(facts)), changes_(changes) {}
  [[nodiscard]] Status attach();

 private:
  [[nodiscard]] Status add(std::string_view method, std::string_view path, http::Handler handler);
  void config(const http::ExchangePtr& exchange);
  void reload(const http::ExchangePtr& exchange);

  http::IHttpServer& server_;
  plugins::IPluginManager& manager_;
  SystemFacts facts_;
  IConfigChanges* changes_;
  std::vector<Handle> routes_;
};

}  // namespace svc::sdkclient
