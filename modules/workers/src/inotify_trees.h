#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/kernel/result.h"

#include "process_spawn.h"
#include "tree_changes.h"

struct inotify_event;

namespace svc::workers {

/// Trees watched through one inotify descriptor. One thread.
class InotifyTrees {
 public:
  using TreeId = std::uint64_t;
  /// What one reading brought, by tree.
  using Changes = std::map<TreeId, TreeChanges>;

  InotifyTrees();

  /// Readable when something changed; -1 when the kernel gave none.
  [[nodiscard]] int descriptor() const { return inotify_.get(); }

  /// Error: why the tree cannot be watched.
  [[nodiscard]] Status add(TreeId id, std::string root, std::vector<std::string> ignored);
  void remove(TreeId id);
  [[nodiscard]] Changes read();

 private:
  struct Tree {
    std::string root;
    std::vector<std::string> ignored;
    std::map<std::string, int> watches;  ///< by directory
  };
  enum class Found : bool { kSilently, kAsCreated };

  [[nodiscard]] static bool isIgnored(const Tree& tree, const std::string& path);
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

  Fd inotify_;
  std::map<TreeId, Tree> trees_;
  /// Which directories of which trees a watch of the kernel stands for.
  std::map<int, std::set<std::pair<TreeId, std::string>>> watches_;
};

}  // namespace svc::workers
