#pragma once

#include <functional>
#include <string>
#include <vector>

#include "svc/kernel/completion.h"
#include "svc/kernel/config.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc {

/// Which configuration keys apply while the program runs, and how. Provided by the kernel; IConfig reads the new values
/// from the switch on. Main thread, except reload().
class IConfigChanges {
 public:
  static constexpr ServiceId kId{"svc.kernel.ConfigChanges", 1};

  struct Listener {
    /// What it applies. A change of a key that no listener has needs a restart.
    std::vector<std::string> keys;
    /// Called after the switch when one of its keys has changed. The rules of all keys hold: what they refuse changes
    /// nothing, for nobody.
    std::function<void(const IConfig& now)> apply;
  };
  struct Outcome {
    std::vector<std::string> applied;
    /// Changed in the file, but read only when the program starts.
    std::vector<std::string> need_restart;
  };

  virtual ~IConfigChanges() = default;
  [[nodiscard]] virtual Handle add(Listener listener) = 0;
  /// Called after every reload that has applied something, when all listeners have.
  [[nodiscard]] virtual Handle onApplied(std::function<void()> listener) = 0;
  /// Reads the configuration file again; flags and environment stay what they were. An error says what is wrong with the
  /// file, and everything stays as it was. Any thread; `done` fires on the main thread.
  virtual void reload(Completion<Outcome> done) = 0;
};

}  // namespace svc
