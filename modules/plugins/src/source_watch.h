#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>

namespace svc::plugins {

/// Tells of changes in the sources of bundled plugins, each of which is a folder below one directory; links are not followed. A thread of
/// its own, which waits for the kernel.
class SourceWatch {
 public:
  struct Options {
    std::filesystem::path directory;
    /// The names of the folders; empty for any of them, when the kernel has lost count. On the watch's thread.
    std::function<void(std::set<std::string> names)> changed;
    /// For the log: nothing is watched any more, or never was. On the watch's thread, or on that of the constructor.
    std::function<void(const std::string& message)> warn;
    /// Of the kernel, except in tests.
    std::function<int(int descriptor, const char* path, std::uint32_t mask)> add_watch{};
  };

  /// Watches from now on, so that no later change is missed. Nothing happens when the directory is not there.
  explicit SourceWatch(Options options);
  SourceWatch(const SourceWatch&) = delete;
  SourceWatch& operator=(const SourceWatch&) = delete;
  /// Waits for the thread.
  ~SourceWatch();

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace svc::plugins
