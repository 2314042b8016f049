#include "asset_routes.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/builds.h"

namespace svc::app {
namespace {

std::string_view fileName(bool css) { return css ? "app.css" : "app.js"; }

/// A failure must not be kept: the asset may be there after the next load.
void refuse(http::IExchange& exchange, const Error& error) {
  http::Response response;
  response.status = common::httpStatus(error.code);
  response.headers.push_back({"cache-control", "no-store"});
  response.body = common::errorEnvelope(error);
  exchange.respond(std::move(response));
}

/// True when the client's copy is the present one. A list of tags is searched: ours has no special characters.
bool isFresh(const http::Request& request, const std::string& etag) {
  const auto* known = request.header("if-none-match");
  return known != nullptr && (*known == "*" || known->find(etag) != std::string::npos);
}

}  // namespace

AssetRoutes::AssetRoutes(const BundleShelf& shelf, plugins::ILoadedPlugins& loaded,
                         IWorkerPool& workers)
    : shelf_(shelf), loaded_(loaded), workers_(workers) {}

Status AssetRoutes::attach(http::IHttpServer& server) {
  for (const bool css : {false, true}) {
    struct Entry {
      const char* pattern;
      http::Guard guard;
      http::Handler handler;
    };
    std::array<Entry, 2> routes{
        {{"/api/v1/plugins/:id/assets/", http::Guard::kLocal,
          [this, css](const http::ExchangePtr& exchange) { servePlugin(exchange, css); }},
         // Whoever knows the hash of a bundle has it already: pages in sandboxed frames load it too.
         {"/api/v1/plugin-app-assets/:hash/", http::Guard::kHost,
          [this, css](const http::ExchangePtr& exchange) { serveHash(exchange, css); }}}};
    for (auto& entry : routes) {
      auto route = server.route({.method = "GET",
                                 .pattern = fmt::format("{}{}", entry.pattern, fileName(css)),
                                 .guard = entry.guard},
                                std::move(entry.handler));
      if (!route) {
        return std::move(route).error();
      }
      routes_.push_back(std::move(route).value());
    }
  }
  return {};
}

void AssetRoutes::servePlugin(const http::ExchangePtr& exchange, bool css) const {
  const auto& request = exchange->request();
  serve(exchange, std::string(request.parameter("id")), request.queryParameter("h"), css);
}

void AssetRoutes::serveHash(const http::ExchangePtr& exchange, bool css) const {
  const std::string hash(exchange->request().parameter("hash"));
  const auto owner = shelf_.ownerOf(hash);
  if (!owner) {
    refuse(*exchange, {errc::kUnknownAsset,
                       fmt::format("no plugin has an app bundle with the hash \"{}\"", hash)});
    return;
  }
  serve(exchange, *owner, hash, css);
}

void AssetRoutes::serve(const http::ExchangePtr& exchange, const std::string& plugin_id,
                        const std::optional<std::string>& wanted, bool css) const {
  loaded_.acquire(plugin_id, [this, exchange, plugin_id, wanted,
                              css](Result<plugins::GenerationPtr> generation) {
    if (!generation) {
      const auto& error = generation.error();
      refuse(*exchange, error.code == errc::kUnknownPlugin
                            ? error
                            : Error{errc::kUnknownAsset, error.message, error.details});
      return;
    }
    const auto present = generation.value()->registration("app")["hash"].asString();
    const auto bundle = shelf_.find(plugin_id, wanted.value_or(present));
    if (!bundle || (css && !bundle->css)) {
      refuse(
          *exchange,
          {errc::kUnknownAsset,
           wanted && !bundle
               ? fmt::format(
                     R"(plugin "{}" has no app bundle with the hash "{}"; the present one has "{}")",
                     plugin_id, *wanted, present)
               : fmt::format(R"(plugin "{}" has no {})", plugin_id, fileName(css))});
      return;
    }
    answer(exchange, bundle, wanted.has_value(), css);
  });
}

void AssetRoutes::answer(const http::ExchangePtr& exchange, const AppBundlePtr& bundle,
                         bool immutable, bool css) const {
  const auto file = css ? bundle->css : bundle->js;
  const auto& request = exchange->request();
  const auto etag = fmt::format("\"{}\"", bundle->hash);
  http::Response response;
  response.content_type = file->contentType();
  response.headers = {
      {"etag", etag},
      {"cache-control", immutable ? "public, max-age=31536000, immutable" : "no-cache"},
      {"vary", "Accept-Encoding"},
      {"x-content-type-options", "nosniff"}};
  if (isFresh(request, etag)) {
    response.status = 304;
    exchange->respond(std::move(response));
    return;
  }
  const auto* accepted = request.header("accept-encoding");
  const auto encoding = accepted != nullptr && file->bytes().size() >= limits::kAssetCompress
                            ? http::bestEncoding(*accepted)
                            : Encoding::kIdentity;
  if (encoding == Encoding::kIdentity) {
    response.body = file->bytes();
    exchange->respond(std::move(response));
    return;
  }
  const bool taken = workers_.submit([exchange, file, encoding, response]() mutable {
    if (const auto& bytes = file->encoded(encoding); !bytes.empty()) {
      response.headers.push_back({"content-encoding", std::string(http::encodingName(encoding))});
      response.body = bytes;
    } else {
      response.body = file->bytes();
    }
    exchange->respond(std::move(response));
  });
  if (!taken) {
    response.body = file->bytes();
    exchange->respond(std::move(response));
  }
}

}  // namespace svc::app
