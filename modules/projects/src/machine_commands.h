#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "svc/common/json.h"
#include "svc/hosts/host_commands.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/error.h"

namespace svc::projects {

/// Commands to the machines that folders of projects are on. Thread-safe.
class MachineCommands {
 public:
  /// nullptr in a server without machines.
  explicit MachineCommands(hosts::IHostCommands* commands) : commands_(commands) {}

  /// The answer, which is an object. Fires on the io thread, or at once. What the caller got wrong keeps its code, all else is as
  /// hosts::hostFailure says.
  void ask(const std::string& host_id, const common::Json& command, std::chrono::milliseconds wait,
           Completion<common::Json> done) const;

 private:
  hosts::IHostCommands* commands_;
};

}  // namespace svc::projects
