#pragma once

#include <filesystem>
#include <string>

#include "svc/kernel/result.h"

namespace svc::kernel {

/// Holds a data directory for one process: an flock on a file in it, which carries the owner's pid. The lock ends
/// with the process however it dies; the file stays.
class LockFile {
 public:
  /// `conflict` names the owner's pid when another process holds it; `program` is who runs there, for that text.
  [[nodiscard]] static Result<LockFile> acquire(const std::filesystem::path& path,
                                                const std::string& program);
  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&& other) noexcept;
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;
  ~LockFile();

 private:
  explicit LockFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace svc::kernel
