#include "artifact_route.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "host_key.h"

namespace svc::hosts {
namespace {

/// From this size on a copy takes longer than handing it to a worker.
constexpr std::size_t kLarge = 1024UL * 1024;

void refuse(http::IExchange& exchange, const Error& error) {
  http::Response response;
  response.status = common::httpStatus(error.code);
  response.headers.push_back({"cache-control", "no-store"});
  response.body = common::errorEnvelope(error);
  exchange.respond(std::move(response));
}

http::Response head(const HostArtifact& artifact) {
  http::Response response;
  response.content_type = "text/javascript";
  response.headers = {{"etag", fmt::format("\"{}\"", artifact.digest)},
                      {"cache-control", "private, immutable, max-age=31536000"},
                      {"x-content-type-options", "nosniff"}};
  return response;
}

}  // namespace

Status ArtifactRoute::attach(http::IHttpServer& server) {
  auto route = server.route({.method = "GET",
                             .pattern = "/internal/plugins/:id/host/:sha256",
                             .guard = http::Guard::kNone},
                            [this](const http::ExchangePtr& exchange) { serve(exchange); });
  if (!route) {
    return std::move(route).error();
  }
  route_ = std::move(route).value();
  return {};
}

void ArtifactRoute::serve(const http::ExchangePtr& exchange) const {
  const auto& request = exchange->request();
  if (const auto host = hostOf(request, registry_); !host) {
    refuse(*exchange, host.error());
    return;
  }
  const auto id = request.parameter("id");
  const auto digest = request.parameter("sha256");
  const auto artifact = isDigest(digest) ? loads_.artifact(id, digest) : nullptr;
  if (!artifact) {
    refuse(*exchange, {errc::kHostArtifactNotFound,
                       fmt::format("plugin \"{}\" has no host artifact \"{}\"", id, digest)});
    return;
  }
  auto response = head(*artifact);
  if (const auto* known = request.header("if-none-match");
      known != nullptr && known->find(response.headers.front().value) != std::string::npos) {
    response.status = 304;
    exchange->respond(std::move(response));
    return;
  }
  const auto send = [exchange, artifact, response]() mutable {
    response.body = *artifact->bytes;
    exchange->respond(std::move(response));
  };
  if (artifact->bytes->size() < kLarge || !workers_.submit(send)) {
    auto now = send;
    now();
  }
}

}  // namespace svc::hosts
