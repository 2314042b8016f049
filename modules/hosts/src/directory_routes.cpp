#include "directory_routes.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "svc/common/body_reader.h"
#include "svc/common/codes.h"
#include "svc/common/json_slices.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/protocol.h"
#include "svc/hosts/host_answer.h"
#include "svc/hosts/host_failure.h"

namespace svc::hosts {

using common::Json;

Status DirectoryRoutes::attach(http::IHttpServer& server) {
  const auto refuse = [](std::string member) -> http::Handler {
    return [member = std::move(member)](const http::ExchangePtr& exchange) {
      exchange->fail(
          {errc::kNotSupported,
           fmt::format("{} is not supported: it needs a desktop on the machine", member)});
    };
  };
  struct Entry {
    const char* method;
    const char* name;
    http::Handler handler;
  };
  std::array<Entry, 3> entries{{
      {"GET", "directory", [this](const http::ExchangePtr& exchange) { list(exchange); }},
      {"POST", "paths-exist", [this](const http::ExchangePtr& exchange) { checkPaths(exchange); }},
      {"POST", "pick-folder", refuse("hosts.pickFolder")},
  }};
  for (auto& [method, name, handler] : entries) {
    auto route =
        server.route({.method = method, .pattern = fmt::format("/api/v1/hosts/:hostId/{}", name)},
                     std::move(handler));
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
  }
  return {};
}

void DirectoryRoutes::list(const http::ExchangePtr& exchange) {
  auto command = Json::object().set("type", hostprotocol::command::kDirectory);
  if (auto path = exchange->request().queryParameter("path"); path && !path->empty()) {
    command.set("path", *std::move(path));
  }
  ask(exchange, command.dump());
}

void DirectoryRoutes::checkPaths(const http::ExchangePtr& exchange) {
  auto reader = common::BodyReader::parse(exchange->request().body);
  if (!reader) {
    exchange->fail(reader.error());
    return;
  }
  auto paths = Json::array();
  for (auto& path : reader.value().requiredStrings("paths")) {
    if (!path.starts_with('/') && path != "~" && !path.starts_with("~/")) {
      reader.value().issue("Expected a path that is absolute or below ~",
                           {Json("paths"), Json(static_cast<std::int64_t>(paths.items().size()))});
    }
    paths.push(std::move(path));
  }
  if (auto status = reader.value().finish(); !status) {
    exchange->fail(status.error());
    return;
  }
  ask(exchange, Json::object()
                    .set("type", hostprotocol::command::kPathsExist)
                    .set("paths", std::move(paths))
                    .dump());
}

void DirectoryRoutes::ask(const http::ExchangePtr& exchange, std::string command) {
  const std::string host_id(exchange->request().parameter("hostId"));
  commands_.send(host_id, std::move(command), limits::kHostCall,
                 [exchange](Result<std::string> result) {
                   if (!result) {
                     exchange->fail(hostFailure(std::move(result).error()));
                     return;
                   }
                   auto body = answerEnvelope(result.value());
                   if (!body) {
                     exchange->fail(body.error());
                     return;
                   }
                   http::Response response;
                   response.body = std::move(body).value();
                   exchange->respond(std::move(response));
                 });
}

}  // namespace svc::hosts
