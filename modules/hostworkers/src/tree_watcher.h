#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "svc/base/tree_changes.h"
#include "svc/common/limits/hosts.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"

namespace svc::hostworkers {

using base::ChangeType;
using base::TreeChanges;

/// Of one event, which a worker gets.
inline constexpr TreeChanges::Limit kBatch{.paths = limits::kWatchBatchPaths,
                                           .bytes = limits::kWatchBatchBytes};

/// Directory trees that tell of changes. Main thread.
class ITreeWatcher {
 public:
  using Listener = std::function<void(const TreeChanges& changes)>;

  virtual ~ITreeWatcher() = default;
  /// Watches `root` and what is below it, except `ignored` (absolute paths) and what symbolic links lead to. `done` fires on the
  /// main thread before the first change; an error says why the tree cannot be watched. After changes with an error nothing
  /// more comes.
  [[nodiscard]] virtual Handle watch(const std::string& root,
                                     const std::vector<std::string>& ignored, Listener listener,
                                     Completion<void> done) = 0;
};

/// Trees of the kernel's inotify, all on one thread and one descriptor. Watches of the same tree share what the kernel keeps.
class TreeWatcher final : public ITreeWatcher {
 public:
  explicit TreeWatcher(IExecutor& main);
  TreeWatcher(const TreeWatcher&) = delete;
  TreeWatcher& operator=(const TreeWatcher&) = delete;
  ~TreeWatcher() override;

  [[nodiscard]] Handle watch(const std::string& root, const std::vector<std::string>& ignored,
                             Listener listener, Completion<void> done) override;

  /// The half on the thread.
  class Trees;

 private:
  using Key = std::pair<std::string, std::vector<std::string>>;
  struct Shared;
  struct Tree;

  std::shared_ptr<Shared> shared_;
};

}  // namespace svc::hostworkers
