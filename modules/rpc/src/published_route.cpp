#include "published_route.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "responses.h"

namespace svc::rpc {
namespace {

using common::Json;

Json describe(const plugins::IGeneration& generation, const Json& display_name,
              const Json& method) {
  auto out = Json::object();
  out.set("pluginId", generation.pluginId()).set("displayName", display_name);
  for (const auto* member : {"method", "inputSchema", "outputSchema"}) {
    if (const auto* value = method.find(member)) {
      out.set(member, *value);
    }
  }
  return out;
}

/// Methods that are there without being advertised.
void pushOthers(Json& methods, const plugins::IGeneration& generation, const Json& display_name,
                const std::function<bool(const std::string& method)>& wanted) {
  std::set<std::string> advertised;
  const auto published = generation.registration("rpc-published");
  for (const auto& entry : published.items()) {
    advertised.insert(entry["method"].asString());
  }
  const auto all = generation.registration("rpc");
  for (const auto& entry : all.items()) {
    const auto& name = entry["method"].asString();
    if (!advertised.contains(name) && wanted(name)) {
      methods.push(describe(generation, display_name, entry).set("published", false));
    }
  }
}

bool matches(const std::optional<std::string>& wanted, const std::string& actual) {
  return !wanted || *wanted == actual;
}

}  // namespace

Status PublishedRoute::attach(http::IHttpServer& server) {
  auto route = server.route({.method = "GET", .pattern = "/api/v1/plugins/rpc"},
                            [this](const http::ExchangePtr& exchange) { handle(*exchange); });
  if (!route) {
    return std::move(route).error();
  }
  route_ = std::move(route).value();
  return {};
}

void PublishedRoute::handle(http::IExchange& exchange) const {
  const auto plugin_id = exchange.request().queryParameter("pluginId");
  const auto method = exchange.request().queryParameter("method");
  const bool all = exchange.request().queryParameter("all") == "true";
  auto methods = Json::array();
  for (const auto& generation : loaded_.all()) {
    if (!matches(plugin_id, generation->pluginId())) {
      continue;
    }
    const auto manifest = generation->registration("manifest");
    const auto published = generation->registration("rpc-published");
    for (const auto& entry : published.items()) {
      if (matches(method, entry["method"].asString())) {
        auto described = describe(*generation, manifest["name"], entry);
        methods.push(all ? described.set("published", true) : described);
      }
    }
    if (all) {
      pushOthers(methods, *generation, manifest["name"],
                 [&](const std::string& name) { return matches(method, name); });
    }
  }
  respondOk(exchange, Json::object().set("methods", std::move(methods)));
}

}  // namespace svc::rpc
