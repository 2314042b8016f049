#include "cli/definition.h"
#include "cli/log_options.h"
#include "commands/commands.h"

namespace svc::client {

void addServer(CLI::App& app, Invocation& in) {
  auto& server = group(app, "server", "Start and stop the server of this machine");
  passing(server, in, "start", "Start svcd in the background; further arguments go to it",
          serverStart);
  passing(server, in, "restart", "Stop svcd and start it with the same arguments", serverRestart);
  leaf(server, in, "stop", "Stop the running svcd", serverStop);
  auto logs = std::make_shared<LogOptions>();
  addLogOptions(leaf(server, in, "logs", "Show the server's log",
                     [logs](Context& c) { return serverLogs(c, *logs); }),
                *logs);
}

void addSettings(CLI::App& app, Invocation& in) {
  auto& settings = group(app, "settings", "Show and change the configuration of the server");
  auto origin = std::make_shared<bool>(false);
  leaf(settings, in, "list", "Show every setting", [origin](Context& c) {
    return settingsList(c, *origin);
  })->add_flag("--origin", *origin, "Say where each value comes from");
  auto key = std::make_shared<std::string>();
  auto value = std::make_shared<std::string>();
  required(leaf(settings, in, "get", "Print the value of a setting",
                [key](Context& c) { return settingsGet(c, *key); }),
           in, "key", *key, "Setting, such as log.level", Completes::kSetting);
  auto* const set = leaf(settings, in, "set", "Write a setting to the configuration file",
                         [key, value](Context& c) { return settingsSet(c, *key, *value); });
  required(set, in, "key", *key, "Setting, such as log.level", Completes::kSetting);
  freeText(set, in, "value", *value, "Text, number, true, false or a JSON value",
           Completes::kSettingValue)
      ->required();
  required(leaf(settings, in, "unset", "Remove a setting from the configuration file",
                [key](Context& c) { return settingsSet(c, *key, std::nullopt); }),
           in, "key", *key, "Setting, such as log.level", Completes::kSetting);
  leaf(settings, in, "reload", "Let the running server read its configuration again",
       settingsReload);
}

}  // namespace svc::client
