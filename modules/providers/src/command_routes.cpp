#include "command_routes.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <Poco/URI.h>
#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/envelope.h"

namespace svc::providers {
namespace {

using common::Json;

constexpr unsigned kFound = 200;

std::string encoded(const std::string& text) {
  std::string out;
  Poco::URI::encode(text, "&=+#?%/", out);
  return out;
}

Json textOrNull(const Json& text) { return text.asString().empty() ? Json() : text; }

const char* originOf(const std::string& scope) {
  return scope.ends_with("-project")                   ? "project"
         : scope == "plugin" || scope == "svc-builtin" ? "builtin"
                                                       : "user";
}

/// Skills of the service that this agent is given, and those its own program reads.
bool isFor(const Json& skill, const std::string& provider_id) {
  const auto& owner = skill["provider"].asString();
  return owner.empty() ? skill["offered"].asBool() : owner == provider_id;
}

/// Those that are listed, and those a machine knows although they are not installed.
bool isKnown(const Catalogue& catalogue, const std::string& provider_id,
             const std::string& host_id) {
  const auto listed = catalogue.list(host_id);
  const auto states = catalogue.states(host_id);
  return std::any_of(listed.begin(), listed.end(),
                     [&](const Offer& offer) { return offer.id == provider_id; }) ||
         std::any_of(states.begin(), states.end(),
                     [&](const auto& state) { return state.second.id == provider_id; });
}

}  // namespace

Json toCommands(const std::string& provider_id, const Json& agent_commands, const Json& skills) {
  auto out = Json::array();
  std::set<std::string> names;
  for (const auto& command : agent_commands.items()) {
    const auto& name = command["name"].asString();
    if (name.empty() || !names.insert(name).second) {
      continue;
    }
    out.push(Json::object()
                 .set("name", name)
                 .set("description", textOrNull(command["description"]))
                 .set("argumentHint", textOrNull(command["input"]["hint"]))
                 .set("source", "command")
                 // Agents do not say where theirs come from.
                 .set("origin", "builtin"));
  }
  for (const auto& skill : skills.items()) {
    if (!isFor(skill, provider_id) || !names.insert(skill["name"].asString()).second) {
      continue;
    }
    auto command = Json::object()
                       .set("name", skill["name"])
                       .set("description", textOrNull(skill["description"]))
                       .set("argumentHint", Json())
                       .set("source", "skill")
                       .set("origin", originOf(skill["scope"].asString()));
    if (!skill["pluginId"].isNull()) {
      command.set("pluginId", skill["pluginId"]);
    }
    out.push(std::move(command));
  }
  return out;
}

Status CommandRoutes::attach() {
  auto route =
      with_.server.route({.method = "GET", .pattern = "/api/v1/projects/:projectId/commands"},
                         [this](const http::ExchangePtr& exchange) { commands(exchange); });
  if (!route) {
    return std::move(route).error();
  }
  route_ = std::move(route).value();
  return {};
}

void CommandRoutes::commands(const http::ExchangePtr& exchange) const {
  const auto& asked = exchange->request();
  const std::string project_id(asked.parameter("projectId"));
  const auto provider_id = asked.queryParameter("provider").value_or("");
  const auto host_id = asked.queryParameter("hostId").value_or("");
  if (provider_id.empty()) {
    return exchange->fail(
        Error{errc::kInvalidInput,
              "provider: the id of an agent is missing; GET /providers lists those there are"});
  }
  if (!isKnown(*with_.catalogue, provider_id, host_id)) {
    return exchange->fail(
        Error{errc::kNotFound,
              fmt::format("there is no agent \"{}\" here; GET /providers lists those there are",
                          provider_id)});
  }
  // Whoever keeps skills knows the places of projects, and which projects there are.
  http::Request request;
  request.method = "GET";
  request.target = "/api/v1/skills?projectId=" + encoded(project_id);
  if (const auto environment = asked.queryParameter("environmentId"); environment) {
    request.target += "&environmentId=" + encoded(*environment);
  }
  with_.server.dispatch(
      std::move(request), exchange->disconnected(),
      [exchange, catalogue = with_.catalogue, project_id, provider_id,
       host_id](Result<http::Response> answer) {
        if (!answer) {
          return exchange->fail(answer.error());
        }
        const auto body = Json::parse(answer.value().body);
        if (answer.value().status != kFound || !body) {
          return exchange->respond(std::move(answer).value());
        }
        http::Response response;
        response.body = common::okEnvelope(Json::object().set(
            "commands",
            toCommands(provider_id, catalogue->commands(provider_id, host_id, project_id),
                       body.value()["skills"])));
        exchange->respond(std::move(response));
      });
}

}  // namespace svc::providers
