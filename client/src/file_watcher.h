#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "svc/base/inotify_trees.h"
#include "svc/common/limits/builds.h"

namespace svc::client {

/// Notices changes in one directory tree. One thread.
class IFileWatcher {
 public:
  enum class Wake : std::uint8_t { kActivity, kTimeout, kStopped, kOther };

  virtual ~IFileWatcher() = default;
  /// Until something may have changed, the process is told to stop, `bound` passes (nullopt: a long time), or something else that
  /// is waited for has come.
  [[nodiscard]] virtual Wake wait(std::optional<std::chrono::milliseconds> bound) = 0;
  /// Files that appeared, vanished or differ since the last call, relative to the root and sorted. What came and went
  /// in between is not among them, so the temporary files of editors do not count.
  [[nodiscard]] virtual std::vector<std::string> takeChanges() = 0;
};

/// What the files of a tree look like. Links to directories are followed, also those among its packages (linkedPackages), but for
/// those that lead into the tree, above it, or where another one leads.
class TreeSnapshot {
 public:
  /// What links to directories lead to, by their paths in the tree.
  using Links = std::map<std::string, std::filesystem::path>;

  explicit TreeSnapshot(std::filesystem::path root) : root_(std::move(root)) {}

  /// Walks the tree; the files that differ.
  std::vector<std::string> rescan();
  /// Looks at these paths only, and at the known files below them; the files that differ.
  std::vector<std::string> refresh(const std::set<std::string>& paths);
  /// Those that the last rescan() has followed.
  [[nodiscard]] const Links& links() const { return links_; }
  /// Whether what is at this path now is a link to a directory.
  [[nodiscard]] bool isLinkToDirectory(const std::string& path) const;

 private:
  struct Signature {
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;
    std::int64_t size = 0;
    std::uint64_t inode = 0;
    friend bool operator==(const Signature&, const Signature&) = default;
  };
  using Files = std::map<std::string, Signature>;

  [[nodiscard]] std::optional<Signature> look(const std::string& file) const;
  void walk(const std::string& directory, Files& found);
  void follow(const std::string& link, Files& found);

  std::filesystem::path root_;
  Files files_;
  Links links_;
};

/// Watches through inotify; looks every `poll` when the kernel has no watches left, and says so once.
class FileWatcher final : public IFileWatcher {
 public:
  struct Options {
    std::filesystem::path root;
    /// Readable when the process is told to stop.
    int interrupts = -1;
    /// What else is waited for; -1 among them is nothing.
    std::function<std::vector<int>()> others = [] { return std::vector<int>(); };
    std::function<void(const std::string& message)> warn;
    std::chrono::milliseconds poll = limits::kDevPoll;
    /// Of the kernel, except in tests.
    std::function<int(int descriptor, const char* path, std::uint32_t mask)> add_watch{};
  };
  /// Notes how the tree looks now.
  explicit FileWatcher(Options options);
  ~FileWatcher() override = default;
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  [[nodiscard]] Wake wait(std::optional<std::chrono::milliseconds> bound) override;
  [[nodiscard]] std::vector<std::string> takeChanges() override;

 private:
  /// True when something worth a look happened.
  bool readEvents();
  bool note(base::InotifyTrees::TreeId tree, const base::TreeChanges& changes);
  void noteLinked(base::InotifyTrees::TreeId tree, const base::TreeChanges& changes);
  void touch(const std::string& path);
  void watch();
  /// False when it is not there, or nothing is watched any more.
  bool watchTree(base::InotifyTrees::TreeId tree, const std::filesystem::path& root);
  /// Watches what the links of the tree lead to, and nothing else any more. True when that was not so.
  bool watchLinks();
  void rescan();
  void startPolling(const std::string& reason);
  /// To poll; -1 when nobody tells of changes.
  [[nodiscard]] int descriptor() const { return trees_ ? trees_->descriptor() : -1; }
  [[nodiscard]] bool polling() const { return !trees_ || !watched_; }

  Options options_;
  TreeSnapshot snapshot_;
  /// Nothing when the kernel has no watches left.
  std::optional<base::InotifyTrees> trees_;
  struct Linked {
    base::InotifyTrees::TreeId tree = 0;
    std::filesystem::path target;
  };
  std::map<std::string, Linked> linked_;  ///< by the path of the link
  base::InotifyTrees::TreeId last_tree_;
  /// False while the root is not there.
  bool watched_ = false;
  bool rescan_needed_ = false;
  std::set<std::string> touched_;
  /// Found by a rescan and not taken yet.
  std::set<std::string> changed_;
};

}  // namespace svc::client
