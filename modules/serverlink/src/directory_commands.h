#pragma once

#include <string>

#include "svc/base/path_bounds.h"
#include "svc/hostprotocol/directory_limits.h"
#include "svc/kernel/result.h"

namespace svc::serverlink {

// What the server's window asks of a machine's file system. They block: for workers. The text is the command's, a JSON object.
// What is outside of the bounds is `forbidden`, or not there.

/// host.directory { path? } → { directory, parent | null, entries: { name, path, kind }[] }, by name, at most
/// `most` of them and then with `truncated: true`. Without path, or with one that begins with ~/, from the home
/// directory. Errors: `invalid_input` (not absolute, not a directory), `not_found`, `forbidden`.
[[nodiscard]] Result<std::string> listDirectory(const std::string& command,
                                                const base::PathBounds& bounds,
                                                std::size_t most = limits::kDirectoryEntries);

/// host.paths-exist { paths } → { existence: { [path]: boolean } }. At most limits::kPathsExist; `invalid_input` otherwise.
[[nodiscard]] Result<std::string> pathsExist(const std::string& command,
                                             const base::PathBounds& bounds);

}  // namespace svc::serverlink
