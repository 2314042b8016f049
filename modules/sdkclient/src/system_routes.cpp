#include "system_routes.h"

#include <utility>

#include "svc/plugins/versions.h"

namespace svc::sdkclient {
namespace {

using common::Json;

Json versionJson() {
  return Json::object()
      .set("version", plugins::kServiceVersion)
      .set("sdkVersion", plugins::kSdkVersion);
}

void respondOk(http::IExchange& exchange, const Json& members) {
  http::Response response;
  response.body = common::okEnvelope(members);
  exchange.respond(std::move(response));
}

}  // namespace

Status SystemRoutes::attach() {
  auto version =
      server_.route({.method = "GET", .pattern = "/api/v1/system/version"},
                    [](const http::ExchangePtr& exchange) { respondOk(*exchange, versionJson()); });
  if (!version) {
    return std::move(version).error();
  }
  routes_.push_back(std::move(version).value());
  auto config =
      server_.route({.method = "GET", .pattern = "/api/v1/system/config"},
                    [this](const http::ExchangePtr& exchange) { this->config(exchange); });
  if (!config) {
    return std::move(config).error();
  }
  routes_.push_back(std::move(config).value());
  return {};
}

void SystemRoutes::config(const http::ExchangePtr& exchange) {
  auto members = versionJson();
  members.set("dataDir", facts_.data_dir)
      .set("serverUrl", server_.baseUrl())
      .set("primaryHostId", nullptr)
      .set("timezone", facts_.timezone);
  manager_.safeMode(
      [exchange, members = std::move(members)](Result<plugins::SafeModeState> state) mutable {
        if (!state) {
          exchange->fail(state.error());
          return;
        }
        respondOk(*exchange, members.set("safeMode", state.value().enabled));
      });
}

}  // namespace svc::sdkclient
