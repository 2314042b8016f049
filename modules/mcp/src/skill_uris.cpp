#include "skill_uris.h"

#include <utility>

#include <fmt/format.h>

#include "svc/http/text.h"

namespace svc::mcp {
namespace {

std::string_view ownerOf(const skills::Skill& skill) {
  switch (skill.scope) {
    case skills::Scope::kPlugin:
      return skill.plugin_id;
    case skills::Scope::kSvcBuiltin:
      return "svc";
    case skills::Scope::kSvcProject:
    case skills::Scope::kSharedProject:
      return "project";
    default:
      return "user";
  }
}

/// A path as part of a URI.
std::string escaped(std::string_view path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  std::string out;
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace

bool isServed(const skills::Skill& skill) {
  return skill.offered && skill.front_matter["name"].asString() == skill.name;
}

std::string skillUri(const skills::Skill& skill) {
  return fmt::format("skill://{}/{}", escaped(ownerOf(skill)), skill.name);
}

std::string fileUri(const skills::Skill& skill, std::string_view path) {
  return skillUri(skill) + '/' + escaped(path);
}

Located locate(const skills::Catalogue& catalogue, std::string_view uri) {
  for (const auto& skill : catalogue.skills) {
    const auto own = skillUri(skill);
    if (!isServed(skill) || !uri.starts_with(own)) {
      continue;
    }
    if (uri.size() == own.size()) {
      return {&skill};
    }
    if (uri[own.size()] == '/') {
      if (auto path = http::percentDecode(uri.substr(own.size() + 1)); path && !path->empty()) {
        return {&skill, *std::move(path)};
      }
      return {};
    }
  }
  return {};
}

}  // namespace svc::mcp
