#include "svc/base/path_bounds.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace svc::base {
namespace {

namespace fs = std::filesystem;

fs::path real(const fs::path& path) {
  std::error_code failed;
  auto found = fs::weakly_canonical(path, failed);
  found = failed ? path.lexically_normal() : std::move(found);
  return found.has_filename() ? found : found.parent_path();
}

}  // namespace

bool isWithin(std::string_view path, std::string_view folder) {
  return !folder.empty() && path.starts_with(folder) &&
         (path.size() == folder.size() || folder == "/" || path[folder.size()] == '/');
}

PathBounds::PathBounds(std::string home, const std::vector<std::string>& roots)
    : home_(std::move(home)) {
  for (const auto& root : roots) {
    roots_.push_back(root == "~" || root.starts_with("~/") ? home_ + root.substr(1) : root);
  }
}

std::string PathBounds::start() const {
  return roots_.empty() || allows(home_) ? home_ : roots_.front().string();
}

bool PathBounds::allows(const fs::path& path) const {
  // Nobody looks at the file system, which may hang, for nothing.
  if (roots_.empty()) {
    return true;
  }
  const auto whole = real(path);
  return std::any_of(roots_.begin(), roots_.end(), [&](const fs::path& root) {
    // A root may be a link itself, and may come and go.
    return isWithin(whole.native(), real(root).native());
  });
}

}  // namespace svc::base
