#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "svc/kernel/result.h"

namespace svc::kernel {

/// Refuses a data directory of another user to root, who can write everywhere: what root creates there, that user cannot
/// open any more. One that does not exist, or that has nothing of another user in it, is fine. `self` is the user the program runs as.
[[nodiscard]] Status checkOwner(const std::filesystem::path& data, const std::string& program,
                                uid_t self);

}  // namespace svc::kernel
