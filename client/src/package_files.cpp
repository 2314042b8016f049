#include "package_files.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/text.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;

constexpr std::size_t kIgnoreFileLimit = 1024UL * 1024;

/// `./dist/**` is `dist`; what means everything is empty.
std::string_view folderName(std::string_view pattern) {
  pattern = base::trimmed(pattern);
  for (const std::string_view start : {"./", "/", "**/"}) {
    while (pattern.starts_with(start)) {
      pattern.remove_prefix(start.size());
    }
  }
  for (const std::string_view end : {"/**", "/*", "/"}) {
    while (pattern.ends_with(end)) {
      pattern.remove_suffix(end.size());
    }
  }
  return pattern == "." || pattern == "*" || pattern == "**" ? std::string_view() : pattern;
}

bool isBelow(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

/// Patterns for some files of the folder count as well: their author has thought of it.
bool includes(std::string_view pattern, std::string_view folder) {
  const auto name = folderName(pattern);
  return name.empty() || name == folder || isBelow(folder, name) || isBelow(name, folder);
}

/// The last pattern that fits decides; `!` takes back.
bool decides(const std::vector<std::string>& patterns,
             const std::function<bool(std::string_view)>& fits) {
  bool is = false;
  for (const auto& each : patterns) {
    const std::string_view pattern = base::trimmed(each);
    if (pattern.starts_with('!')) {
      is = is && !fits(pattern.substr(1));
    } else {
      is = is || fits(pattern);
    }
  }
  return is;
}

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> all;
  for (const auto& each : list.items()) {
    if (each.isString()) {
      all.push_back(each.asString());
    }
  }
  return all;
}

/// The file that says what npm leaves out, and its lines; the first that is there counts.
std::pair<std::string, std::vector<std::string>> ignored(const fs::path& root) {
  for (const auto* const name : {".npmignore", ".gitignore"}) {
    if (const auto text = base::readFile(root / name, kIgnoreFileLimit)) {
      std::vector<std::string> lines;
      std::istringstream stream(text.value());
      for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
      }
      return {name, std::move(lines)};
    }
  }
  return {};
}

std::optional<std::string> reasonFor(const fs::path& root, const Json& files,
                                     std::string_view folder) {
  if (files.isArray()) {
    const bool listed =
        decides(texts(files), [&](std::string_view each) { return includes(each, folder); });
    return listed ? std::nullopt : std::optional<std::string>("\"files\" does not list it");
  }
  const auto [name, lines] = ignored(root);
  const bool left_out =
      decides(lines, [&](std::string_view each) { return folderName(each) == folder; });
  return left_out ? std::optional<std::string>(
                        fmt::format("{} lists it and there is no \"files\"", name))
                  : std::nullopt;
}

}  // namespace

std::vector<std::string> missingFromPackage(const fs::path& root, const Json& manifest) {
  std::vector<std::string> folders{"dist"};
  const auto& skills = manifest["svc"]["skills"];
  for (const auto& each : skills.isArray() ? texts(skills) : std::vector<std::string>{"skills"}) {
    const std::string name(folderName(each));
    std::error_code failure;
    if (!name.empty() && fs::is_directory(root / name, failure)) {
      folders.push_back(name);
    }
  }
  std::vector<std::string> missing;
  for (const auto& folder : folders) {
    if (const auto reason = reasonFor(root, manifest["files"], folder)) {
      missing.push_back(fmt::format("package.json: npm leaves {} out of the package, because {}",
                                    folder, *reason));
    }
  }
  return missing;
}

}  // namespace svc::client
