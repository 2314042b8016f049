#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/base/environment.h"

namespace svc::client {

/// The systemd unit that runs a server: who stops such a server and starts another one takes it away from systemd.
struct ServiceUnit {
  std::string name;      ///< `svcd.service`
  bool of_user = false;  ///< of a person's own systemd, not of the machine's

  /// The command that does something with it; it asks nobody for a password.
  [[nodiscard]] std::vector<std::string> command(std::string_view verb) const;
  /// The same for people, who may be asked.
  [[nodiscard]] std::string shown(std::string_view verb) const;
};

/// The unit whose program this process is, by its variables and its /proc/<pid>/cgroup. None for what was started by something
/// that systemd runs, such as a shell.
[[nodiscard]] std::optional<ServiceUnit> serviceUnit(const base::Environment& variables,
                                                     std::string_view cgroup, int pid);

/// The same of a process of this machine; none, too, when it cannot be looked at.
[[nodiscard]] std::optional<ServiceUnit> serviceUnitOf(int pid);

}  // namespace svc::client
