#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "svc/kernel/executor.h"

#include "tree_watcher.h"
#include "watch_session.h"

namespace svc::hostworkers {

/// The file watches of all workers. Main thread.
class FileWatches {
 public:
  explicit FileWatches(IExecutor& main) : main_(main) {}
  FileWatches(const FileWatches&) = delete;
  FileWatches& operator=(const FileWatches&) = delete;

  [[nodiscard]] std::unique_ptr<IWatchSession> session(
      std::function<void(std::string message)> send);

 private:
  IExecutor& main_;
  /// Made by the first watch there is.
  std::optional<TreeWatcher> trees_;
};

/// A worker's watches of trees: changes are collected until nothing more comes for a while, and sent as one event after the
/// other, each when the worker has dealt with the one before.
[[nodiscard]] std::unique_ptr<IWatchSession> makeWatchSession(
    IExecutor& main, ITreeWatcher& trees, std::function<void(std::string message)> send);

}  // namespace svc::hostworkers
