#pragma once

#include <chrono>
#include <string>

#include "svc/kernel/completion.h"
#include "svc/kernel/service_id.h"

namespace svc::hosts {

/// Commands to daemons, for what is not the call of a host entry. Thread-safe.
class IHostCommands {
 public:
  static constexpr ServiceId kId{"svc.hosts.HostCommands", 1};
  virtual ~IHostCommands() = default;
  /// `command` is the JSON text of an object with `type`. Answers with the text of the result, an object
  /// with the members that the contract has for the command, on the io thread. Errors: `unknown_host`, `host_unavailable`
  /// (not connected, or lost meanwhile), `timeout`, `host_error` for any other answer, and what the daemon says.
  virtual void send(const std::string& host_id, std::string command, std::chrono::milliseconds wait,
                    Completion<std::string> done) = 0;
};

}  // namespace svc::hosts
