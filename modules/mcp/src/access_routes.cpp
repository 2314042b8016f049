#include "access_routes.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "svc/common/body_reader.h"
#include "svc/common/json.h"
#include "svc/common/limits/mcp.h"

namespace svc::mcp {
namespace {

using common::Json;

Json timeOrNull(std::int64_t at) { return at == 0 ? Json() : Json(at); }

Json textOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json textsOf(const std::set<std::string, std::less<>>& texts) {
  auto all = Json::array();
  for (const auto& text : texts) {
    all.push(text);
  }
  return all;
}

Json record(const Token& token) {
  const Scope everything;
  const auto& scope = token.caller.scope ? *token.caller.scope : everything;
  return Json::object()
      .set("id", token.id)
      .set("name", token.name)
      .set("restricted", token.caller.scope != nullptr)
      .set("plugins", textsOf(scope.plugins))
      .set("tools", textsOf(scope.tools))
      .set("createdAt", token.created_at)
      .set("lastUsedAt", timeOrNull(token.last_used_at));
}

Json record(const Client& client) {
  return Json::object()
      .set("id", client.id)
      .set("name", textOrNull(client.name))
      .set("version", textOrNull(client.version))
      .set("revision", textOrNull(client.revision))
      .set("transport", client.stdio ? "stdio" : "http")
      .set("token", client.token ? textOrNull(client.token->name) : Json())
      .set("threadId", client.token ? textOrNull(client.token->caller.thread_id) : Json())
      .set("since", client.since)
      .set("lastSeenAt", client.last_seen_at)
      .set("lastCallAt", timeOrNull(client.last_call_at))
      .set("calls", client.calls)
      .set("streams", static_cast<std::uint64_t>(client.streams));
}

Json record(const Call& call) {
  return Json::object()
      .set("id", call.id)
      .set("tool", call.tool)
      .set("pluginId", textOrNull(call.plugin_id))
      .set("client", textOrNull(call.client))
      .set("token", textOrNull(call.token))
      .set("startedAt", call.started_at)
      .set("durationMs", call.duration_ms ? Json(*call.duration_ms) : Json())
      .set("outcome", call.outcome);
}

void respond(http::IExchange& exchange, unsigned status, const Json& members) {
  http::Response response{.status = status, .body = common::okEnvelope(members)};
  response.headers.push_back({"Cache-Control", "no-store"});
  exchange.respond(std::move(response));
}

/// A list of names that may be absent.
std::set<std::string, std::less<>> namesOf(common::BodyReader& body, std::string_view key) {
  std::set<std::string, std::less<>> names;
  if (body.body()[key].isNull()) {
    return names;
  }
  for (auto& name : body.requiredStrings(key)) {
    if (name.empty() || name.size() > limits::kMcpToolName) {
      body.issue(fmt::format("Expected names of 1 to {} characters", limits::kMcpToolName),
                 {Json(key)});
    }
    names.insert(std::move(name));
  }
  return names;
}

Result<NewToken> readNewToken(const http::Request& request) {
  auto parsed = common::BodyReader::parse(request.body);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  // Unlike other bodies: one with a misspelled bound would be a token without it.
  body.rejectUnknown({"name", "plugins", "tools"});
  NewToken wanted{.name = body.requiredString("name"),
                  .scope = {.plugins = namesOf(body, "plugins"), .tools = namesOf(body, "tools")}};
  if (const auto named = checkTokenName(wanted.name); !named && body.body()["name"].isString()) {
    body.issue(named.error().message, {Json("name")});
  }
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return wanted;
}

}  // namespace

Result<std::vector<Handle>> AccessRoutes::attach(http::IHttpServer& server) {
  struct Entry {
    const char* method;
    const char* pattern;
    void (AccessRoutes::*handle)(const http::ExchangePtr& exchange);
  };
  std::vector<Handle> routes;
  for (const auto& entry :
       {Entry{"GET", "/api/v1/mcp/tokens", &AccessRoutes::listTokens},
        Entry{"POST", "/api/v1/mcp/tokens", &AccessRoutes::createToken},
        Entry{"DELETE", "/api/v1/mcp/tokens/:token", &AccessRoutes::revokeToken},
        Entry{"GET", "/api/v1/mcp/clients", &AccessRoutes::listClients},
        Entry{"GET", "/api/v1/mcp/calls", &AccessRoutes::listCalls}}) {
    auto route =
        server.route({.method = entry.method, .pattern = entry.pattern},
                     [self = shared_from_this(), handle = entry.handle](
                         const http::ExchangePtr& exchange) { ((*self).*handle)(exchange); });
    if (!route) {
      return std::move(route).error();
    }
    routes.push_back(std::move(route).value());
  }
  return routes;
}

void AccessRoutes::listTokens(const http::ExchangePtr& exchange) {
  auto all = Json::array();
  for (const auto& token : tokens_->list()) {
    all.push(record(*token));
  }
  respond(*exchange, 200, Json::object().set("tokens", std::move(all)));
}

void AccessRoutes::createToken(const http::ExchangePtr& exchange) {
  auto wanted = readNewToken(exchange->request());
  if (!wanted) {
    exchange->fail(wanted.error());
    return;
  }
  tokens_->create(std::move(wanted).value(), [exchange](const Result<CreatedToken>& created) {
    if (!created) {
      exchange->fail(created.error());
      return;
    }
    respond(*exchange, 201,
            Json::object()
                .set("token", record(*created.value().token))
                .set("secret", created.value().secret));
  });
}

void AccessRoutes::revokeToken(const http::ExchangePtr& exchange) {
  tokens_->revoke(exchange->request().parameter("token"),
                  [exchange](const Result<TokenPtr>& revoked) {
                    if (!revoked) {
                      exchange->fail(revoked.error());
                      return;
                    }
                    respond(*exchange, 200, Json::object().set("token", record(*revoked.value())));
                  });
}

void AccessRoutes::listClients(const http::ExchangePtr& exchange) {
  auto all = Json::array();
  for (const auto& client : clients_->list()) {
    all.push(record(*client));
  }
  respond(*exchange, 200, Json::object().set("enabled", enabled_()).set("clients", std::move(all)));
}

void AccessRoutes::listCalls(const http::ExchangePtr& exchange) {
  auto all = Json::array();
  const auto& calls = history_->calls();
  for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
    all.push(record(**call));
  }
  respond(*exchange, 200, Json::object().set("calls", std::move(all)));
}

}  // namespace svc::mcp
