#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace svc::skills {

/// Tells that something changed below folders of skills, so that clients hear of it without asking. A thread of its own, which waits
/// for the kernel; folders that are not there are not watched.
class FolderWatch {
 public:
  /// `changed` is called on the watch's thread, once for what has come together.
  explicit FolderWatch(std::function<void()> changed);
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;
  /// Waits for the thread.
  ~FolderWatch();

  /// Watches these from now on, and no others. Any thread.
  void follow(std::vector<std::filesystem::path> folders);

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace svc::skills
