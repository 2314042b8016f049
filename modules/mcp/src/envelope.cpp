#include "envelope.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/json.h"
#include "svc/common/json_slices.h"
#include "svc/common/limits/mcp.h"

#include "header_rules.h"

namespace svc::mcp {
namespace {

using common::JsonSlices;

constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kClientKey = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view kLogLevelKey = "io.modelcontextprotocol/logLevel";
constexpr std::array<std::string_view, 8> kLogLevels{"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};

Refusal badMeta(std::string message) {
  return {.code = rpc::kInvalidParams, .message = std::move(message), .status = 400};
}

bool isToken(std::string_view json) {
  return json.size() <= limits::kMcpId &&
         (json.starts_with('"') ||
          json.find_first_not_of("-+.eE0123456789") == std::string_view::npos);
}

std::optional<Refusal> modernProblem(const http::Request& request, const Message& message,
                                     const Meta& meta) {
  if (auto mismatch = headerMismatch(request, message, meta)) {
    return mismatch;
  }
  if (!meta.version || meta.version->empty()) {
    return badMeta(fmt::format("params._meta needs \"{}\"", kVersionKey));
  }
  if (!meta.capabilities.starts_with('{')) {
    return badMeta(fmt::format("params._meta needs \"{}\", an object", kCapabilitiesKey));
  }
  if (*meta.version != kNewest) {
    return Refusal{.code = rpc::kUnsupportedVersion,
                   .message = fmt::format("version \"{}\" is not supported", *meta.version),
                   .status = 400,
                   .data = versionData(*meta.version)};
  }
  if (!meta.log_level.empty() &&
      std::find(kLogLevels.begin(), kLogLevels.end(), meta.log_level) == kLogLevels.end()) {
    return badMeta(fmt::format("\"{}\" is not a log level", meta.log_level));
  }
  return std::nullopt;
}

}  // namespace

std::string_view keyMember(std::string_view method) {
  return method == "resources/read"                          ? "uri"
         : method == "tools/call" || method == "prompts/get" ? "name"
                                                             : std::string_view();
}

std::variant<Meta, Refusal> readMeta(const Message& message) {
  Meta meta;
  const auto outer = JsonSlices::skim(message.params);
  if (const auto member = keyMember(message.method);
      outer && !member.empty() && outer.value().raw(member).starts_with('"')) {
    meta.key = outer.value().text(member);
  }
  if (outer && message.method == "initialize") {
    meta.client_info = outer.value().raw("clientInfo");
  }
  const auto text = outer ? outer.value().raw("_meta") : std::string_view();
  if (text.empty()) {
    return meta;
  }
  const auto slices = JsonSlices::skim(text);
  if (!slices) {
    return badMeta("params._meta must be an object");
  }
  const auto& members = slices.value();
  if (!members.raw(kVersionKey).empty()) {
    meta.version = members.text(kVersionKey);
  }
  meta.capabilities = members.raw(kCapabilitiesKey);
  if (const auto client = members.raw(kClientKey); !client.empty()) {
    meta.client_info = client;
  }
  meta.progress_token = members.raw("progressToken");
  if (!meta.progress_token.empty() && !isToken(meta.progress_token)) {
    return badMeta(fmt::format("the progressToken must be a string or a number of at most {} bytes",
                               limits::kMcpId));
  }
  if (!members.raw(kLogLevelKey).empty()) {
    meta.log_level = members.text(kLogLevelKey);
    if (meta.log_level.empty()) {
      return badMeta("the log level must be a string");
    }
  }
  return meta;
}

std::variant<Era, Refusal> eraOf(const http::Request& request, const Message& message,
                                 const Meta& meta) {
  const auto* const header = request.header("MCP-Protocol-Version");
  const auto sent = header == nullptr ? std::string() : headerValue(*header).value_or(*header);
  std::optional<Refusal> refusal;
  const bool modern = sent == kNewest || meta.version.has_value();
  if (modern) {
    refusal = message.kind == Message::Kind::kRequest ? modernProblem(request, message, meta)
                                                      : std::nullopt;
  } else if (!sent.empty() &&
             std::find(kRevisions.begin(), kRevisions.end(), sent) == kRevisions.end()) {
    refusal = Refusal{.code = rpc::kUnsupportedVersion,
                      .message = fmt::format("version \"{}\" is not supported", sent),
                      .status = 400,
                      .data = versionData(sent)};
  }
  if (refusal) {
    refusal->id = message.id.empty() ? "null" : message.id;
    return *std::move(refusal);
  }
  return modern ? Era::kModern : Era::kHandshake;
}

std::string versionData(std::string_view requested) {
  auto supported = common::Json::array();
  for (const auto revision : kRevisions) {
    supported.push(revision);
  }
  return common::Json::object()
      .set("supported", std::move(supported))
      .set("requested", requested)
      .dump();
}

std::string_view negotiated(std::string_view requested) {
  const auto* const found = std::find(kRevisions.begin() + 1, kRevisions.end(), requested);
  return found == kRevisions.end() ? kNewestHandshake : *found;
}

std::string_view membersOf(std::string_view object) {
  const auto open = object.find('{');
  const auto close = object.rfind('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close <= open) {
    return {};
  }
  const auto members = object.substr(open + 1, close - open - 1);
  return members.find_first_not_of(" \t\r\n") == std::string_view::npos ? std::string_view()
                                                                        : members;
}

std::string modernResult(std::string_view type, std::string_view server_info,
                         std::string_view members) {
  std::string text;
  text.reserve(members.size() + server_info.size() + 96);
  text.append(R"({"resultType":")").append(type);
  text.append(R"(","_meta":{"io.modelcontextprotocol/serverInfo":)").append(server_info) += '}';
  if (!members.empty()) {
    (text += ',').append(members);
  }
  text += '}';
  return text;
}

}  // namespace svc::mcp
