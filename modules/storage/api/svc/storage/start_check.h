#pragma once

#include <filesystem>

#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::storage {

/// Whether a server would start on a data directory that is not in its place yet.
class IStartCheck {
 public:
  static constexpr ServiceId kId{"svc.storage.StartCheck", 1};
  virtual ~IStartCheck() = default;

  /// Opens the core database of `data`, which nobody has open, the way the start of a server does, and closes it: its schema is up to
  /// date after that, and a copy of an older one is below `data`. Errors are those that the start would end with; `incompatible` and
  /// `unavailable` are about this program and this machine, any other code about the database. Thread-safe; blocks.
  [[nodiscard]] virtual Status check(const std::filesystem::path& data) = 0;
};

}  // namespace svc::storage
