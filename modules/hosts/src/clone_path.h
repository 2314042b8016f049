#pragma once

#include <string>
#include <vector>

#include "svc/hosts/host_commands.h"
#include "svc/http/http.h"

namespace svc::hosts {

/// The name of a directory for a project of this name: letters, digits, points and dashes.
[[nodiscard]] std::string directoryName(const std::string& project_name);

/// `hosts.cloneDefaultPath`: where a project is to be cloned on a machine unless somebody says otherwise, a directory of the user's home
/// that is not there yet. Asks whoever has the route of projects for its name. Handlers run on the io thread.
class ClonePath {
 public:
  explicit ClonePath(IHostCommands& commands) : commands_(commands) {}

  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  struct Asked {
    http::ExchangePtr exchange;
    std::string host_id;
    std::string name;
    std::string home;
  };

  void ask(const http::ExchangePtr& exchange);
  static void named(IHostCommands& commands, Asked asked);
  static void located(IHostCommands& commands, Asked asked);

  IHostCommands& commands_;
  http::IHttpServer* server_ = nullptr;
  Handle route_;
};

}  // namespace svc::hosts
