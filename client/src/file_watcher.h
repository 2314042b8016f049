#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "svc/base/inotify_trees.h"
#include "svc/common/limits.h"

namespace svc::client {

/// Notices changes in one directory tree. One thread.
class IFileWatcher {
 public:
  enum class Wake : std::uint8_t { kActivity, kTimeout, kStopped };

  virtual ~IFileWatcher() = default;
  /// Until something may have changed, the process is told to stop, or `bound` passes (nullopt: a long time).
  [[nodiscard]] virtual Wake wait(std::optional<std::chrono::milliseconds> bound) = 0;
  /// Files that appeared, vanished or differ since the last call, relative to the root and sorted. What came and went
  /// in between is not among them, so the temporary files of editors do not count.
  [[nodiscard]] virtual std::vector<std::string> takeChanges() = 0;
};

/// Segments that are never looked into: build output, packages, version control.
[[nodiscard]] bool isIgnoredDirectory(std::string_view name);
/// Files that editors keep beside the one being edited.
[[nodiscard]] bool isIgnoredFile(std::string_view name);

/// What the files of a tree look like. Links to directories are not followed.
class TreeSnapshot {
 public:
  explicit TreeSnapshot(std::filesystem::path root) : root_(std::move(root)) {}

  /// Walks the tree; the files that differ.
  std::vector<std::string> rescan();
  /// Looks at these paths only, and at the known files below them; the files that differ.
  std::vector<std::string> refresh(const std::set<std::string>& paths);

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
  void walk(const std::string& directory, Files& found) const;

  std::filesystem::path root_;
  Files files_;
};

/// Watches through inotify; looks every `poll` when the kernel has no watches left, and says so once.
class FileWatcher final : public IFileWatcher {
 public:
  struct Options {
    std::filesystem::path root;
    /// Readable when the process is told to stop.
    int interrupts = -1;
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
  bool note(const base::TreeChanges& changes);
  void watch();
  void rescan();
  void startPolling(const std::string& reason);
  /// To poll; -1 when nobody tells of changes.
  [[nodiscard]] int descriptor() const { return trees_ ? trees_->descriptor() : -1; }
  [[nodiscard]] bool polling() const { return !trees_ || !watched_; }

  Options options_;
  TreeSnapshot snapshot_;
  /// Nothing when the kernel has no watches left.
  std::optional<base::InotifyTrees> trees_;
  /// False while the root is not there.
  bool watched_ = false;
  bool rescan_needed_ = false;
  std::set<std::string> touched_;
  /// Found by a rescan and not taken yet.
  std::set<std::string> changed_;
};

}  // namespace svc::client
