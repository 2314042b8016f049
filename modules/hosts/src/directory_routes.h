#pragma once

#include <string>
#include <vector>

#include "svc/hosts/host_commands.h"
#include "svc/http/http.h"

namespace svc::hosts {

/// What clients see of a machine's directories: `hosts.directory`, `hosts.pathsExist`, and `hosts.pickFolder`, which needs a desktop
/// and is not supported. Handlers run on the io thread.
class DirectoryRoutes {
 public:
  explicit DirectoryRoutes(IHostCommands& commands) : commands_(commands) {}

  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void list(const http::ExchangePtr& exchange);
  void checkPaths(const http::ExchangePtr& exchange);
  void ask(const http::ExchangePtr& exchange, std::string command);

  IHostCommands& commands_;
  std::vector<Handle> routes_;
};

}  // namespace svc::hosts
