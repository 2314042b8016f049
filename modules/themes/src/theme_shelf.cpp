#include "theme_shelf.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <tuple>
#include <utility>

#include <Poco/DigestEngine.h>
#include <Poco/SHA2Engine.h>
#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

#include "palettes.h"

namespace svc::themes {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCssEnd = ".css";
/// Files looked at in the directory of custom themes: a list people choose from.
constexpr std::size_t kMaxCustom = 200;

bool isThemeId(std::string_view id) {
  const auto is_letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !id.empty() && id.size() <= limits::kThemeId && is_letter_or_digit(id.front()) &&
         std::all_of(id.begin(), id.end(), [&](char c) {
           return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
         });
}

/// "solarized-light" → "Solarized light".
std::string titleOf(std::string id) {
  std::replace(id.begin(), id.end(), '-', ' ');
  std::replace(id.begin(), id.end(), '_', ' ');
  if (id.front() >= 'a' && id.front() <= 'z') {
    id.front() = static_cast<char>(id.front() - 'a' + 'A');
  }
  return id;
}

std::shared_ptr<const plugins::PluginAsset> makeSheet(std::string bytes) {
  constexpr std::size_t kDigits = 16;
  Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
  engine.update(bytes);
  auto hash = Poco::DigestEngine::digestToHex(engine.digest()).substr(0, kDigits);
  return std::make_shared<const plugins::PluginAsset>(
      plugins::PluginAsset{std::move(bytes), "text/css; charset=utf-8", std::move(hash)});
}

Theme builtIn(const Palette& palette) {
  const auto sheet = sheetOf(palette);
  return {.id = std::string(palette.id),
          .name = std::string(palette.name),
          .description = "",
          .kind = "builtin",
          .code_dark = std::string(palette.code_dark),
          .code_light = std::string(palette.code_light),
          .css = sheet.empty() ? nullptr : makeSheet(std::string(sheet))};
}

void sortByName(std::vector<Theme>& themes) {
  std::sort(themes.begin(), themes.end(), [](const Theme& a, const Theme& b) {
    return std::tie(a.name, a.id) < std::tie(b.name, b.id);
  });
}

void append(std::vector<Theme>& to, std::vector<Theme> more) {
  sortByName(more);
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

}  // namespace

void ThemeShelf::setPlugins(std::set<std::string> plugin_ids) {
  const std::scoped_lock lock(mutex_);
  plugin_ids_ = std::move(plugin_ids);
}

std::vector<Theme> ThemeShelf::ofPlugins() const {
  std::vector<Theme> out;
  if (assets_ == nullptr) {
    return out;
  }
  const auto themes = assets_->themes();
  const std::scoped_lock lock(mutex_);
  for (const auto& theme : themes) {
    if (plugin_ids_.contains(theme.plugin_id)) {
      out.push_back({.id = theme.id,
                     .name = theme.name,
                     .description = theme.description,
                     .kind = "plugin",
                     .plugin_id = theme.plugin_id,
                     .code_dark = theme.code_dark,
                     .code_light = theme.code_light,
                     .css = theme.css});
    }
  }
  return out;
}

Result<Theme> ThemeShelf::readCustom(const std::string& theme_id) const {
  if (!isThemeId(theme_id)) {
    return Error{errc::kNotFound,
                 fmt::format("the name of the file must match [a-zA-Z0-9][a-zA-Z0-9._-]* and have "
                             "at most {} characters (limit themeId)",
                             limits::kThemeId)};
  }
  if (findPalette(theme_id) != nullptr) {
    return Error{errc::kNotFound, "the name is that of a built-in theme"};
  }
  const auto file_name = theme_id + kCssEnd;
  const auto file = directory_ / file_name;
  std::error_code failure;
  if (!fs::is_regular_file(file, failure)) {
    return Error{errc::kNotFound,
                 fmt::format("there is no file {} among the custom themes", file_name)};
  }
  const auto size = fs::file_size(file, failure);
  if (!failure && size > limits::kThemeCss) {
    return Error{errc::kNotFound, fmt::format("{} has {} bytes, the limit theme-css is {}",
                                              file_name, size, limits::kThemeCss)};
  }
  std::ifstream in(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) {
    return Error{errc::kNotFound, fmt::format("{} cannot be read", file_name)};
  }
  return Theme{.id = theme_id,
               .name = titleOf(theme_id),
               .kind = "custom",
               .css = makeSheet(std::move(bytes))};
}

Themes ThemeShelf::all() const {
  Themes out;
  for (const auto& palette : kPalettes) {
    out.themes.push_back(builtIn(palette));
  }
  std::vector<Theme> custom;
  std::error_code failure;
  std::size_t seen = 0;
  for (fs::directory_iterator each(directory_, failure);
       !failure && each != fs::directory_iterator() && seen < kMaxCustom; each.increment(failure)) {
    const auto& path = each->path();
    if (path.extension() != kCssEnd || path.filename().string().starts_with('.')) {
      continue;
    }
    ++seen;
    auto theme = readCustom(path.stem().string());
    if (theme) {
      custom.push_back(std::move(theme).value());
    } else {
      out.problems.push_back({path.stem().string(), theme.error().message});
    }
  }
  append(out.themes, std::move(custom));
  append(out.themes, ofPlugins());
  return out;
}

Result<Theme> ThemeShelf::find(const std::string& theme_id) const {
  if (const auto* const palette = findPalette(theme_id)) {
    return builtIn(*palette);
  }
  if (!theme_id.starts_with("plugin:")) {
    return readCustom(theme_id);
  }
  for (auto& theme : ofPlugins()) {
    if (theme.id == theme_id) {
      return std::move(theme);
    }
  }
  return Error{errc::kNotFound, fmt::format("no plugin that is on has the theme \"{}\"", theme_id)};
}

}  // namespace svc::themes
