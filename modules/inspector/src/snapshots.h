#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "svc/kernel/executor.h"

#include "snapshot_file.h"

namespace svc::inspector {

/// The heap snapshots that are being written, by number: the route opens one, the script fills it chunk by chunk.
/// Thread-safe.
class Snapshots {
 public:
  explicit Snapshots(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// A new one and its number. Blocks on the file system.
  [[nodiscard]] Result<std::pair<std::string, std::shared_ptr<SnapshotFile>>> open();
  /// "<number>\n<chunk>". `aborted` when nobody waits for that snapshot any more.
  [[nodiscard]] Status append(std::string_view chunk);
  void close(const std::string& number);

 private:
  const std::filesystem::path directory_;
  std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::map<std::string, std::shared_ptr<SnapshotFile>, std::less<>> open_;
};

}  // namespace svc::inspector
