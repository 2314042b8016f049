#pragma once

#include <filesystem>
#include <string>

namespace svc::machines {

/// The directory of the daemon of the server's own machine, below the server's data: `hostd`, where a daemon of this user that has
/// joined another server may live, too, because that is where it is unless somebody says otherwise. Then it is `machine`, which is
/// nobody else's, and stays it. `own_host_id`: of the server's machine.
[[nodiscard]] std::filesystem::path directoryOfOwnDaemon(const std::filesystem::path& data,
                                                         const std::string& own_host_id);

}  // namespace svc::machines
