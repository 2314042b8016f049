#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <spdlog/logger.h>

#include "svc/http/http.h"
#include "svc/machines/host_registry.h"

#include "loads.h"
#include "open_request.h"
#include "sessions.h"
#include "shared_ports.h"

namespace svc::hosts {

/// `POST /internal/session/open` and `GET /internal/ws`. Handlers run on the io thread.
class SessionRoutes {
 public:
  struct With {
    machines::IHostRegistry& registry;
    Sessions& sessions;
    const Loads& loads;
    const SharedPorts& ports;
    std::shared_ptr<spdlog::logger> log;
  };
  explicit SessionRoutes(With with) : with_(std::move(with)) {}

  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  [[nodiscard]] Result<std::string> open(const http::Request& request);
  [[nodiscard]] Result<std::shared_ptr<http::IWebSocketHandler>> accept(
      const http::Request& request);
  [[nodiscard]] Error refusedProtocol(const std::string& host_id, const SpokenProtocol& theirs);
  [[nodiscard]] Error forbidden(const std::string& host_id, std::string why);
  [[nodiscard]] std::string answerFor(const Session& session) const;
  void logOnce(const std::string& host_id, const std::string& what);

  With with_;
  /// What the log says about a host's refused sessions: a daemon tries again every few seconds.
  std::map<std::string, std::string> refusals_;
  std::vector<Handle> routes_;
};

}  // namespace svc::hosts
