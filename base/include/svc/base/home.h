#pragma once

#include <string>

namespace svc::base {

/// The home directory of this process's user: the value of HOME, which is passed on, or where that is empty the one of the password
/// file; "/" for a user whom nobody knows.
[[nodiscard]] std::string homeDirectory(std::string variable);

}  // namespace svc::base
