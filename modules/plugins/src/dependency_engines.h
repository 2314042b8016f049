#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace svc::plugins {

/// Which Node.js the packages that a plugin depends on ask for, of those that this one is not enough for, as a sentence: "yargs 18.0.0 asks
/// for Node.js >=20, and plugins run on 18.20.4: an older release may do". Empty when it is enough for all. Blocks.
[[nodiscard]] std::string unmetNode(const std::filesystem::path& root, std::string_view node);

}  // namespace svc::plugins
