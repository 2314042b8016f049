#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace svc::base {

/// True when `path` is `folder` or below it, by their names alone: nothing is looked up. Both are absolute, without `..` and a slash at
/// their end. Nothing is within an empty one, which is what a path is that could not be looked up. Who must not be led out by links passes
/// real paths.
[[nodiscard]] bool isWithin(std::string_view path, std::string_view folder);

/// Directories outside of which nothing is to be reached. Immutable; any thread.
class PathBounds {
 public:
  /// Roots that begin with `~` are below `home`. None: everything may be reached.
  explicit PathBounds(std::string home, const std::vector<std::string>& roots = {});

  [[nodiscard]] const std::string& home() const { return home_; }
  /// Where one begins to look: the home, or the first root when the home is outside.
  [[nodiscard]] std::string start() const;
  /// Whether this absolute path, links followed as they are now, is one of the roots or below one. It looks at the file system; who must
  /// not be deceived by a link that is exchanged afterwards opens what it has found instead.
  [[nodiscard]] bool allows(const std::filesystem::path& path) const;

 private:
  std::string home_;
  std::vector<std::filesystem::path> roots_;
};

}  // namespace svc::base
