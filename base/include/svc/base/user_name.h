#pragma once

#include <sys/types.h>

#include <string>

namespace svc::base {

/// As sudo takes it on a command line: the name of a user, or '#1234' (quotes included) for one that has none here. Any thread.
[[nodiscard]] std::string userName(uid_t user);

}  // namespace svc::base
