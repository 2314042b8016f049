#include "manifest.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "svc/common/json.h"
#include "svc/common/limits/plugins.h"
#include "svc/common/semver.h"

#include "manifest_reader.h"

namespace svc::plugins {
namespace {

using common::Json;

bool isLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool isLetterOrDigit(char c) { return isLowerOrDigit(c) || (c >= 'A' && c <= 'Z'); }

bool isIconName(std::string_view name) {
  return !name.empty() && name.size() <= limits::kIconName && isLowerOrDigit(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return isLowerOrDigit(c) || c == '-'; });
}

bool isThemeId(std::string_view name) {
  return !name.empty() && name.size() <= limits::kThemeId && isLetterOrDigit(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return isLetterOrDigit(c) || c == '.' || c == '_' || c == '-'; });
}

void requireExtension(const ManifestReader& at, std::string_view path,
                      std::initializer_list<std::string_view> allowed) {
  const auto extension = std::filesystem::path(path).extension().string();
  if (std::find(allowed.begin(), allowed.end(), extension) == allowed.end()) {
    at.fail(fmt::format("must be a file of type {}, is \"{}\"", fmt::join(allowed, ", "), path));
  }
}

std::string readSvg(const ManifestReader& at) {
  auto path = at.requiredPath();
  requireExtension(at, path, {".svg"});
  return path;
}

std::string readLogo(const ManifestReader& at) {
  if (at.absent()) {
    return {};
  }
  auto path = at.requiredPath();
  requireExtension(at, path, {".svg", ".png", ".webp"});
  return path;
}

void readIcon(const ManifestReader& at, Branding& out) {
  const auto icon = at.optionalString();
  if (icon.starts_with("./")) {
    out.icon_file = readSvg(at);
  } else if (icon.find('/') != std::string::npos) {
    at.fail(fmt::format(R"(must be the name of an icon or a path that starts with "./", is "{}")",
                        icon));
  } else {
    out.icon = icon;
  }
}

void readIcons(const ManifestReader& at, Branding& out) {
  const auto& members = at.optionalObject();
  if (members.size() > limits::kIcons) {
    at.fail(fmt::format("has {} entries, the limit icons is {}", members.size(), limits::kIcons));
  }
  for (const auto& [name, value] : members) {
    if (!isIconName(name)) {
      at.member(name).fail(
          fmt::format("the name must match [a-z0-9][a-z0-9-]* and have at most {} characters "
                      "(limit iconName), it has {}",
                      limits::kIconName, name.size()));
    }
    out.icons[name] = readSvg(at.member(name));
  }
}

Branding readBranding(const ManifestReader& at) {
  Branding out;
  at.optionalObject();
  at.warnUnknown({"icon", "logo", "experimental_icons"});
  readIcon(at.member("icon"), out);
  const auto logo = at.member("logo");
  logo.optionalObject();
  logo.warnUnknown({"light", "dark"});
  out.logo_light = readLogo(logo.member("light"));
  out.logo_dark = readLogo(logo.member("dark"));
  if (!out.logo_dark.empty() && out.logo_light.empty()) {
    logo.member("dark").fail("needs \"light\" beside it");
  }
  readIcons(at.member("experimental_icons"), out);
  return out;
}

std::vector<std::string> readSkills(const ManifestReader& at) {
  if (at.absent()) {
    return {"skills"};
  }
  std::vector<std::string> out;
  for (const auto& item : at.elements()) {
    auto path = item.requiredPath();
    if (path.ends_with("/*")) {
      path.resize(path.size() - 2);
    }
    out.push_back(std::move(path));
  }
  return out;
}

std::vector<Theme> readThemes(const ManifestReader& at) {
  std::vector<Theme> out;
  std::set<std::string> ids;
  if (at.absent()) {
    return out;
  }
  for (const auto& item : at.elements()) {
    item.requiredObject();
    item.warnUnknown({"id", "name", "description", "css", "codeTheme"});
    Theme theme;
    theme.id = item.member("id").requiredString();
    if (!isThemeId(theme.id)) {
      item.member("id").fail(
          fmt::format("must match [a-zA-Z0-9][a-zA-Z0-9._-]* and have at most {} characters "
                      "(limit themeId), it has {}",
                      limits::kThemeId, theme.id.size()));
    }
    if (!ids.insert(theme.id).second) {
      item.member("id").fail(fmt::format("duplicate theme id \"{}\"", theme.id));
    }
    theme.name = item.member("name").requiredString();
    theme.description = item.member("description").optionalString();
    theme.css = item.member("css").requiredPath();
    const auto code = item.member("codeTheme");
    code.optionalObject();
    code.warnUnknown({"dark", "light"});
    theme.code_dark = code.member("dark").optionalString();
    theme.code_light = code.member("light").optionalString();
    out.push_back(std::move(theme));
  }
  return out;
}

std::string readRange(const ManifestReader& at) {
  auto range = at.optionalString();
  if (!common::semver::Range::parse(range)) {
    at.fail(fmt::format("\"{}\" is not a version range", range));
  }
  return range;
}

void readIdentity(const ManifestReader& root, Manifest& out) {
  constexpr std::size_t kLongestName = 214;  // of npm's package names
  out.package_name = root.member("name").requiredString();
  if (out.package_name.size() > kLongestName) {
    root.member("name").fail(fmt::format("has {} characters, the names of packages have at most {}",
                                         out.package_name.size(), kLongestName));
  }
  out.id = pluginIdOf(out.package_name);
  if (out.id.empty()) {
    root.member("name").fail(fmt::format(
        "\"{}\" leaves nothing to use as a plugin id; use letters or digits", out.package_name));
  }
  out.version = root.member("version").requiredString();
}

void readEngines(const ManifestReader& at, Manifest& out) {
  at.optionalObject();
  out.engine_service = readRange(at.member("svc"));
  out.engine_sdk = readRange(at.member("svcPluginSdk"));
}

Manifest readManifest(const ManifestReader& root) {
  Manifest out;
  root.requiredObject();
  const auto block = root.member("svc");
  if (block.absent()) {
    block.fail(
        "is missing: a plugin's package.json has an \"svc\" object that names its server entry");
  }
  readIdentity(root, out);
  block.requiredObject();
  block.warnUnknown(
      {"name", "description", "server", "app", "host", "branding", "skills", "themes"});
  out.server = block.member("server").requiredPath();
  out.app = block.member("app").optionalPath();
  out.host = block.member("host").optionalPath();
  out.name = block.member("name").optionalString();
  if (out.name.empty()) {
    out.name = titleOf(out.id);
  }
  out.description = block.member("description").optionalString();
  if (block.member("description").absent()) {
    const auto* description = root.value().find("description");
    out.description = description != nullptr ? description->asString() : std::string();
  }
  out.branding = readBranding(block.member("branding"));
  out.skills = readSkills(block.member("skills"));
  out.themes = readThemes(block.member("themes"));
  readEngines(root.member("engines"), out);
  return out;
}

}  // namespace

Result<ParsedManifest> parseManifest(std::string_view bytes) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kByteOrderMark)) {
    bytes.remove_prefix(kByteOrderMark.size());
  }
  const auto json = Json::parse(bytes);
  if (!json) {
    return Error{errc::kInvalidArgument,
                 fmt::format("package.json is not valid JSON: {}", json.error().message)};
  }
  ParsedManifest out;
  try {
    out.manifest = readManifest(ManifestReader(json.value(), out.warnings));
  } catch (const ManifestError& failure) {
    return failure.error();
  }
  return out;
}

}  // namespace svc::plugins
