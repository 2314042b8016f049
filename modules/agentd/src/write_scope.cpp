#include "write_scope.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "svc/base/path_bounds.h"

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

/// Whose home `~` is, and what stands behind a URL, knows the agent alone.
bool isOfTheAgent(std::string_view path) {
  if (path == "~" || path.starts_with("~/")) {
    return true;
  }
  const auto end = path.find_first_of(":/");
  return end != std::string_view::npos && end > 1 && path.substr(end).starts_with(":/");
}

/// Git and the service run what is in these later. They are reached through links, too.
bool isRunLater(const fs::path& base, const fs::path& target) {
  const auto [end, below] = std::mismatch(base.begin(), base.end(), target.begin(), target.end());
  return std::any_of(below, target.end(),
                     [](const auto& part) { return part == ".git" || part == ".svc"; });
}

/// A pattern that no file has as its name: what it stands for knows the agent alone.
bool isPattern(const fs::path& target) {
  std::error_code failed;
  return target.filename().string().find_first_of("*?[") != std::string::npos &&
         !fs::exists(fs::symlink_status(target, failed));
}

/// A file that has another name, which may be anywhere.
bool hasOtherNames(const fs::path& target) {
  std::error_code failed;
  return fs::is_regular_file(target, failed) && fs::hard_link_count(target, failed) > 1 && !failed;
}

}  // namespace

Json writeScope(const std::vector<std::string>& paths, const std::string& cwd, Change change) {
  const auto folder = real(cwd);
  std::set<std::string> outside;
  for (const auto& path : paths) {
    if (isOfTheAgent(path)) {
      outside.insert(path == "~" ? path : fs::path(path).parent_path().string());
      continue;
    }
    // An absolute path stays one.
    const auto target = targetOf(folder / path);
    if (!base::isWithin(target.native(), folder.native()) || target == folder ||
        isRunLater(folder, target) || (change == Change::kRemoves && isPattern(target))) {
      outside.insert(target.parent_path().string());
    } else if (std::error_code failed; change == Change::kRemoves ? fs::is_directory(target, failed)
                                                                  : hasOtherNames(target)) {
      outside.insert(target.string());
    }
  }
  auto scope = Json::array();
  for (const auto& directory : outside) {
    scope.push(directory);
  }
  return outside.empty() ? Json() : scope;
}

}  // namespace svc::agentd
