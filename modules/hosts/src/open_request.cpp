#include "open_request.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "svc/common/body_reader.h"
#include "svc/hostprotocol/agent_limits.h"

namespace svc::hosts {
namespace {

using common::BodyReader;
using common::Json;

/// Names and paths of a machine; more is no fact about it.
constexpr std::size_t kFactLength = 4096;

std::string fact(BodyReader& reader, std::string_view key) {
  auto value = reader.requiredString(key);
  if (value.size() > kFactLength) {
    reader.issue("Longer than 4096 bytes", {Json(key)});
  }
  return value;
}

bool isAgent(const Json& entry) {
  return entry.members().size() == 3 && entry["id"].isString() && entry["displayName"].isString() &&
         entry["available"].isBool();
}

void readAgents(BodyReader& reader, machines::SessionFacts& facts) {
  const auto& list = reader.body()["agents"];
  if (!list.isArray() || list.items().size() > limits::kMachineAgents) {
    reader.issue(fmt::format("Expected an array of {{ id, displayName, available }}, at most {}",
                             limits::kMachineAgents),
                 {Json("agents")});
    return;
  }
  for (std::size_t index = 0; index < list.items().size(); ++index) {
    const auto& entry = list.items()[index];
    if (!isAgent(entry)) {
      reader.issue("Expected { id, displayName, available }",
                   {Json("agents"), Json(static_cast<std::int64_t>(index))});
      continue;
    }
    facts.agents.push_back({.id = entry["id"].asString(),
                            .display_name = entry["displayName"].asString(),
                            .available = entry["available"].asBool()});
  }
}

/// An array of objects with one string.
void checkIds(BodyReader& reader, std::string_view key, std::string_view member) {
  const auto& list = reader.body()[key];
  bool right = list.isArray();
  for (const auto& entry : list.items()) {
    right = right && entry.members().size() == 1 && entry[member].isString();
  }
  if (!right) {
    reader.issue("Expected an array of { " + std::string(member) + " }", {Json(key)});
  }
}

}  // namespace

Result<SpokenProtocol> spokenProtocolOf(std::string_view body) {
  auto reader = BodyReader::parse(body);
  if (!reader) {
    return std::move(reader).error();
  }
  const auto& version = reader.value().body()["protocolVersion"];
  if (!version.isInteger() || version.asInteger() < 0 ||
      version.asInteger() > std::numeric_limits<int>::max()) {
    reader.value().issue("Expected an integer", {Json("protocolVersion")});
  }
  if (auto status = reader.value().finish(); !status) {
    return std::move(status).error();
  }
  auto platform = reader.value().body()["platform"].asString();
  if (platform.size() > kFactLength) {
    platform.clear();
  }
  return SpokenProtocol{static_cast<int>(version.asInteger()), std::move(platform)};
}

Result<OpenRequest> parseOpenRequest(std::string_view body) {
  auto parsed = BodyReader::parse(body);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& reader = parsed.value();
  OpenRequest request;
  request.host_id = fact(reader, "hostId");
  auto& facts = request.facts;
  facts.instance_id = fact(reader, "instanceId");
  facts.host_name = fact(reader, "hostName");
  facts.host_type = fact(reader, "hostType");
  facts.platform = fact(reader, "platform");
  facts.data_directory = fact(reader, "dataDir");
  if (facts.host_type != "persistent" && facts.host_type != "ephemeral") {
    reader.issue("Expected \"persistent\" or \"ephemeral\"", {Json("hostType")});
  }
  readAgents(reader, facts);
  checkIds(reader, "activeThreads", "threadId");
  checkIds(reader, "loadedEnvironments", "environmentId");
  reader.rejectUnknown({"hostId", "instanceId", "hostName", "hostType", "platform", "dataDir",
                        "protocolVersion", "agents", "activeThreads", "loadedEnvironments"});
  if (auto status = reader.finish(); !status) {
    return std::move(status).error();
  }
  return request;
}

}  // namespace svc::hosts
