#include "plugin_host_route.h"

#include <string>
#include <utility>

#include "svc/common/envelope.h"
#include "svc/common/error_details.h"

namespace svc::hosts {
namespace {

using common::Json;

Json artifactJson(const HostArtifact& artifact) {
  return Json::object()
      .set("digest", artifact.digest)
      .set("byteLength", static_cast<std::int64_t>(artifact.bytes->size()))
      .set("sdkVersion", artifact.sdk_version.empty() ? Json() : Json(artifact.sdk_version));
}

Json hostJson(const Loads& loads, const std::string& plugin_id) {
  for (const auto& [id, identity] : loads.identities()) {
    const auto load = id == plugin_id ? loads.current(id, identity) : nullptr;
    if (load) {
      return Json::object().set("artifact", artifactJson(*load->artifact));
    }
  }
  return {};
}

}  // namespace

Status PluginHostRoute::attach(http::IHttpServer& server) {
  auto route = server.route({.method = "GET", .pattern = "/api/v1/plugins/:id/host"},
                            [this](const http::ExchangePtr& exchange) { show(exchange); });
  if (!route) {
    return std::move(route).error();
  }
  route_ = std::move(route).value();
  return {};
}

void PluginHostRoute::show(const http::ExchangePtr& exchange) const {
  const std::string id(exchange->request().parameter("id"));
  manager_.get(id, [exchange, id, loads = loads_,
                    &reactor = reactor_](Result<plugins::PluginRecord> record) {
    if (!record) {
      exchange->fail(common::withDetail(std::move(record).error(), "pluginId", id));
      return;
    }
    reactor.post([exchange, id, loads] {
      const auto held = loads.lock();
      http::Response response;
      response.body =
          common::okEnvelope(Json::object().set("host", held ? hostJson(*held, id) : Json()));
      exchange->respond(std::move(response));
    });
  });
}

}  // namespace svc::hosts
