#pragma once

#include <memory>

#include "svc/http/http.h"
#include "svc/kernel/executor.h"
#include "svc/plugins/plugins.h"

#include "commands.h"

namespace svc::cli {

/// POST /api/v1/plugins/:id/cli and GET /api/v1/plugins/contributions. Requests arrive on the io thread; contributions
/// are read on the main thread, where the command table lives.
class CliRoutes {
 public:
  CliRoutes(plugins::ILoadedPlugins& loaded, http::IReactor& reactor, IMainExecutor& main,
            std::shared_ptr<Commands> commands)
      : loaded_(loaded), reactor_(reactor), main_(main), commands_(std::move(commands)) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  plugins::ILoadedPlugins& loaded_;
  http::IReactor& reactor_;
  IMainExecutor& main_;
  std::shared_ptr<Commands> commands_;
  Handle run_;
  Handle contributions_;
};

}  // namespace svc::cli
