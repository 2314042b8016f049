#include "scaffold.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/common/limits/skills.h"
#include "svc/common/reserved_names.h"

#include "console.h"
#include "example_copy.h"
#include "scaffold_templates.h"
#include "text.h"
#include "tree_copy.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using Values = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kPrefix = "svc-plugin-";
/// npm's limit for the whole name.
constexpr std::size_t kLongestName = 214;

bool isLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// [a-z0-9][a-z0-9-]*
bool isWord(std::string_view text) {
  return !text.empty() && isLowerOrDigit(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return isLowerOrDigit(c) || c == '-'; });
}

Error badName(std::string_view typed, std::string_view why) {
  return Error{codes::kUsage, fmt::format("\"{}\" {}", typed, why)};
}

std::string titleOf(std::string_view id) {
  std::string title;
  bool starts = true;
  for (const char c : id) {
    title += c == '-' ? ' ' : starts && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    starts = c == '-';
  }
  return title;
}

/// "0.43.0" → "0.43": patch versions are compatible.
std::string minorOf(const std::string& version) { return version.substr(0, version.rfind('.')); }

/// npm leaves files of this name out of a package, so the template carries it without the dot.
constexpr const char* kShippedIgnore = "gitignore";
constexpr const char* kIgnore = ".gitignore";

TreeCopy filledIn(Values values) {
  const auto fill = [values = std::move(values)](std::string text) {
    for (const auto& [name, value] : values) {
      replaceAll(text, "{{" + name + "}}", value);
    }
    return text;
  };
  return {.name =
              [fill](const fs::path& path) {
                return path.filename() == kShippedIgnore ? path.parent_path() / kIgnore
                                                         : fs::path(fill(path.string()));
              },
          .text = [fill](const fs::path&, std::string text) { return fill(std::move(text)); }};
}

/// Names of tools have a limit, and each has a verb behind this.
constexpr std::size_t kLongestTool = 30;

}  // namespace

std::string asSkillName(std::string text) {
  text = text.substr(0, limits::kSkillName);
  for (auto at = text.find("--"); at != std::string::npos; at = text.find("--")) {
    text.erase(at, 1);
  }
  return text.substr(0, text.find_last_not_of('-') + 1);
}

std::string ScaffoldName::skill() const { return asSkillName(id); }

std::string ScaffoldName::tool() const {
  auto made = id.substr(0, kLongestTool);
  std::replace(made.begin(), made.end(), '-', '_');
  return made;
}

Result<ScaffoldName> parseScaffoldName(std::string_view typed) {
  constexpr std::string_view kForms =
      "is not a plugin name; use todo, svc-plugin-todo or @scope/svc-plugin-todo, with lower-case "
      "letters, digits and dashes";
  ScaffoldName name;
  auto last = typed;
  const bool scoped = typed.starts_with('@');
  if (scoped) {
    const auto slash = typed.find('/');
    if (slash == std::string_view::npos || !isWord(typed.substr(1, slash - 1)) ||
        !typed.substr(slash + 1).starts_with(kPrefix)) {
      return badName(typed, kForms);
    }
    last = typed.substr(slash + 1);
  }
  const auto id = last.starts_with(kPrefix) ? last.substr(kPrefix.size()) : last;
  // The service trims dashes at the ends of an id, so the directory and the command would have another name.
  if (!isWord(id) || id.ends_with('-')) {
    return badName(typed, kForms);
  }
  name.id = id;
  name.directory = std::string(kPrefix) + name.id;
  name.package = scoped ? std::string(typed) : name.directory;
  name.title = titleOf(id);
  if (name.package.size() > kLongestName) {
    return badName(typed, fmt::format("makes a package name of {} characters, npm allows {}",
                                      name.package.size(), kLongestName));
  }
  if (common::isCoreName(name.id)) {
    return badName(name.id, "is the name of a command of svc; choose another name");
  }
  if (common::isReservedPluginId(name.id)) {
    return badName(name.id, "is reserved for the service; choose another name");
  }
  return name;
}

Status Scaffold::write(std::string_view plugin_template, const ScaffoldName& name,
                       const fs::path& target) const {
  return make(target, [&] { return fill(plugin_template, name, target); });
}

Status Scaffold::writeFrom(const fs::path& example, const ScaffoldName& name,
                           const fs::path& target) const {
  return make(target, [&]() -> Status {
    if (auto copied = copyExample(example, name, target); !copied) {
      return copied;
    }
    if (auto copied = copyText(share_ / "scaffold" / kShippedIgnore, target / kIgnore); !copied) {
      return copied;
    }
    return setPins(target);
  });
}

Status Scaffold::make(const fs::path& target, const std::function<Status()>& fill) {
  if (::mkdir(target.c_str(), 0777) != 0) {
    if (errno == EEXIST) {
      return Error{errc::kConflict, fmt::format("{} exists already; nothing was changed",
                                                target.filename().string())};
    }
    return cannotWrite(target, errno);
  }
  auto done = fill();
  if (!done) {
    std::error_code ignored;
    fs::remove_all(target, ignored);
  }
  return done;
}

Status Scaffold::fill(std::string_view plugin_template, const ScaffoldName& name,
                      const fs::path& target) const {
  const Values values{{"package", name.package},
                      {"id", name.id},
                      {"title", name.title},
                      {"skill", name.skill()},
                      {"tool", name.tool()},
                      {"svc_range", ">=" + minorOf(service_.version)},
                      {"sdk_range", ">=" + sdk_.version},
                      {"sdk_version", sdk_.version},
                      {"base_url", service_.url}};
  for (const auto& folder : templateFolders(share_, plugin_template)) {
    if (auto copied = copyTree(folder, target, filledIn(values)); !copied) {
      return copied;
    }
  }
  return setPins(target);
}

Status Scaffold::setPins(const fs::path& target) const {
  auto manifest = readPackageFile(target);
  if (!manifest) {
    return manifest.error();
  }
  static_cast<void>(applyPins(manifest.value().json, sdk_));
  return writePackageFile(manifest.value());
}

}  // namespace svc::client
