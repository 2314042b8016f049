#pragma once

#include <string>

#include "svc/common/json.h"

namespace svc::agentd {

/// The `writeScope` of changes: directories outside of `cwd` that they reach, links followed, each once; null when there is none. A link to
/// nothing reaches the directory that its target would be in. Looks at the file system.
[[nodiscard]] common::Json writeScope(const common::Json& changes, const std::string& cwd);

}  // namespace svc::agentd
