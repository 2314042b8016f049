#include "dependency_engines.h"

#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "svc/base/files.h"
#include "svc/common/json.h"
#include "svc/common/semver.h"
#include "svc/common/shown_text.h"

namespace svc::plugins {
namespace {

namespace fs = std::filesystem;
namespace semver = common::semver;
using common::Json;

constexpr std::size_t kPackageJson = 1024UL * 1024;
constexpr std::size_t kLookedAt = 200;
constexpr std::size_t kNamed = 3;
constexpr std::size_t kShown = 60;

Json packageJson(const fs::path& folder) {
  const auto text = base::readFile(folder / "package.json", kPackageJson);
  auto json = text ? Json::parse(text.value()) : text.error();
  return json ? std::move(json).value() : Json();
}

/// Where Node finds it: beside the plugin, or further up in a workspace.
Json installed(const fs::path& root, const std::string& name) {
  for (auto folder = root;; folder = folder.parent_path()) {
    if (auto json = packageJson(folder / "node_modules" / name); json.isObject()) {
      return json;
    }
    if (folder == folder.parent_path()) {
      return {};
    }
  }
}

}  // namespace

std::string unmetNode(const fs::path& root, std::string_view node) {
  const auto version = semver::Version::parse(node);
  const auto own = packageJson(root);
  std::vector<std::string> unmet;
  std::size_t looked = 0;
  for (const auto& [name, wanted] : own["dependencies"].members()) {
    if (!version || ++looked > kLookedAt) {
      break;
    }
    const auto package = name.find("..") == std::string::npos ? installed(root, name) : Json();
    const auto& asked = package["engines"]["node"].asString();
    const auto range = asked.empty() ? std::nullopt : semver::Range::parse(asked);
    if (range && !range->matches(*version)) {
      unmet.push_back(fmt::format("{} {} asks for Node.js {}", common::shownOnOneLine(name),
                                  common::shownOnOneLine(package["version"].asString()),
                                  common::shownOnOneLine(asked.substr(0, kShown))));
    }
  }
  if (unmet.empty()) {
    return {};
  }
  if (unmet.size() > kNamed) {
    const auto more = unmet.size() - kNamed;
    unmet.resize(kNamed);
    unmet.push_back(fmt::format("{} more ask for another one", more));
  }
  return fmt::format("{}, and plugins run on {}: an older release may do", fmt::join(unmet, ", "),
                     node);
}

}  // namespace svc::plugins
