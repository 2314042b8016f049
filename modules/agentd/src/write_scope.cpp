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

Json writeScope(const std::vector<std::string>& paths, const std::string& cwd) {
  const auto base = real(cwd);
  std::set<std::string> outside;
  for (const auto& path : paths) {
    // Whose home it is knows the agent alone.
    if (path == "~" || path.starts_with("~/")) {
      outside.insert(path == "~" ? path : fs::path(path).parent_path().string());
      continue;
    }
    // An absolute path stays one.
    if (const auto target = targetOf(base / path); !isBelow(base, target)) {
      outside.insert(target.parent_path().string());
    }
  }
  auto scope = Json::array();
  for (const auto& directory : outside) {
    scope.push(directory);
  }
  return outside.empty() ? Json() : scope;
}

}  // namespace svc::agentd
