#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "svc/kernel/result.h"

namespace svc::machines {

/// The name without spaces around it; `invalid_input` says what is wrong with it (L:host-name).
[[nodiscard]] Result<std::string> readHostName(std::string_view text);
/// `wanted`, or with the first number behind it that makes it unique: "mac-2".
[[nodiscard]] std::string uniqueName(const std::string& wanted,
                                     const std::function<bool(const std::string&)>& is_taken);
/// The name this machine has in its network, as a host name; "server" when it has none that can be used.
[[nodiscard]] std::string nameOfThisMachine();

}  // namespace svc::machines
