#pragma once

#include <string>

#include "svc/hosts/host_commands.h"
#include "svc/kernel/completion.h"

#include "project_registry.h"

namespace svc::projects {

/// Asks a machine whether a folder is there. Thread-safe.
class PlaceCheck {
 public:
  /// nullptr in a server without machines.
  explicit PlaceCheck(hosts::IHostCommands* commands) : commands_(commands) {}

  /// The folder as its machine calls it: whole, without "~" and detours. Fires on the io thread, or at once. Errors:
  /// `invalid_input` says what is wrong with the path; `unknown_host`, `host_unavailable`, `timeout`; `host_error`.
  void check(Place place, Completion<Place> done) const;

 private:
  hosts::IHostCommands* commands_;
};

}  // namespace svc::projects
