#include "agent_prompt.h"

#include <string_view>
#include <utility>

namespace svc::providers {
namespace {

using common::Json;

constexpr std::string_view kUnreserved =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

std::string fileUri(const std::string& path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr unsigned kNibble = 4;
  constexpr unsigned kLow = 15;
  std::string uri = "file://";
  for (const char c : path) {
    if (kUnreserved.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += '%';
      uri += kHex[byte >> kNibble];
      uri += kHex[byte & kLow];
    }
  }
  return uri;
}

std::string lastPart(const std::string& path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

Json link(const std::string& uri, const std::string& name, const Json& block) {
  auto out = Json::object().set("type", "resource_link").set("uri", uri).set("name", name);
  if (!block["mimeType"].asString().empty()) {
    out.set("mimeType", block["mimeType"]);
  }
  if (block["sizeBytes"].isInteger()) {
    out.set("size", block["sizeBytes"]);
  }
  return out;
}

void addMentions(Json& blocks, const Json& block, const std::string& cwd) {
  for (const auto& mention : block["mentions"].items()) {
    const auto& resource = mention["resource"];
    if (resource["kind"].asString() == "command" && resource["source"].asString() == "skill") {
      blocks.push(Json::object()
                      .set("type", "text")
                      .set("text", "(\"/" + resource["name"].asString() +
                                       "\" asks for the skill of that name.)"));
      continue;
    }
    const auto& path = resource["path"].asString();
    if (resource["kind"].asString() == "path" && resource["source"].asString() == "workspace" &&
        !path.empty()) {
      blocks.push(link(fileUri(path.starts_with('/') ? path : cwd + "/" + path),
                       resource["label"].asString(), Json()));
    }
  }
}

}  // namespace

Json contentBlocks(const Json& input, const std::string& cwd) {
  auto blocks = Json::array();
  for (const auto& block : input.items()) {
    const auto& type = block["type"].asString();
    if (type == "text") {
      blocks.push(Json::object().set("type", "text").set("text", block["text"]));
      addMentions(blocks, block, cwd);
    } else if (type == "image") {
      const auto& url = block["url"].asString();
      blocks.push(link(url, lastPart(url), block));
    } else {
      const auto& path = block["path"].asString();
      const auto& name = block["name"].asString();
      blocks.push(link(fileUri(path), name.empty() ? lastPart(path) : name, block));
    }
  }
  return blocks;
}

const char* approvalOf(const Json& execution) {
  const auto& mode = execution["permissionMode"].asString();
  return mode == "full" ? "all" : mode == "accept-edits" ? "edits" : "ask";
}

}  // namespace svc::providers
