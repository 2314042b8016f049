#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "svc/base/fd.h"
#include "svc/kernel/result.h"

#include "daemon_files.h"

namespace svc::machines {

/// A daemon's files as one .tar.gz, in a file without a name: it is gone with the process, however that ends. Thread-safe.
class PackedDaemon {
 public:
  /// Packs into `directory`. The same files give the same bytes. `unavailable` when the disk refuses. Blocks.
  [[nodiscard]] static Result<std::shared_ptr<const PackedDaemon>> pack(
      const std::vector<DaemonFile>& files, const std::filesystem::path& directory);

  /// Use pack().
  explicit PackedDaemon(base::Fd file) : file_(std::move(file)) {}
  PackedDaemon(const PackedDaemon&) = delete;
  PackedDaemon& operator=(const PackedDaemon&) = delete;
  ~PackedDaemon() = default;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::string& sha256() const { return sha256_; }
  /// At most `count` bytes from `offset`; none at the end. Blocks.
  [[nodiscard]] Result<std::string> read(std::uint64_t offset, std::size_t count) const;

 private:
  base::Fd file_;
  std::uint64_t size_ = 0;
  std::string sha256_;
};
using PackedDaemonPtr = std::shared_ptr<const PackedDaemon>;

}  // namespace svc::machines
