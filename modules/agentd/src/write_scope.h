#pragma once

#include <string>
#include <vector>

#include "svc/common/json.h"

namespace svc::agentd {

/// The `writeScope` of a change of these files: directories outside of `cwd` that it reaches, links followed, each once; null when there is
/// none. A link to nothing reaches the directory that its target would be in; `~` is somewhere else. Looks at the file system.
[[nodiscard]] common::Json writeScope(const std::vector<std::string>& paths,
                                      const std::string& cwd);

}  // namespace svc::agentd
