#include "dev_session_routes.h"

#include <utility>

#include "svc/common/json.h"

#include "dev_problems.h"
#include "responses.h"

namespace svc::rpc {

using common::Json;

Status DevSessionRoutes::attach(http::IHttpServer& server) {
  struct Entry {
    const char* method;
    void (DevSessionRoutes::*handler)(const http::ExchangePtr&);
  };
  for (const auto& entry :
       {Entry{"GET", &DevSessionRoutes::show}, Entry{"PUT", &DevSessionRoutes::renew},
        Entry{"DELETE", &DevSessionRoutes::end}}) {
    auto route =
        server.route({.method = entry.method, .pattern = "/api/v1/plugins/:id/dev-session"},
                     [this, handler = entry.handler](const http::ExchangePtr& exchange) {
                       (this->*handler)(exchange);
                     });
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
  }
  return {};
}

void DevSessionRoutes::show(const http::ExchangePtr& exchange) {
  const auto session = sessionOf(std::string(exchange->request().parameter("id")));
  auto problems = Json::array();
  if (session) {
    for (const auto& problem : session->problems) {
      problems.push(
          Json::object()
              .set("kind", problem.target == plugins::BundleTarget::kHost ? "host" : "app")
              .set("message", problem.message));
    }
  }
  respondOk(*exchange,
            Json::object().set("active", session.has_value()).set("problems", std::move(problems)));
}

void DevSessionRoutes::renew(const http::ExchangePtr& exchange) {
  auto problems = readDevProblems(exchange->request().body);
  if (!problems) {
    exchange->fail(problems.error());
    return;
  }
  const std::string plugin_id(exchange->request().parameter("id"));
  manager_.get(plugin_id, [this, exchange, plugin_id, problems = std::move(problems).value()](
                              Result<plugins::PluginRecord> record) mutable {
    if (!record) {
      failFor(*exchange, plugin_id, std::move(record).error());
      return;
    }
    {
      const std::scoped_lock lock(mutex_);
      sessions_[plugin_id] = {clock_.steadyNow() + kDevSession, std::move(problems)};
    }
    respondOk(*exchange, Json::object());
  });
}

void DevSessionRoutes::end(const http::ExchangePtr& exchange) {
  {
    const std::scoped_lock lock(mutex_);
    sessions_.erase(std::string(exchange->request().parameter("id")));
  }
  respondOk(*exchange, Json::object());
}

std::optional<DevSessionRoutes::Session> DevSessionRoutes::sessionOf(const std::string& plugin_id) {
  const std::scoped_lock lock(mutex_);
  const auto found = sessions_.find(plugin_id);
  if (found == sessions_.end()) {
    return std::nullopt;
  }
  if (found->second.ends <= clock_.steadyNow()) {
    sessions_.erase(found);
    return std::nullopt;
  }
  return found->second;
}

}  // namespace svc::rpc
