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

/// The same of a directory that is still to be made, in the home of another user (`sudo` may keep HOME): it and what is above it would
/// be root's. `home` is empty when somebody has named the directory.
[[nodiscard]] Status checkHome(const std::filesystem::path& home, const std::filesystem::path& data,
                               const std::string& program, uid_t self);

enum class Depth : std::uint8_t { kTop, kWhole };

/// Refuses a directory of `self` in which something belongs to neither that user nor root: somebody who could write there has left it,
/// and secrets, logs and skills would be read from it. `kTop`: what is in it, and in its directories.
[[nodiscard]] Status checkContents(const std::filesystem::path& data, Depth depth,
                                   const std::string& program, uid_t self);

}  // namespace svc::kernel
