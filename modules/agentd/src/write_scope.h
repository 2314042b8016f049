#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "svc/common/json.h"

namespace svc::agentd {

enum class Change : std::uint8_t { kWrites, kRemoves };

/// The `writeScope` of a change of these files: directories that it reaches beyond the files of `cwd`, links followed, each once; null
/// when there is none. What is in `.git` or `.svc` is beyond them, too. A link to nothing reaches the directory that its target would be
/// in; `~` and URLs are somewhere else; what removes or moves a whole directory reaches it, wherever it is; a file that has another name
/// as well (a hard link) is reached itself. Looks at the file system.
[[nodiscard]] common::Json writeScope(const std::vector<std::string>& paths, const std::string& cwd,
                                      Change change = Change::kWrites);

}  // namespace svc::agentd
