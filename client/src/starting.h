#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dispatch.h"

/// Plugins load after the server answers, a few at a time: who comes meanwhile waits, as during a reload.
namespace svc::client {

/// Ids of the enabled plugins of `GET /plugins` that have not been loaded yet.
[[nodiscard]] std::vector<std::string> startingPlugins(const common::Json& envelope);

/// The plugin whose child process this program is; empty when it is none.
[[nodiscard]] std::string callingPlugin(const Context& context);

/// Sends the request again as long as the plugin it is for is starting, within a bound; the last answer.
[[nodiscard]] Result<Reply> callOnceStarted(const Context& context, Api& api,
                                            const HttpRequest& request);

/// Looks until no plugin is starting, `enough` says so, or the bound has passed: the last answer of `GET /plugins`. The server is
/// asked for the plugin `wanted` when that is starting, and loads it before the others.
[[nodiscard]] Result<Reply> awaitStarting(const Context& context, Api& api,
                                          const std::function<bool()>& enough = {},
                                          const std::string& wanted = {});

/// Looks until the server's own machine is connected, for a moment: a command that is for it, such as `svc project create`, would be
/// refused. Not where the server says why it has none. Returns the machines as they were then.
common::Json awaitOwnMachine(const Context& context, Api& api);

}  // namespace svc::client
