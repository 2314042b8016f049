#include "agent_config.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::providers {
namespace {

using common::Json;

constexpr std::size_t kIdMax = 64;
constexpr std::array<std::string_view, 5> kMembers{"command", "args", "env", "displayName",
                                                   "hosts"};

bool isId(std::string_view id) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return id.size() >= 2 && id.size() <= kIdMax && fits(id.front()) &&
         std::all_of(id.begin(), id.end(), [&](char c) { return fits(c) || c == '-'; });
}

Error wrong(const std::string& what) { return {errc::kInvalidArgument, what}; }

Status readTexts(const Json& value, const std::string& where, std::vector<std::string>& into) {
  const bool texts = value.isNull() || value.isArray();
  for (const auto& each : value.items()) {
    if (!each.isString()) {
      return wrong(fmt::format("{}: expected an array of strings", where));
    }
    into.push_back(each.asString());
  }
  return texts ? Status() : wrong(fmt::format("{}: expected an array of strings", where));
}

Result<ConfiguredAgent> readAgent(const std::string& id, const Json& value) {
  if (!isId(id)) {
    return wrong(
        fmt::format("\"{}\": expected an id of 2 to 64 lower-case letters, digits and "
                    "\"-\" that begins with a letter or digit",
                    id));
  }
  if (!value.isObject()) {
    return wrong(fmt::format("{}: expected {{ command, args?, env?, displayName?, hosts? }}", id));
  }
  for (const auto& [member, ignored] : value.members()) {
    if (std::find(kMembers.begin(), kMembers.end(), member) == kMembers.end()) {
      return wrong(fmt::format(
          "{}.{}: unknown; an agent has command, args, env, displayName and hosts", id, member));
    }
  }
  ConfiguredAgent agent{.id = id,
                        .display_name = value["displayName"].asString(),
                        .command = value["command"].asString()};
  if (agent.command.empty()) {
    return wrong(
        fmt::format("{}.command: expected the program that speaks the Agent Client "
                    "Protocol on its standard input and output",
                    id));
  }
  if (!value["displayName"].isNull() && agent.display_name.empty()) {
    return wrong(fmt::format("{}.displayName: expected a text", id));
  }
  for (auto status : {readTexts(value["args"], id + ".args", agent.args),
                      readTexts(value["hosts"], id + ".hosts", agent.hosts)}) {
    if (!status) {
      return std::move(status).error();
    }
  }
  if (!value["env"].isNull() && !value["env"].isObject()) {
    return wrong(fmt::format("{}.env: expected an object of strings", id));
  }
  for (const auto& [name, text] : value["env"].members()) {
    if (!text.isString()) {
      return wrong(fmt::format("{}.env.{}: expected a string", id, name));
    }
    agent.env[name] = text.asString();
  }
  return agent;
}

}  // namespace

Json ConfiguredAgent::commandJson() const {
  auto words = Json::array();
  for (const auto& word : args) {
    words.push(word);
  }
  auto variables = Json::object();
  for (const auto& [name, value] : env) {
    variables.set(name, value);
  }
  auto out = Json::object()
                 .set("command", command)
                 .set("args", std::move(words))
                 .set("env", std::move(variables));
  if (!display_name.empty()) {
    out.set("displayName", display_name);
  }
  return out;
}

Result<std::map<std::string, ConfiguredAgent>> readAgents(const std::string& json_text) {
  auto parsed = Json::parse(json_text);
  if (!parsed) {
    return std::move(parsed).error();
  }
  if (!parsed.value().isObject() && !parsed.value().isNull()) {
    return wrong("expected an object: { \"my-agent\": { \"command\": \"…\" } }");
  }
  std::map<std::string, ConfiguredAgent> agents;
  for (const auto& [id, value] : parsed.value().members()) {
    auto agent = readAgent(id, value);
    if (!agent) {
      return std::move(agent).error();
    }
    agents[id] = std::move(agent).value();
  }
  return agents;
}

Status checkAgents(const IConfig& config, std::string_view key) {
  auto agents = readAgents(config.getJson(key));
  return agents ? Status() : std::move(agents).error();
}

}  // namespace svc::providers
