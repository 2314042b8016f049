#pragma once

#include <sys/types.h>

#include <string>

namespace svc::base {

// Both may ask the network, where the system's users are there. Thread-safe.

/// As sudo takes it on a command line: the name of a user, or '#1234' (quotes included) for one that has none here.
[[nodiscard]] std::string userName(uid_t uid);

/// A user as people are told of one: "bob (1002)", or "uid 1002" where the system has no name for it.
[[nodiscard]] std::string shownUser(uid_t uid);

}  // namespace svc::base
