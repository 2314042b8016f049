#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "svc/base/fd.h"
#include "svc/kernel/result.h"

namespace svc::kernel {

/// Holds a data directory for one process: an flock on a file in it, which carries the owner's pid, and one on the directory, which
/// holds when somebody removes the file. The locks end with the process however it dies; the file stays.
class LockFile {
 public:
  /// `conflict` names the owner's pid when another process holds it; `program` is who runs there, for that text.
  [[nodiscard]] static Result<LockFile> acquire(const std::filesystem::path& path,
                                                const std::string& program);

 private:
  LockFile(base::Fd file, base::Fd directory)
      : file_(std::move(file)), directory_(std::move(directory)) {}
  base::Fd file_;
  base::Fd directory_;
};

}  // namespace svc::kernel
