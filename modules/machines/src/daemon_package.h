#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <spdlog/logger.h>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"

#include "packed_daemon.h"

namespace svc::machines {

/// The svc-hostd of the server's own installation, for machines whose daemon is older. Packed once, when somebody first wants it.
/// Thread-safe. Outlives what it has submitted.
class DaemonPackage {
 public:
  /// `prefix` is that of the installation; the package is kept in `directory`. Reads names of files.
  DaemonPackage(const std::filesystem::path& prefix, std::filesystem::path directory,
                std::string platform, IBulkWorkers& workers, std::shared_ptr<spdlog::logger> log);

  /// `not_found` says why machines of this platform cannot have it. Quick.
  [[nodiscard]] Status availableFor(std::string_view platform) const;
  /// Fires on a worker, or at once on the calling thread. `not_found`; `overloaded`; `unavailable` (the next call tries again).
  void get(Completion<PackedDaemonPtr> done);

 private:
  void pack();

  const Result<std::vector<DaemonFile>> files_;
  const std::filesystem::path directory_;
  const std::string platform_;
  IBulkWorkers& workers_;
  const std::shared_ptr<spdlog::logger> log_;
  std::mutex mutex_;
  PackedDaemonPtr packed_;
  std::vector<Completion<PackedDaemonPtr>> waiting_;
};

}  // namespace svc::machines
