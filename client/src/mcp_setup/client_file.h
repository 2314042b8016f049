#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "svc/kernel/result.h"

// The file of a client: it is somebody else's, and only its entry for the service changes.
namespace svc::client {

/// Its text; empty when there is none. Errors: `invalid_input` for what is no file.
[[nodiscard]] Result<std::string> clientText(const std::filesystem::path& file);

/// Why it is not to be written, whoever runs this.
[[nodiscard]] std::optional<Error> keptByItsOwner(const std::filesystem::path& file);

/// Why the file of a project is not to be written: a repository can bring links, and a secret is not for wherever they lead.
[[nodiscard]] std::optional<Error> leavesProject(const std::filesystem::path& file,
                                                 const std::filesystem::path& project);

/// Replaces it all at once by a file with its mode, as far as `allowed` has that. As it is before the first time it stays beside itself; what
/// that copy is called, empty when there was no file, or an `own` one: nothing in it is anybody else's.
[[nodiscard]] Result<std::string> replaceClientFile(const std::filesystem::path& file,
                                                    const std::string& text, mode_t allowed,
                                                    bool own);

/// Its mode when others than its owner can read or write it.
[[nodiscard]] std::optional<mode_t> openToOthers(const std::filesystem::path& file);

}  // namespace svc::client
