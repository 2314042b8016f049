#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "svc/kernel/result.h"

#include "daemon_files.h"

namespace svc::machines {

/// A daemon's files as one .tar.gz, in a file without a name: it is gone with the process, however that ends. Thread-safe.
class PackedDaemon {
 public:
  /// Packs into `directory`. The same files give the same bytes. `unavailable` when the disk refuses. Blocks.
  [[nodiscard]] static Result<std::shared_ptr<const PackedDaemon>> pack(
      const std::vector<DaemonFile>& files, const std::filesystem::path& directory);

  /// Takes the descriptor. Use pack().
  explicit PackedDaemon(int descriptor) : descriptor_(descriptor) {}
  PackedDaemon(const PackedDaemon&) = delete;
  PackedDaemon& operator=(const PackedDaemon&) = delete;
  ~PackedDaemon();

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::string& sha256() const { return sha256_; }
  /// At most `count` bytes from `offset`; none at the end. Blocks.
  [[nodiscard]] Result<std::string> read(std::uint64_t offset, std::size_t count) const;

 private:
  int descriptor_;
  std::uint64_t size_ = 0;
  std::string sha256_;
};
using PackedDaemonPtr = std::shared_ptr<const PackedDaemon>;

}  // namespace svc::machines
