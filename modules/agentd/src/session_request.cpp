#include "session_request.h"

#include <utility>

#include "svc/common/body_reader.h"

namespace svc::agentd {
namespace {

using common::BodyReader;
using common::Json;

bool hasNull(const std::string& text) { return text.find('\0') != std::string::npos; }

void readEnvironment(BodyReader& reader, const Json& variables, base::Environment& into) {
  for (const auto& [name, value] : variables.members()) {
    if (name.empty() || name.find('=') != std::string::npos || hasNull(name) || !value.isString() ||
        hasNull(value.asString())) {
      reader.issue("Expected names and values of variables", {Json("env"), Json(name)});
      continue;
    }
    into[name] = value.asString();
  }
}

void readAgent(BodyReader& reader, SessionRequest& request) {
  const auto& agent = reader.body()["agent"];
  if (agent.isNull()) {
    return;
  }
  request.command = agent["command"].asString();
  if (request.command.empty() || hasNull(request.command)) {
    reader.issue("Expected { command, args?, env? }", {Json("agent")});
  }
  for (const auto& word : agent["args"].items()) {
    if (!word.isString() || hasNull(word.asString())) {
      reader.issue("Expected an array of strings", {Json("agent"), Json("args")});
    }
    request.args.push_back(word.asString());
  }
  readEnvironment(reader, agent["env"], request.environment);
}

}  // namespace

void reachServer(Json& servers, const std::string& server_url, const std::string& tool) {
  constexpr std::string_view kBearer = "Bearer ";
  const auto variable = [](const char* name, const std::string& text) {
    return Json::object().set("name", name).set("value", text);
  };
  auto base = server_url;
  while (base.ends_with('/')) {
    base.pop_back();
  }
  auto reachable = Json::array();
  for (auto server : servers.items()) {
    const auto path = server["url"].asString();
    if (path.starts_with('/')) {
      server.set("url", base + path);
      const auto& secret = server["headers"].items().empty()
                               ? std::string()
                               : server["headers"].items().front()["value"].asString();
      if (!tool.empty() && secret.starts_with(kBearer)) {
        server.set(
            "stdio",
            Json::object()
                .set("name", server["name"])
                .set("command", tool)
                .set("args", Json::Array{Json("mcp")})
                .set("env", Json::Array{variable("SVC_SERVER_URL", base),
                                        variable("SVC_MCP_TOKEN", secret.substr(kBearer.size()))}));
      }
    }
    reachable.push(std::move(server));
  }
  servers = std::move(reachable);
}

const std::string& ModeNames::of(std::string_view approval) const {
  static const std::string kNone;
  return approval == "ask" || approval == "edits" ? ask : approval == "all" ? all : kNone;
}

Choices parseChoices(const Json& body) {
  return {.approval = body["approval"].asString(),
          .model = body["model"].asString(),
          .reasoning = body["reasoningLevel"].asString(),
          .mode = body["mode"].asString(),
          .option_id = body["option"]["id"].asString(),
          .option_value = body["option"]["value"]};
}

Result<SessionRequest> parseSessionRequest(const std::string& command) {
  auto parsed = BodyReader::parse(command);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& reader = parsed.value();
  const auto& body = reader.body();
  SessionRequest request;
  request.session_id = reader.requiredString("sessionId");
  request.thread_id = reader.requiredString("threadId");
  request.provider_id = reader.requiredString("providerId");
  request.cwd = reader.requiredString("cwd");
  if (!request.cwd.starts_with('/') || hasNull(request.cwd)) {
    reader.issue("Expected an absolute path", {Json("cwd")});
  }
  readAgent(reader, request);
  readEnvironment(reader, body["env"], request.environment);
  request.mcp_servers = body["mcpServers"].isArray() ? body["mcpServers"] : Json::array();
  request.additional_directories = body["additionalDirectories"];
  request.resume = body["resume"].asString();
  request.auth_method = body["authMethod"].asString();
  request.choices = parseChoices(body);
  for (const auto& skill : body["skills"].items()) {
    request.skills.push_back({.name = skill["name"].asString(),
                              .description = skill["description"].asString(),
                              .tree = skill["tree"].asString()});
  }
  if (const auto& approval = request.choices.approval;
      !approval.empty() && approval != "ask" && approval != "edits" && approval != "all") {
    reader.issue("Expected \"ask\", \"edits\" or \"all\"", {Json("approval")});
  }
  if (auto status = reader.finish(); !status) {
    return std::move(status).error();
  }
  return request;
}

}  // namespace svc::agentd
