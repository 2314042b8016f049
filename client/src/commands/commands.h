#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "dispatch.h"

/// One function per command; each returns the exit code.
namespace svc::client {

[[nodiscard]] int pluginInstall(Context& context, const std::string& source, bool yes);
[[nodiscard]] int pluginList(Context& context);
[[nodiscard]] int pluginShow(Context& context, const std::string& id);
/// An empty id reloads every enabled plugin.
[[nodiscard]] int pluginReload(Context& context, const std::string& id);
[[nodiscard]] int pluginEnable(Context& context, const std::string& id);
[[nodiscard]] int pluginDisable(Context& context, const std::string& id);

struct RemoveOptions {
  bool purge = false;
  bool yes = false;
};
[[nodiscard]] int pluginRemove(Context& context, const std::string& id, RemoveOptions options);

/// Prints the plugin's HTTP token and nothing else.
[[nodiscard]] int pluginToken(Context& context, const std::string& id, bool rotate);

inline constexpr int kTopInterval = 2;  ///< seconds
struct TopOptions {
  bool once = false;
  std::optional<int> interval;  ///< seconds; nullopt = kTopInterval on a terminal, once elsewhere
};
[[nodiscard]] int pluginTop(Context& context, const TopOptions& options);

/// `change` is "on", "off", or empty to show the state.
[[nodiscard]] int pluginSafeMode(Context& context, const std::string& change);

/// An empty key shows every setting; a key without a value is reset.
struct ConfigChange {
  std::string key;
  std::optional<std::string> value;  ///< "-" reads a secret from standard input
};
[[nodiscard]] int pluginConfig(Context& context, const std::string& id, const ConfigChange& change);

struct LogOptions {
  int lines = 100;
  bool follow = false;
  std::string level;
};
[[nodiscard]] int pluginLogs(Context& context, const std::string& id, const LogOptions& options);

/// The published methods, of one plugin or (empty id) of all.
[[nodiscard]] int pluginRpcList(Context& context, const std::string& id);
/// An empty method shows all of the plugin, one JSON object per line.
[[nodiscard]] int pluginRpcInspect(Context& context, const std::string& id,
                                   const std::string& method);
struct RpcInput {
  std::string json;  ///< empty = no input
  std::string file;  ///< read instead when not empty
};
[[nodiscard]] int pluginRpcCall(Context& context, const std::string& id, const std::string& method,
                                const RpcInput& input);

[[nodiscard]] int status(Context& context);

/// `arguments` go to svcd as they are.
[[nodiscard]] int serverStart(Context& context, const std::vector<std::string>& arguments);
[[nodiscard]] int serverStop(Context& context);
/// Starts again with the arguments of the running server, unless some are given.
[[nodiscard]] int serverRestart(Context& context, const std::vector<std::string>& arguments);
[[nodiscard]] int serverLogs(Context& context, const LogOptions& options);

[[nodiscard]] int completion(Context& context, const std::string& shell);

}  // namespace svc::client
