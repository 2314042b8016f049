#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "svc/kernel/executor.h"
#include "svc/storage/service_settings.h"

namespace svc::mcp {

/// Plugin id by the name of its tool.
using ToolOwners = std::map<std::string, std::string>;

/// Keeps whose which tool was: after a start of the server, the call of a tool whose plugin does not come up is told why. What cannot be
/// read or written is not known, no more. Main thread.
class OwnerKeeper final : public std::enable_shared_from_this<OwnerKeeper> {
 public:
  /// More than these are not kept.
  static constexpr std::size_t kKept = 10'000;

  OwnerKeeper(storage::IServiceSettings& store, IWorkerPool& workers, IMainExecutor& main)
      : store_(store), workers_(workers), main_(main) {}

  /// What was kept last. Blocks: once, at the start.
  [[nodiscard]] ToolOwners load();
  /// Returns at once; what changes while it is written is written after it.
  void keep(const ToolOwners& owners);

 private:
  void write(std::string text);

  storage::IServiceSettings& store_;
  IWorkerPool& workers_;
  IMainExecutor& main_;
  bool writing_ = false;
  std::optional<std::string> next_;
};

}  // namespace svc::mcp
