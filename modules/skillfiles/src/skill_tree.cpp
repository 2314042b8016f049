#include "svc/skillfiles/skill_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

#include <dirent.h>
#include <fmt/format.h>

#include "svc/base/fd.h"
#include "svc/base/system_error.h"

#include "digest.h"

namespace svc::skillfiles {
namespace {

namespace fs = std::filesystem;
using base::Fd;

constexpr std::size_t kProblems = 50;
constexpr int kTries = 3;
constexpr std::array<std::string_view, 4> kIgnored{".git", ".hg", ".svn", ".DS_Store"};

/// Never waits, for a FIFO neither, and never takes a terminal.
constexpr int kOpenFile = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string_view kindOf(mode_t mode) {
  return S_ISLNK(mode)                    ? "a symbolic link"
         : S_ISFIFO(mode)                 ? "a named pipe"
         : S_ISSOCK(mode)                 ? "a socket"
         : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                          : "no regular file";
}

bool sameFile(const struct stat& left, const struct stat& right) {
  return left.st_ino == right.st_ino && left.st_size == right.st_size &&
         left.st_mtim.tv_sec == right.st_mtim.tv_sec &&
         left.st_mtim.tv_nsec == right.st_mtim.tv_nsec &&
         left.st_ctim.tv_sec == right.st_ctim.tv_sec &&
         left.st_ctim.tv_nsec == right.st_ctim.tv_nsec;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

/// One walk through a tree.
class Walk {
 public:
  explicit Walk(const TreeLimits& limits) : limits_(limits) {}

  TreeReading read(int root) {
    enter(root, "", 0);
    auto& files = reading_.tree.files;
    std::sort(files.begin(), files.end(),
              [](const SkillFile& left, const SkillFile& right) { return left.path < right.path; });
    reading_.tree.digest = treeDigest(files);
    return std::move(reading_);
  }
  [[nodiscard]] bool changed() const { return changed_; }

 private:
  void problem(const std::string& path, std::string message) {
    if (reading_.problems.size() < kProblems) {
      reading_.problems.push_back({shownName(path), std::move(message)});
    }
  }

  /// The names of a directory, sorted, so that problems come in the same order everywhere.
  std::vector<std::string> namesOf(int directory, const std::string& path) {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, CloseDirectory> listing(
        ::fdopendir(::fcntl(directory, F_DUPFD_CLOEXEC, 0)));
    if (!listing) {
      problem(path, fmt::format("cannot be read: {}", base::systemText(errno)));
      return names;
    }
    while (const dirent* const entry = ::readdir(listing.get())) {
      const std::string_view name = &entry->d_name[0];
      if (name == "." || name == ".." ||
          std::find(kIgnored.begin(), kIgnored.end(), name) != kIgnored.end()) {
        continue;
      }
      if (++entries_ > 2 * limits_.files) {
        tooMany();
        break;
      }
      names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  void tooMany() {
    if (!std::exchange(full_, true)) {
      problem("", fmt::format("more than {} files (limit skill-tree)", limits_.files));
    }
  }

  void enter(int directory, const std::string& path, std::size_t depth) {
    for (const auto& name : namesOf(directory, path)) {
      if (full_) {
        return;
      }
      look(directory, name, path.empty() ? name : path + '/' + name, depth);
    }
  }

  void look(int directory, const std::string& name, const std::string& path, std::size_t depth) {
    struct stat status {};
    if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      lost(path, errno);
    } else if (!isPlainPath(name)) {
      problem(path, "the name must be UTF-8 text without control characters");
    } else if (S_ISDIR(status.st_mode)) {
      const Fd inner(::openat(directory, name.c_str(), kOpenDirectory));
      if (!inner) {
        lost(path, errno);
      } else if (depth + 1 > limits_.depth) {
        problem(path, fmt::format("directories are nested more than {} deep (limit skill-tree)",
                                  limits_.depth));
      } else {
        enter(inner.get(), path, depth + 1);
      }
    } else if (!S_ISREG(status.st_mode)) {
      problem(path, fmt::format("it is {}", kindOf(status.st_mode)));
    } else {
      addFile(directory, name, path);
    }
  }

  /// What was listed a moment ago is gone, or cannot be opened.
  void lost(const std::string& path, int code) {
    changed_ = changed_ || code == ENOENT || code == ELOOP || code == ENOTDIR;
    problem(path, changed_ ? std::string("it changes while it is read")
                           : fmt::format("cannot be read: {}", base::systemText(code)));
  }

  void addFile(int directory, const std::string& name, const std::string& path) {
    auto& tree = reading_.tree;
    if (tree.files.size() >= limits_.files) {
      tooMany();
      return;
    }
    const Fd file(::openat(directory, name.c_str(), kOpenFile));
    struct stat before {};
    if (!file || ::fstat(file.get(), &before) != 0) {
      lost(path, errno);
      return;
    }
    if (!S_ISREG(before.st_mode)) {
      problem(path, fmt::format("it is {}", kindOf(before.st_mode)));
      return;
    }
    constexpr mode_t kAnyExecutable = S_IXUSR | S_IXGRP | S_IXOTH;
    SkillFile found{.path = path, .executable = (before.st_mode & kAnyExecutable) != 0};
    if (hash(file.get(), before, found)) {
      tree.bytes += found.size;
      tree.files.push_back(std::move(found));
    }
  }

  bool hash(int file, const struct stat& before, SkillFile& found) {
    constexpr std::size_t kPiece = 64UL * 1024;
    std::string piece(kPiece, '\0');
    Sha256 sum;
    while (true) {
      const auto count = base::readSome(file, piece.data(), piece.size());
      if (count < 0) {
        problem(found.path, fmt::format("cannot be read: {}", base::systemText(errno)));
        return false;
      }
      if (count == 0) {
        break;
      }
      found.size += static_cast<std::uint64_t>(count);
      if (reading_.tree.bytes + found.size > limits_.bytes) {
        full_ = true;
        problem("", fmt::format("more than {} bytes (limit skill-tree)", limits_.bytes));
        return false;
      }
      sum.add(std::string_view(piece).substr(0, static_cast<std::size_t>(count)));
    }
    struct stat after {};
    if (::fstat(file, &after) != 0 || !sameFile(before, after) ||
        found.size != static_cast<std::uint64_t>(after.st_size)) {
      lost(found.path, ENOENT);
      return false;
    }
    found.digest = sum.hex();
    return true;
  }

  const TreeLimits limits_;
  TreeReading reading_;
  std::size_t entries_ = 0;
  bool full_ = false;
  bool changed_ = false;
};

Error cannotOpen(const fs::path& path, int code) {
  const auto shown = shownName(path.string());
  if (code == ENOENT) {
    return {errc::kNotFound, fmt::format("there is no {}", shown)};
  }
  if (code == ELOOP || code == ENOTDIR) {
    return {errc::kInvalidArgument, fmt::format("{} is no directory, or a symbolic link", shown)};
  }
  return base::systemError(fmt::format("cannot read {}", shown), code);
}

/// The directory of the last segment of a plain path, opened segment by segment.
Result<Fd> openParent(const fs::path& root, std::string_view& path) {
  Fd directory(::open(root.c_str(), kOpenDirectory));
  if (!directory) {
    return cannotOpen(root, errno);
  }
  for (auto slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/')) {
    const std::string name(path.substr(0, slash));
    path.remove_prefix(slash + 1);
    Fd inner(::openat(directory.get(), name.c_str(), kOpenDirectory));
    if (!inner) {
      return cannotOpen(root / name, errno);
    }
    directory = std::move(inner);
  }
  return directory;
}

}  // namespace

Result<TreeReading> readTree(const fs::path& root, const TreeLimits& limits) {
  for (int left = kTries;; --left) {
    const Fd directory(::open(root.c_str(), kOpenDirectory));
    if (!directory) {
      return cannotOpen(root, errno);
    }
    Walk walk(limits);
    auto reading = walk.read(directory.get());
    if (!walk.changed() || left == 1) {
      return reading;
    }
  }
}

std::string treeDigest(const std::vector<SkillFile>& files) {
  Sha256 sum;
  for (const auto& file : files) {
    sum.add(fmt::format("{} {} {}\n", file.executable ? 'x' : '-', file.digest, file.path));
  }
  return sum.hex();
}

Result<std::string> readTreeFile(const fs::path& root, std::string_view path, std::size_t limit) {
  if (!isPlainPath(path)) {
    return Error{errc::kInvalidArgument,
                 fmt::format("\"{}\" is no path below the skill", shownName(path))};
  }
  auto name = path;
  const auto parent = openParent(root, name);
  if (!parent) {
    return parent.error();
  }
  const Fd file(::openat(parent.value().get(), std::string(name).c_str(), kOpenFile));
  if (!file) {
    return errno == ELOOP
               ? Error{errc::kInvalidArgument, fmt::format("{} is a symbolic link", path)}
               : cannotOpen(root / path, errno);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return Error{errc::kInvalidArgument, fmt::format("{} is {}", path, kindOf(status.st_mode))};
  }
  auto text = base::readAll(file.get(), limit);
  if (!text) {
    return Error{text.error().code, fmt::format("{}: {}", path, text.error().message)};
  }
  return text;
}

}  // namespace svc::skillfiles
