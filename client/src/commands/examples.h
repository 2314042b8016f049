#pragma once

#include <filesystem>
#include <string>

#include "dispatch.h"

namespace svc::client {

/// Whether the list of plugins has one that did not come with the service.
[[nodiscard]] bool hasOwnPlugins(const common::Json& plugins);

/// Says what a server without plugins can begin with: what ships with the service, and the command for each.
void offerBeginnings(const Context& context, const common::Json& plugins);

/// Says that there is no such example, and which there are.
[[nodiscard]] int failUnknownExample(const Console& console, const std::filesystem::path& share,
                                     const std::string& name);

}  // namespace svc::client
