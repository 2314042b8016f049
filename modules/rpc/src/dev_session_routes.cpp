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
  const auto session = problemsOf(std::string(exchange->request().parameter("id")));
  auto problems = Json::array();
  if (session) {
    for (const auto& problem : *session) {
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
    begin(plugin_id, std::move(problems));
    respondOk(*exchange, Json::object());
  });
}

void DevSessionRoutes::end(const http::ExchangePtr& exchange) {
  const std::string plugin_id(exchange->request().parameter("id"));
  manager_.get(plugin_id,
               [this, exchange, plugin_id](const Result<plugins::PluginRecord>& /*record*/) {
                 forget(plugin_id);
                 respondOk(*exchange, Json::object());
               });
}

std::optional<DevSessionRoutes::Problems> DevSessionRoutes::problemsOf(
    const std::string& plugin_id) {
  const std::scoped_lock lock(mutex_);
  const auto found = sessions_.find(plugin_id);
  return found == sessions_.end() ? std::nullopt : std::optional(found->second);
}

void DevSessionRoutes::begin(const std::string& plugin_id, Problems problems) {
  {
    const std::scoped_lock lock(mutex_);
    sessions_[plugin_id] = std::move(problems);
  }
  lapses_[plugin_id] = main_.after(kDevSession, [this, plugin_id] { forget(plugin_id); });
}

void DevSessionRoutes::forget(const std::string& plugin_id) {
  {
    const std::scoped_lock lock(mutex_);
    if (sessions_.erase(plugin_id) == 0) {
      return;
    }
  }
  // Nobody builds any more: what the last build has said need not be so now.
  manager_.setDevProblems(plugin_id, {}, [](const Status&) {});
  lapses_.erase(plugin_id);
}

}  // namespace svc::rpc
