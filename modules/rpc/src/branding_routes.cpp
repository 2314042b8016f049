#include "branding_routes.h"

#include <utility>

#include <fmt/format.h>

#include "responses.h"

namespace svc::rpc {
namespace {

constexpr std::string_view kIconEnd = ".svg";

/// A failure must not be kept: the asset may be there after the next load.
void refuse(http::IExchange& exchange, const Error& error) {
  const std::string plugin_id(exchange.request().parameter("id"));
  http::Response response;
  response.status = common::httpStatus(error.code);
  response.headers.push_back({"cache-control", "no-store"});
  response.body = common::errorEnvelope(common::withDetail(error, "pluginId", plugin_id));
  exchange.respond(std::move(response));
}

/// True when the client's copy is the present one. A list of tags is searched: ours has no special characters.
bool isFresh(const http::Request& request, const std::string& etag) {
  const auto* known = request.header("if-none-match");
  return known != nullptr && (*known == "*" || known->find(etag) != std::string::npos);
}

}  // namespace

Status BrandingRoutes::attach(http::IHttpServer& server) {
  const auto add = [&](const std::string& file, http::Handler handler) -> Status {
    auto route = server.route({.method = "GET", .pattern = "/api/v1/plugins/:id/assets/" + file},
                              std::move(handler));
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
    return {};
  };
  for (const std::string name : {"icon", "logo", "logo-dark"}) {
    auto status =
        add(name, [this, name](const http::ExchangePtr& exchange) { serve(*exchange, name); });
    if (!status) {
      return status;
    }
  }
  return add("icons/:file", [this](const http::ExchangePtr& exchange) { serveIcon(*exchange); });
}

void BrandingRoutes::serveIcon(http::IExchange& exchange) const {
  auto file = exchange.request().parameter("file");
  if (!file.ends_with(kIconEnd)) {
    refuse(exchange, {errc::kUnknownAsset,
                      fmt::format("there is no icon file \"{}\"; icons end in .svg", file)});
    return;
  }
  file.remove_suffix(kIconEnd.size());
  serve(exchange, fmt::format("icons/{}", file));
}

void BrandingRoutes::serve(http::IExchange& exchange, const std::string& name) const {
  const auto& request = exchange.request();
  const auto found = assets_.branding(std::string(request.parameter("id")), name);
  if (!found) {
    refuse(exchange, found.error());
    return;
  }
  const auto& asset = *found.value();
  const auto wanted = request.queryParameter("h");
  if (wanted && *wanted != asset.hash) {
    refuse(exchange, {errc::kUnknownAsset,
                      fmt::format("the bytes with the hash \"{}\" are not there; the present ones "
                                  "have \"{}\"",
                                  *wanted, asset.hash)});
    return;
  }
  const auto etag = fmt::format("\"{}\"", asset.hash);
  http::Response response;
  response.content_type = asset.content_type;
  response.headers = {
      {"etag", etag},
      {"cache-control", wanted ? "public, max-age=31536000, immutable" : "no-cache"},
      {"x-content-type-options", "nosniff"},
      {"content-security-policy", "default-src 'none'"}};
  if (isFresh(request, etag)) {
    response.status = 304;
  } else {
    response.body = asset.bytes;
  }
  exchange.respond(std::move(response));
}

}  // namespace svc::rpc
