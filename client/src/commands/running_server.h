#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dispatch.h"

/// The server of this machine, found by the lock of its data directory. What keeps one from running is reported here.
namespace svc::client {

struct RunningServer {
  std::string url;
  int pid = 0;
  bool started = false;  ///< by this call
};

/// The server that has the data directory of this call, or one that is started with these arguments. One that is starting or
/// ending is waited for. One that is started outlives this program, also when Ctrl-C ends that meanwhile.
[[nodiscard]] std::optional<RunningServer> ensureServer(Context& context,
                                                        const std::vector<std::string>& arguments);

}  // namespace svc::client
