#pragma once

#include <memory>
#include <vector>

#include "svc/http/http.h"
#include "svc/kernel/executor.h"
#include "svc/plugins/plugins.h"

#include "agent_tools.h"
#include "form_pages.h"

namespace svc::agents {

/// For authors of tools: GET /api/v1/agent-tools, GET /api/v1/plugins/:id/tools, POST /api/v1/plugins/:id/tools/:name. Requests arrive on
/// io; lists are read on main, where the names are decided.
class ToolRoutes {
 public:
  ToolRoutes(plugins::ILoadedPlugins& loaded, http::IReactor& reactor, IMainExecutor& main,
             const IClock& clock, std::shared_ptr<AgentTools> tools,
             std::shared_ptr<const FormPages> pages)
      : loaded_(loaded),
        reactor_(reactor),
        main_(main),
        clock_(clock),
        tools_(std::move(tools)),
        pages_(std::move(pages)) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void list(const http::ExchangePtr& exchange, std::string plugin_id) const;
  void listOne(const http::ExchangePtr& exchange) const;
  void call(const http::ExchangePtr& exchange) const;

  plugins::ILoadedPlugins& loaded_;
  http::IReactor& reactor_;
  IMainExecutor& main_;
  const IClock& clock_;
  std::shared_ptr<AgentTools> tools_;
  std::shared_ptr<const FormPages> pages_;
  std::vector<Handle> routes_;
};

}  // namespace svc::agents
