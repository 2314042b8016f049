#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/base/fd.h"
#include "svc/kernel/result.h"

namespace svc::hostfiles {

/// What an errno about a path means to who asked: `not_found`, `forbidden`, `conflict`, `invalid_input` or `unavailable`.
[[nodiscard]] Error pathFailure(std::string_view doing, const std::string& path, int code);

/// Something of the file system, held: whoever exchanges what its path leads to changes nothing any more.
struct Object {
  base::Fd handle;             ///< of O_PATH
  std::filesystem::path path;  ///< where it really is
};

/// A name in a directory that is held. What has the name is looked at with AT_SYMLINK_NOFOLLOW and its like.
struct Place {
  base::Fd directory;  ///< of O_PATH
  std::string name;
  std::filesystem::path path;

  /// The same for what takes only paths, and does not follow a link of this name.
  [[nodiscard]] std::filesystem::path anchored() const;
};

struct Bounds {
  /// What ~ stands for.
  std::string home;
  /// Nothing outside of these is touched; empty = wherever this user may.
  std::vector<std::string> roots;
};

/// What one command may reach. Links are followed first and the way that is left is looked at then, at what is held: no name that is
/// exchanged meanwhile leads out. Blocking.
class Reach {
 public:
  /// `root` confines further; relative paths begin there. Errors: `invalid_input`, `not_found`, `forbidden`. What is outside is `forbidden`
  /// whether it is there or not.
  [[nodiscard]] static Result<Reach> of(const Bounds& bounds,
                                        const std::optional<std::string>& root);

  /// What is there. Errors: `not_found`, `forbidden` (outside), `invalid_input`.
  [[nodiscard]] Result<Object> object(const std::string& path) const;
  /// Where something is, or is to be; its directory is there.
  [[nodiscard]] Result<Place> place(const std::string& path) const;
  /// The same, with the directories above it, which are made where they are missing.
  [[nodiscard]] Result<Place> placeWithParents(const std::string& path) const;
  /// Makes a directory and those above it; fine when it is there.
  [[nodiscard]] Status makeDirectories(const std::string& path) const;

 private:
  [[nodiscard]] Result<std::filesystem::path> whole(const std::string& path) const;
  [[nodiscard]] Result<Object> directory(const std::filesystem::path& path) const;
  [[nodiscard]] Result<Object> madeDirectory(const std::filesystem::path& path) const;
  [[nodiscard]] Result<Object> held(const std::filesystem::path& path, int flags) const;
  [[nodiscard]] bool allows(const std::filesystem::path& real) const;
  [[nodiscard]] bool wouldBeOutside(std::filesystem::path path) const;
  [[nodiscard]] Error failure(const std::filesystem::path& path, const std::string& shown,
                              int code) const;

  std::string home_;
  std::vector<std::filesystem::path> roots_;   ///< really; empty = everywhere
  std::optional<std::filesystem::path> root_;  ///< as it was asked for
  std::optional<std::filesystem::path> real_root_;
};

}  // namespace svc::hostfiles
