#pragma once

#include <string>
#include <vector>

#include "svc/kernel/result.h"
#include "svc/plugins/plugins.h"

namespace svc::rpc {

/// The builds that failed, as `svc plugin dev` sends them: `{ problems: [{ kind, message }] }`.
[[nodiscard]] Result<std::vector<plugins::DevProblem>> readDevProblems(const std::string& text);

}  // namespace svc::rpc
