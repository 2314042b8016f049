#include "write_scope.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

namespace svc::agentd {
namespace {

using common::Json;
namespace fs = std::filesystem;

/// As many links as the system follows.
constexpr int kLinks = 40;

fs::path real(const fs::path& path) {
  std::error_code failed;
  auto found = fs::weakly_canonical(path, failed);
  return failed ? path.lexically_normal() : found;
}

/// Where writing to `path` would write.
fs::path targetOf(fs::path path) {
  std::error_code failed;
  for (int links = 0; links < kLinks; ++links) {
    path = real(path);
    // What is still a link leads to nothing.
    if (!fs::is_symlink(fs::symlink_status(path, failed))) {
      break;
    }
    path = path.parent_path() / fs::read_symlink(path, failed);
  }
  return path;
}

bool isBelow(const fs::path& base, const fs::path& path) {
  return std::mismatch(base.begin(), base.end(), path.begin(), path.end()).first == base.end();
}

}  // namespace

Json writeScope(const Json& changes, const std::string& cwd) {
  const auto base = real(cwd);
  std::set<std::string> outside;
  const auto look = [&](const std::string& path) {
    // An absolute path stays one.
    if (const auto target = targetOf(base / path); !path.empty() && !isBelow(base, target)) {
      outside.insert(target.parent_path().string());
    }
  };
  for (const auto& change : changes.items()) {
    look(change["path"].asString());
    look(change["movePath"].asString());
  }
  auto scope = Json::array();
  for (const auto& directory : outside) {
    scope.push(directory);
  }
  return outside.empty() ? Json() : scope;
}

}  // namespace svc::agentd
