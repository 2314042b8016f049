#include "scaffold.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/common/reserved_names.h"

#include "console.h"

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

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// "0.43.0" → "0.43": patch versions are compatible.
std::string minorOf(const std::string& version) { return version.substr(0, version.rfind('.')); }

Error cannotWrite(const fs::path& path, int reason) {
  return Error{errc::kUnavailable,
               fmt::format("{} cannot be written: {}", path.string(), std::strerror(reason))};
}

Status copyFilled(const fs::path& from, const fs::path& to, const Values& values) {
  std::ifstream in(from, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) {
    return Error{errc::kUnavailable, fmt::format("{} cannot be read", from.string())};
  }
  for (const auto& [name, value] : values) {
    replaceAll(text, "{{" + name + "}}", value);
  }
  errno = 0;
  std::ofstream out(to, std::ios::binary);
  out << text;
  out.close();
  return out ? Status() : cannotWrite(to, errno == 0 ? EIO : errno);
}

/// npm leaves files of this name out of a package, so the template carries it without the dot.
fs::path shippedName(const fs::path& name) { return name == "gitignore" ? ".gitignore" : name; }

Status copyTree(const fs::path& from, const fs::path& to, const Values& values) {
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(from, failure)) {
    const auto target = to / shippedName(entry.path().filename());
    Status done;
    if (entry.is_directory()) {
      done = ::mkdir(target.c_str(), 0777) == 0 ? copyTree(entry.path(), target, values)
                                                : cannotWrite(target, errno);
    } else {
      done = copyFilled(entry.path(), target, values);
    }
    if (!done) {
      return done;
    }
  }
  if (failure) {
    return Error{errc::kUnavailable,
                 fmt::format("{} is missing or damaged: install svc again", from.string())};
  }
  return {};
}

}  // namespace

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

Status Scaffold::write(const ScaffoldName& name, const fs::path& target) const {
  if (::mkdir(target.c_str(), 0777) != 0) {
    if (errno == EEXIST) {
      return Error{errc::kConflict, fmt::format("{} exists already; nothing was changed",
                                                target.filename().string())};
    }
    return cannotWrite(target, errno);
  }
  auto done = fill(name, target);
  if (!done) {
    std::error_code ignored;
    fs::remove_all(target, ignored);
  }
  return done;
}

Status Scaffold::fill(const ScaffoldName& name, const fs::path& target) const {
  const Values values{{"package", name.package},
                      {"id", name.id},
                      {"title", name.title},
                      {"svc_range", ">=" + minorOf(service_.version)},
                      {"sdk_range", ">=" + sdk_.version},
                      {"sdk_version", sdk_.version},
                      {"base_url", service_.url}};
  if (auto copied = copyTree(templates_, target, values); !copied) {
    return copied;
  }
  auto manifest = readPackageFile(target);
  if (!manifest) {
    return manifest.error();
  }
  static_cast<void>(applyPins(manifest.value().json, sdk_));
  return writePackageFile(manifest.value());
}

}  // namespace svc::client
