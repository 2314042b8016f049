#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "svc/kernel/result.h"
#include "svc/plugins/plugins.h"

namespace svc::rpc {

/// Of one plugin; it has two bundles, and each tells its first failure.
inline constexpr std::size_t kDevProblems = 16;

/// The builds that failed, as `svc plugin dev` sends them: `{ problems: [{ kind, message }] }`.
[[nodiscard]] Result<std::vector<plugins::DevProblem>> readDevProblems(const std::string& text);

}  // namespace svc::rpc
