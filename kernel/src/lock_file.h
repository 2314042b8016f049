#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "svc/base/fd.h"
#include "svc/kernel/result.h"

namespace svc::kernel {

/// Holds a data directory for one process: an flock on a file in it, which carries the owner's pid. The lock ends
/// with the process however it dies; the file stays.
class LockFile {
 public:
  /// `conflict` names the owner's pid when another process holds it; `program` is who runs there, for that text.
  [[nodiscard]] static Result<LockFile> acquire(const std::filesystem::path& path,
                                                const std::string& program);

 private:
  explicit LockFile(base::Fd file) : file_(std::move(file)) {}
  base::Fd file_;
};

}  // namespace svc::kernel
