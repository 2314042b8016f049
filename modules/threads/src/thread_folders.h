#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "svc/kernel/result.h"

namespace svc::threads {

/// The folder of each thread: `<root>/<thread id>/storage`, for files of plugins and agents. Thread-safe; everything blocks. Ids are those of threads
/// that exist, or existed.
class ThreadFolders {
 public:
  explicit ThreadFolders(std::filesystem::path root) : root_(std::move(root)) {}

  /// The folder, made when it is not there.
  [[nodiscard]] Result<std::filesystem::path> open(const std::string& thread_id) const;
  /// With all that is in it; no error when there is none.
  [[nodiscard]] Status remove(const std::string& thread_id) const;

 private:
  std::filesystem::path root_;
};

}  // namespace svc::threads
