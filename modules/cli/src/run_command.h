#pragma once

#include <stop_token>
#include <string>

#include "svc/kernel/completion.h"
#include "svc/plugins/plugins.h"

namespace svc::cli {

/// Runs the command of a plugin; `request` is the checked body of the route, the answer the members of its result. Any thread; fires
/// on the script thread, or wherever the lookup of the plugin fails. Errors beside those of the lookup and of the run:
/// `unknown_command`.
void runCommand(plugins::ILoadedPlugins& loaded, const std::string& plugin_id, std::string request,
                std::stop_token stop, Completion<std::string> done);

}  // namespace svc::cli
