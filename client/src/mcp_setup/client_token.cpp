#include "mcp_setup/client_token.h"

#include <utility>

#include <fmt/format.h>

#include "text.h"

namespace svc::client {
namespace {

using common::Json;

constexpr const char* kPath = "/mcp/tokens";

/// What a request for a token like this one says.
Json wantedLike(const Json& token) {
  auto wanted = Json::object().set("name", token["name"]);
  for (const char* member : {"plugins", "tools"}) {
    if (token["restricted"].asBool() && !token[member].items().empty()) {
      wanted.set(member, token[member]);
    }
  }
  return wanted;
}

std::optional<Json> namedIn(const Reply& list, const std::string& name) {
  for (const auto& token : list.json["tokens"].items()) {
    if (token["name"].asString() == name) {
      return token;
    }
  }
  return std::nullopt;
}

/// The token of that name; nothing when there is none, or the server does not say.
std::optional<Json> tokenOf(Api& api, const std::string& name) {
  const auto list = api.get(kPath);
  return list && list.value().ok() ? namedIn(list.value(), name) : std::nullopt;
}

/// In place of the one that is there.
Result<Reply> makeAnew(Api& api, const Json& old) {
  auto revoked = api.remove(std::string(kPath) + "/" + percentEncode(old["id"].asString()));
  if (!revoked || !revoked.value().ok()) {
    return revoked;
  }
  return api.post(kPath, wantedLike(old));
}

}  // namespace

bool mayHaveToken(Context& context, const std::string& name) {
  auto api = Api::open(context.choice, context.environment, context.connector);
  const auto list = api ? api.value().get(kPath) : Result<Reply>(api.error());
  return !list || !list.value().ok() || namedIn(list.value(), name).has_value();
}

std::optional<int> makeClientToken(Context& context, const ClientToken& token,
                                   std::string& secret) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  auto reply = api.value().post(kPath, Json::object().set("name", token.name));
  // A conflict is also the limit of tokens.
  if (reply && reply.value().code() == "conflict") {
    if (const auto old = tokenOf(api.value(), token.name); old && token.replace) {
      reply = makeAnew(api.value(), *old);
      if (reply && reply.value().ok()) {
        console.complain(
            fmt::format("the token \"{}\" was there already: it is revoked and made "
                        "anew, so whoever else has it needs another",
                        oneLine(token.name)));
      }
    } else if (old) {
      return reportFailure(console, reply.value(),
                           "--force revokes it and makes it anew; another name makes another one");
    }
  }
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(console, reply.value());
  }
  secret = reply.value().json["secret"].asString();
  return std::nullopt;
}

}  // namespace svc::client
