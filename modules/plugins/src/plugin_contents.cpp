#include "plugin_contents.h"

#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <Poco/DigestEngine.h>
#include <Poco/SHA2Engine.h>
#include <fmt/format.h>

#include "svc/common/limits/plugins.h"
#include "svc/common/svg.h"

#include "plugin_files.h"
#include "skills.h"

namespace svc::plugins {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSvgType = "image/svg+xml";

struct Source {
  std::string name;  ///< of the asset
  std::string key;   ///< in package.json
  std::string path;  ///< relative; empty = none
  std::string_view limit_name;
  std::size_t limit;
};

std::vector<Source> brandingSources(const Branding& branding) {
  std::vector<Source> out{
      {"icon", "svc.branding.icon", branding.icon_file, "iconFile", limits::kIconFile},
      {"logo", "svc.branding.logo.light", branding.logo_light, "logo", limits::kLogo},
      {"logo-dark", "svc.branding.logo.dark", branding.logo_dark, "logo", limits::kLogo}};
  for (const auto& [name, path] : branding.icons) {
    out.push_back({"icons/" + name, "svc.branding.experimental_icons." + name, path, "iconFile",
                   limits::kIconFile});
  }
  return out;
}

std::string contentHash(const std::string& bytes) {
  constexpr std::size_t kDigits = 16;
  Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
  engine.update(bytes);
  return Poco::DigestEngine::digestToHex(engine.digest()).substr(0, kDigits);
}

std::shared_ptr<const PluginAsset> makeAsset(std::string bytes, std::string_view type) {
  auto hash = contentHash(bytes);
  return std::make_shared<const PluginAsset>(
      PluginAsset{std::move(bytes), std::string(type), std::move(hash)});
}

std::string_view typeOf(const fs::path& path) {
  const auto extension = path.extension();
  if (extension == ".png") {
    return "image/png";
  }
  return extension == ".webp" ? std::string_view("image/webp") : kSvgType;
}

Result<std::string> readBytes(const fs::path& root, const Source& source) {
  if (auto status = checkFile(root, source.key, source.path); !status) {
    return std::move(status).error();
  }
  const auto file = root / source.path;
  std::error_code failure;
  const auto size = fs::file_size(file, failure);
  if (!failure && size > source.limit) {
    return Error{errc::kInvalidArgument,
                 fmt::format(R"(package.json: {}: "{}" has {} bytes, the limit {} is {})",
                             source.key, source.path, size, source.limit_name, source.limit)};
  }
  std::ifstream in(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) {
    return Error{errc::kNotFound,
                 fmt::format(R"(package.json: {}: "{}" cannot be read)", source.key, source.path)};
  }
  return bytes;
}

Result<std::shared_ptr<const PluginAsset>> readAsset(const fs::path& root, const Source& source) {
  auto bytes = readBytes(root, source);
  if (!bytes) {
    return std::move(bytes).error();
  }
  const auto type = typeOf(source.path);
  if (type == kSvgType) {
    if (const auto valid = common::checkSvg(bytes.value()); !valid) {
      return Error{valid.error().code, fmt::format(R"(package.json: {}: "{}" is rejected: {})",
                                                   source.key, source.path, valid.error().message)};
    }
  }
  return makeAsset(std::move(bytes).value(), type);
}

Status addBranding(const fs::path& root, const Manifest& manifest, AssetMap& out) {
  for (const auto& source : brandingSources(manifest.branding)) {
    if (source.path.empty()) {
      continue;
    }
    auto asset = readAsset(root, source);
    if (!asset) {
      return std::move(asset).error();
    }
    out.emplace(source.name, std::move(asset).value());
  }
  if (manifest.branding.icon.empty() && manifest.branding.icon_file.empty()) {
    out.emplace("icon", makeAsset(letterIcon(manifest.name), kSvgType));
  }
  return {};
}

void addThemes(const fs::path& root, const Manifest& manifest, PluginContents& out) {
  for (const auto& theme : manifest.themes) {
    const Source source{theme.id, "svc.themes", theme.css, "theme-css", limits::kThemeCss};
    auto bytes = readBytes(root, source);
    if (!bytes) {
      out.problems.push_back({"invalid_theme", fmt::format("theme \"{}\" is skipped: {}", theme.id,
                                                           bytes.error().message)});
      continue;
    }
    const auto id = fmt::format("plugin:{}:{}", manifest.id, theme.id);
    out.capabilities.push_back(
        {.kind = "theme", .id = id, .label = theme.name, .detail = theme.description});
    out.themes.push_back({.plugin_id = manifest.id,
                          .id = id,
                          .name = theme.name,
                          .description = theme.description,
                          .code_dark = theme.code_dark,
                          .code_light = theme.code_light,
                          .css = makeAsset(std::move(bytes).value(), "text/css; charset=utf-8")});
  }
}

void addSkills(const fs::path& root, const Manifest& manifest, PluginContents& out) {
  auto scan = scanSkills(root, manifest.skills);
  for (auto& skill : scan.skills) {
    out.capabilities.push_back(
        {.kind = "skill", .id = skill.name, .label = skill.name, .detail = skill.description});
    out.skills.push_back({.plugin_id = manifest.id,
                          .name = std::move(skill.name),
                          .directory = std::move(skill.directory)});
  }
  std::move(scan.problems.begin(), scan.problems.end(), std::back_inserter(out.problems));
}

/// The text of PLUGIN_OVERVIEW.md, cut; empty when there is none.
std::string readOverview(const fs::path& root) {
  constexpr std::size_t kLongestCharacter = 4;
  const auto file = root / "PLUGIN_OVERVIEW.md";
  std::error_code failure;
  if (!fs::is_regular_file(file, failure) || !isInside(root, file)) {
    return {};
  }
  std::ifstream in(file, std::ios::binary);
  std::string text(limits::kOverview * kLongestCharacter, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return firstCharacters(std::move(text), limits::kOverview);
}

}  // namespace

std::string letterIcon(std::string_view name) {
  auto letter = firstCharacters(std::string(name), 1);
  if (letter.size() == 1) {
    const char c = letter.front();
    const bool lower = c >= 'a' && c <= 'z';
    const bool usable = lower || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    letter = usable ? std::string(1, lower ? static_cast<char>(c - 'a' + 'A') : c) : "?";
  }
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none">)"
      R"(<rect x="2" y="2" width="20" height="20" rx="5" stroke="currentColor" stroke-width="2"/>)"
      R"(<text x="12" y="16.5" text-anchor="middle" font-family="system-ui, sans-serif" )"
      R"(font-size="12" font-weight="600" fill="currentColor">{}</text></svg>)",
      letter.empty() ? "?" : letter);
}

std::string assetUrl(const std::string& plugin_id, const AssetMap& assets,
                     const std::string& name) {
  const auto found = assets.find(name);
  if (found == assets.end()) {
    return {};
  }
  return fmt::format("/api/v1/plugins/{}/assets/{}{}?h={}", plugin_id, name,
                     name.starts_with("icons/") ? ".svg" : "", found->second->hash);
}

Result<ContentsPtr> readContents(const fs::path& root, const Manifest& manifest) {
  auto out = std::make_shared<PluginContents>();
  if (auto status = addBranding(root, manifest, out->branding); !status) {
    return std::move(status).error();
  }
  addSkills(root, manifest, *out);
  addThemes(root, manifest, *out);
  out->overview = readOverview(root);
  return ContentsPtr(std::move(out));
}

}  // namespace svc::plugins
