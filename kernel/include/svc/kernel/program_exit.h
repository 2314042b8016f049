#pragma once

#include <filesystem>
#include <string>

#include "svc/kernel/service_id.h"

namespace svc {

/// Ends the program because it cannot do its work, or another one takes over. Provided by the kernel. Thread-safe.
class IProgramExit {
 public:
  static constexpr ServiceId kId{"svc.kernel.ProgramExit", 1};
  virtual ~IProgramExit() = default;
  /// As a signal would, with the reason as an error in the log, and with exit status 1.
  virtual void fail(std::string reason) = 0;
  /// As a signal would; then `executable` runs in this process with the same arguments. A signal that arrives meanwhile, or a
  /// failure, ends the process instead.
  virtual void startAgain(std::filesystem::path executable, std::string reason) = 0;
};

}  // namespace svc
