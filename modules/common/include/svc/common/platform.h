#pragma once

#include <string>

namespace svc::common {

/// The system and processor of this machine as Node.js names them: "linux-x64", "linux-arm64". Any thread.
[[nodiscard]] std::string platformName();

}  // namespace svc::common
