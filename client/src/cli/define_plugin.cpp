#include "cli/definition.h"
#include "commands/commands.h"

namespace svc::client {
namespace {

void addLifecycle(CLI::App& plugin, Invocation& in) {
  leaf(plugin, in, "list", "Show every plugin", pluginList);
  pluginLeaf(plugin, in, "show", "Show one plugin with its last error and counters", pluginShow);
  auto id = std::make_shared<std::string>();
  argument(leaf(plugin, in, "reload", "Load a plugin (or all) again",
                [id](Context& c) { return pluginReload(c, *id); }),
           in, "id", *id, "Plugin id", Completes::kPlugin);
  pluginLeaf(plugin, in, "enable", "Let a plugin run", pluginEnable);
  pluginLeaf(plugin, in, "disable", "Stop a plugin and keep it stopped", pluginDisable);
}

void addRemove(CLI::App& plugin, Invocation& in) {
  auto options = std::make_shared<RemoveOptions>();
  auto* const remove = pluginLeaf(
      plugin, in, "remove", "Remove a plugin with its settings; its stored data stays",
      [options](Context& c, const std::string& id) { return pluginRemove(c, id, *options); });
  remove->add_flag("--purge", options->purge, "Delete its stored data too");
  remove->add_flag("--yes,-y", options->yes, "Do not ask");
}

void addToken(CLI::App& plugin, Invocation& in) {
  auto rotate = std::make_shared<bool>(false);
  pluginLeaf(plugin, in, "token",
             "Print the token for a plugin's HTTP routes; made when there is none",
             [rotate](Context& c, const std::string& id) { return pluginToken(c, id, *rotate); })
      ->add_flag("--rotate", *rotate, "Replace it; the old one stops working");
}

void addSafeMode(CLI::App& plugin, Invocation& in) {
  auto state = std::make_shared<std::string>();
  oneOf(in,
        argument(
            leaf(plugin, in, "safe-mode", "Show, or turn on or off, that only bundled plugins run",
                 [state](Context& c) { return pluginSafeMode(c, *state); }),
            in, "state", *state, "on or off"),
        {"on", "off"});
}

void addConfig(CLI::App& plugin, Invocation& in) {
  struct Arguments {
    std::string id;
    std::string value;
    ConfigChange change;
  };
  auto args = std::make_shared<Arguments>();
  const auto show_or_unset = [args](Context& c) { return pluginConfig(c, args->id, args->change); };
  auto* const config =
      leaf(plugin, in, "config", "Show or change a plugin's settings", show_or_unset);
  required(config, in, "id", args->id, "Plugin id", Completes::kPlugin);
  auto* const set = leaf(*config, in, "set", "Save a value; `-` reads a secret from standard input",
                         [args](Context& c) {
                           args->change.value = args->value;
                           return pluginConfig(c, args->id, args->change);
                         });
  required(set, in, "key", args->change.key, "Setting", Completes::kPluginSetting);
  freeText(set, in, "value", args->value, "Text, number, true or false",
           Completes::kPluginSettingValue)
      ->required();
  required(leaf(*config, in, "unset", "Go back to the default", show_or_unset), in, "key",
           args->change.key, "Setting", Completes::kPluginSetting);
}

/// Everything behind the id belongs to the plugin, flags included.
void addRun(CLI::App& plugin, Invocation& in) {
  auto* const run =
      plugin.add_subcommand("run", "Run a plugin's command by plugin id: run <id> [args…]");
  run->fallthrough(false)->prefix_command();
  run->callback([&in, run] {
    auto words = run->remaining();
    if (words.empty()) {
      throw CLI::RequiredError("id");
    }
    in.action = [words](Context& c) {
      return runPlugin(c, words.front(), Words(words.begin() + 1, words.end()));
    };
  });
}

}  // namespace

void addPlugin(CLI::App& app, Invocation& in) {
  auto& plugin = group(app, "plugin", "Install, list and control plugins");
  addPluginAuthoring(plugin, in);
  heading(plugin, in, "Write your own");
  addPluginSources(plugin, in);
  heading(plugin, in, "Install and update");
  addLifecycle(plugin, in);
  addRemove(plugin, in);
  addToken(plugin, in);
  addSafeMode(plugin, in);
  addConfig(plugin, in);
  heading(plugin, in, "Manage");
  addPluginTools(plugin, in);
  addRun(plugin, in);
  heading(plugin, in, "Call and look into");
}

}  // namespace svc::client
