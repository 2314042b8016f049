#include "content_block.h"

#include <fmt/format.h>

namespace svc::agentd {
namespace {

/// In the place of bytes, which no log keeps: who reads knows that something was there.
std::string placeOf(std::string_view kind, const common::Json& block) {
  const auto& type = block["mimeType"].asString();
  return type.empty() ? fmt::format("[{}]", kind) : fmt::format("[{}: {}]", kind, type);
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
    return placeOf(type, block);
  }
  return block["text"].asString();
}

}  // namespace svc::agentd
