#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace svc::pty {

/// The processes of a session, without its leader. Looks through /proc.
[[nodiscard]] std::vector<pid_t> membersOf(pid_t session);

/// The file that a process runs; empty when it is over.
[[nodiscard]] std::string programOf(pid_t pid);

/// To each of them that still is in the session, and never to another process that has got its number.
void signalMembers(pid_t session, int number);

}  // namespace svc::pty
