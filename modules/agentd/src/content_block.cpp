#include "content_block.h"

#include <fmt/format.h>

namespace svc::agentd {
namespace {

/// In the place of bytes, which no log keeps: who reads knows that something was there.
std::string placeOf(std::string_view kind, const common::Json& block) {
  const auto& type = block["mimeType"].asString();
  return type.empty() ? fmt::format("[{}]", kind) : fmt::format("[{}: {}]", kind, type);
}

/// As a link has it: nothing of it ends the link.
std::string inLink(std::string_view path) {
  constexpr std::string_view kSpecial = "()<>[]%?#\\\"'`!*_ ";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte > ' ' && c != '\x7F' && kSpecial.find(c) == std::string_view::npos;
    out += is_plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

}  // namespace

std::string blockText(const common::Json& block) {
  const auto& type = block["type"].asString();
  if (type == "resource_link") {
    const auto& uri = block["uri"].asString();
    const auto& name = block["name"].asString();
    return fmt::format("[{}]({})", name.empty() ? uri : name, uri);
  }
  if (type == "resource") {
    const auto& resource = block["resource"];
    return resource["blob"].isString() ? placeOf(resource["uri"].asString(), resource)
                                       : resource["text"].asString();
  }
  if (type == "image" || type == "audio") {
    const auto& path = block["path"].asString();
    return path.empty() ? placeOf(type, block) : fmt::format("![{}]({})", type, inLink(path));
  }
  return block["text"].asString();
}

}  // namespace svc::agentd
