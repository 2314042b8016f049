#pragma once

#include <sys/inotify.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "svc/base/fd.h"
#include "svc/base/result.h"
#include "svc/base/tree_changes.h"

namespace svc::base {

/// Directory trees watched through one inotify descriptor, with the directories that come later. Symbolic links are not followed,
/// but for one that is the root. One thread; never blocks.
class InotifyTrees {
 public:
  using TreeId = std::uint64_t;
  /// What one reading brought, by tree.
  using Changes = std::map<TreeId, TreeChanges>;

  /// What is neither told nor, when it is a directory, looked into. Absolute paths.
  using Ignored = std::function<bool(const std::string& path, bool is_directory)>;

  struct Options {
    /// Of the changes of one tree in one reading.
    TreeChanges::Limit batch{};
    /// What counts as an update, of inotify's events.
    std::uint32_t updates = IN_MODIFY | IN_ATTRIB;
    /// Of the kernel, except in tests.
    std::function<int(int descriptor, const char* path, std::uint32_t mask)> add_watch{};
  };

  InotifyTrees() : InotifyTrees(Options()) {}
  explicit InotifyTrees(Options options);

  /// Readable when something changed; -1 when the kernel gave none.
  [[nodiscard]] int descriptor() const { return inotify_.get(); }

  /// `root` is absolute, without a slash at its end. Errors: `not_found` (there is no such directory), `unavailable`.
  [[nodiscard]] Status add(TreeId id, std::string root, Ignored ignored = {});
  void remove(TreeId id);
  /// What the kernel has told; nothing when it has told nothing. A tree whose changes have an error is watched no more.
  [[nodiscard]] Changes read();

 private:
  struct Tree {
    std::string root;
    Ignored ignored;
    std::map<std::string, int> watches;  ///< by directory
  };
  enum class Found : bool { kSilently, kAsCreated };

  [[nodiscard]] static std::string relative(const Tree& tree, const std::string& path);
  /// Watches a directory and all below it. Directories that are gone meanwhile are no failure.
  [[nodiscard]] Status watch(TreeId id, Tree& tree, const std::string& directory, Found found,
                             TreeChanges& changes);
  [[nodiscard]] Status watchOne(TreeId id, Tree& tree, const std::string& directory);
  void unwatch(TreeId id, Tree& tree, const std::string& directory);
  void release(int watch, TreeId id, const std::string& directory);
  void overflowed(Changes& changes);
  void onEvent(const inotify_event& event, Changes& changes);
  void onChange(TreeId id, const std::string& directory, const inotify_event& event,
                Changes& changes);
  void lose(TreeId id, const std::string& why, Changes& changes);

  [[nodiscard]] TreeChanges& changesOf(TreeId id, Changes& changes) const;

  Options options_;
  Fd inotify_;
  std::map<TreeId, Tree> trees_;
  /// Which directories of which trees a watch of the kernel stands for.
  std::map<int, std::set<std::pair<TreeId, std::string>>> watches_;
};

}  // namespace svc::base
