#pragma once

#include <map>
#include <string>

namespace svc::base {

using Environment = std::map<std::string, std::string>;

/// The variables of this process. Before threads change them, or when none does.
[[nodiscard]] Environment currentEnvironment();

/// What a program that is the user's gets of `own`: what his programs need, nothing of the service. PATH is `path`.
[[nodiscard]] Environment cleanEnvironment(const Environment& own, const std::string& path);

}  // namespace svc::base
