#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "svc/base/fd.h"
#include "svc/kernel/result.h"

namespace svc::inspector {

/// A file without a name: it is gone when this object is, whatever happens. Written by one thread, then read by one.
class SnapshotFile {
 public:
  [[nodiscard]] static Result<SnapshotFile> create(const std::filesystem::path& directory);

  [[nodiscard]] Status append(std::string_view text);
  /// Up to `most` bytes from `offset`; "" at the end.
  [[nodiscard]] Result<std::string> read(std::uint64_t offset, std::size_t most) const;

 private:
  explicit SnapshotFile(base::Fd file) : file_(std::move(file)) {}
  base::Fd file_;
};

}  // namespace svc::inspector
