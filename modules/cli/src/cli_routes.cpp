#include "cli_routes.h"

#include <utility>

#include "svc/common/envelope.h"
#include "svc/common/limits/http.h"

#include "cli_call.h"

namespace svc::cli {
namespace {

using common::Json;

Json commandJson(const Command& command) {
  auto commands = Json::array();
  for (const auto& entry : command.commands) {
    auto info = Json::object();
    info.set("name", entry.name).set("summary", entry.summary).set("usage", entry.usage);
    commands.push(std::move(info));
  }
  auto json = Json::object();
  json.set("pluginId", command.plugin_id).set("name", command.name).set("summary", command.summary);
  json.set("commands", std::move(commands)).set("rendersHelp", command.renders_help);
  return json;
}

Json mentionProviders(const plugins::ILoadedPlugins& loaded) {
  auto list = Json::array();
  for (const auto& generation : loaded.all()) {
    const auto registration = generation->registration("mention-providers");
    for (const auto& provider : registration.items()) {
      list.push(Json::object()
                    .set("pluginId", generation->pluginId())
                    .set("id", provider["id"])
                    .set("label", provider["label"])
                    .set("triggers", provider["triggers"]));
    }
  }
  return list;
}

/// A shadowed command is left out: its name leads elsewhere.
std::string contributionsBody(const std::vector<Command>& commands,
                              const plugins::ILoadedPlugins& loaded) {
  auto list = Json::array();
  for (const auto& command : commands) {
    if (!command.shadowed) {
      list.push(commandJson(command));
    }
  }
  auto body = Json::object();
  body.set("cliCommands", std::move(list)).set("mentionProviders", mentionProviders(loaded));
  return common::okEnvelope(body);
}

}  // namespace

Status CliRoutes::attach(http::IHttpServer& server) {
  auto run =
      server.route({.method = "POST",
                    .pattern = "/api/v1/plugins/:id/cli",
                    .body_limit = limits::kRpcBody,
                    .plugin_parameter = "id"},
                   [this](http::ExchangePtr exchange) {
                     std::make_shared<CliCall>(std::move(exchange), reactor_)->start(loaded_);
                   });
  if (!run) {
    return std::move(run).error();
  }
  auto contributions =
      server.route({.method = "GET", .pattern = "/api/v1/plugins/contributions"},
                   [&main = main_, &loaded = loaded_,
                    weak = std::weak_ptr(commands_)](const http::ExchangePtr& exchange) {
                     main.post([weak, exchange, &loaded] {
                       if (const auto commands = weak.lock()) {
                         http::Response response;
                         response.body = contributionsBody(commands->refresh(), loaded);
                         exchange->respond(std::move(response));
                       }
                     });
                   });
  if (!contributions) {
    return std::move(contributions).error();
  }
  run_ = std::move(run).value();
  contributions_ = std::move(contributions).value();
  return {};
}

}  // namespace svc::cli
