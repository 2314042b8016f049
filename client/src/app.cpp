#include "app.h"

#include <algorithm>
#include <functional>
#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands/commands.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using Action = std::function<int(Context&)>;
using Words = std::vector<std::string>;

/// What the parser fills in.
struct Invocation {
  ServerChoice choice;
  bool json = false;
  bool no_color = false;
  bool version = false;
  Action action;

  // Arguments of the commands; one command runs per process, so they may share.
  std::string id;
  std::string source;
  std::string shell;
  std::string safe_mode;
  bool yes = false;
  bool purge = false;
  bool rotate = false;
  std::string value;
  ConfigChange config;
  LogOptions logs;
  TopOptions top;
  std::string method;
  RpcInput rpc;
};

constexpr std::string_view kFooter =
    "\nPlugin commands: `svc <name> …`, `svc <name> --help`; `svc plugin list` shows them.\n"
    "Exit codes: 0 ok, 1 failure, 2 usage, 3 not found, 4 refused, 5 incompatible, 69 no server.";

void addGlobals(CLI::App& app, Invocation& in) {
  app.add_option("--server", in.choice.server,
                 "Address of the server (default: SVC_SERVER_URL, then server.json)")
      ->type_name("URL");
  app.add_option("--data-dir", in.choice.data_dir, "Data directory of the server to look for")
      ->type_name("DIR");
  app.add_flag("--json", in.json, "Print the response envelope");
  app.add_flag("--no-color", in.no_color, "No colours");
  app.add_flag("--version", in.version, "Print the version");
}

/// A subcommand that runs `action`. Global flags are accepted behind it too.
CLI::App* leaf(CLI::App& parent, Invocation& in, const char* name, const char* help,
               Action action) {
  auto* const command = parent.add_subcommand(name, help);
  command->fallthrough();
  command->callback([&in, action = std::move(action)] { in.action = action; });
  return command;
}

void requireId(CLI::App* command, Invocation& in) {
  command->add_option("id", in.id, "Plugin id")->required()->type_name("");
}

void addLogOptions(CLI::App* command, Invocation& in) {
  command->add_option("-n,--lines", in.logs.lines, "Newest lines to show")
      ->check(CLI::Range(1, 10'000))
      ->type_name("N");
  command->add_flag("-f,--follow", in.logs.follow, "Keep showing new lines");
}

void addPluginRpc(CLI::App& plugin, Invocation& in) {
  auto& rpc = *plugin.add_subcommand("rpc", "Call the methods of plugins")->require_subcommand(1);
  rpc.fallthrough();
  leaf(rpc, in, "list", "Show published methods",
       [&in](Context& c) { return pluginRpcList(c, in.id); })
      ->add_option("id", in.id, "Plugin id")
      ->type_name("");
  auto* const inspect = leaf(rpc, in, "inspect", "Show the schemas of published methods",
                             [&in](Context& c) { return pluginRpcInspect(c, in.id, in.method); });
  requireId(inspect, in);
  inspect->add_option("method", in.method, "Method")->type_name("");
  auto* const call = leaf(rpc, in, "call", "Call a method and print its result as JSON",
                          [&in](Context& c) { return pluginRpcCall(c, in.id, in.method, in.rpc); });
  requireId(call, in);
  call->add_option("method", in.method, "Method")->required()->type_name("");
  auto* const input =
      call->add_option("input", in.rpc.json, "Input as JSON; none when left out")->type_name("");
  call->add_option("--input-file", in.rpc.file, "Read the input from a file")
      ->type_name("FILE")
      ->excludes(input);
}

void addConfig(CLI::App& plugin, Invocation& in) {
  const auto show_or_unset = [&in](Context& c) { return pluginConfig(c, in.id, in.config); };
  auto* const config =
      leaf(plugin, in, "config", "Show or change a plugin's settings", show_or_unset);
  // It runs behind the callback of a subcommand, which has chosen the action already.
  config->callback([&in, config, show_or_unset] {
    if (config->get_subcommands().empty()) {
      in.action = show_or_unset;
    }
  });
  requireId(config, in);
  auto* const set = leaf(*config, in, "set", "Save a value; `-` reads a secret from standard input",
                         [&in](Context& c) {
                           in.config.value = in.value;
                           return pluginConfig(c, in.id, in.config);
                         });
  set->add_option("key", in.config.key, "Setting")->required()->type_name("");
  set->add_option("value", in.value, "Text, number, true or false")->required()->type_name("");
  leaf(*config, in, "unset", "Go back to the default", show_or_unset)
      ->add_option("key", in.config.key, "Setting")
      ->required()
      ->type_name("");
}

void addTop(CLI::App& plugin, Invocation& in) {
  auto* const top = leaf(plugin, in, "top", "Show what each plugin uses, again and again",
                         [&in](Context& c) { return pluginTop(c, in.top); });
  auto* const once = top->add_flag("--once", in.top.once, "Show it once");
  constexpr int kLongest = 3600;
  top->add_option("--interval", in.top.interval, "Seconds between two looks (default: 2)")
      ->check(CLI::Range(1, kLongest))
      ->type_name("S")
      ->excludes(once);
}

void addPlugin(CLI::App& app, Invocation& in) {
  auto& plugin =
      *app.add_subcommand("plugin", "Install, list and control plugins")->require_subcommand(1);
  plugin.fallthrough();
  auto* const install = leaf(plugin, in, "install", "Install a plugin from a directory",
                             [&in](Context& c) { return pluginInstall(c, in.source, in.yes); });
  install->add_option("source", in.source, "./dir, /dir or path:<dir>")->required()->type_name("");
  install->add_flag("--yes,-y", in.yes, "Trust the plugin without asking");

  leaf(plugin, in, "list", "Show every plugin", pluginList);
  requireId(leaf(plugin, in, "show", "Show one plugin with its last error and counters",
                 [&in](Context& c) { return pluginShow(c, in.id); }),
            in);
  leaf(plugin, in, "reload", "Load a plugin (or all) again",
       [&in](Context& c) { return pluginReload(c, in.id); })
      ->add_option("id", in.id, "Plugin id")
      ->type_name("");
  requireId(leaf(plugin, in, "enable", "Let a plugin run",
                 [&in](Context& c) { return pluginEnable(c, in.id); }),
            in);
  requireId(leaf(plugin, in, "disable", "Stop a plugin and keep it stopped",
                 [&in](Context& c) { return pluginDisable(c, in.id); }),
            in);

  auto* const remove = leaf(
      plugin, in, "remove", "Remove a plugin; its stored data stays",
      [&in](Context& c) { return pluginRemove(c, in.id, {.purge = in.purge, .yes = in.yes}); });
  requireId(remove, in);
  remove->add_flag("--purge", in.purge, "Delete its stored data too");
  remove->add_flag("--yes,-y", in.yes, "Do not ask");

  auto* const token = leaf(plugin, in, "token",
                           "Print the token for a plugin's HTTP routes; made when there is none",
                           [&in](Context& c) { return pluginToken(c, in.id, in.rotate); });
  requireId(token, in);
  token->add_flag("--rotate", in.rotate, "Replace it; the old one stops working");

  leaf(plugin, in, "safe-mode", "Show, or turn on or off, that only bundled plugins run",
       [&in](Context& c) { return pluginSafeMode(c, in.safe_mode); })
      ->add_option("state", in.safe_mode, "on or off")
      ->check(CLI::IsMember({"on", "off"}))
      ->type_name("");

  addConfig(plugin, in);
  addTop(plugin, in);

  auto* const logs = leaf(plugin, in, "logs", "Show a plugin's log",
                          [&in](Context& c) { return pluginLogs(c, in.id, in.logs); });
  requireId(logs, in);
  addLogOptions(logs, in);
  logs->add_option("--level", in.logs.level, "Lowest level to show")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->type_name("LEVEL");

  addPluginRpc(plugin, in);

  // Everything behind the id belongs to the plugin, flags included.
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

void addServer(CLI::App& app, Invocation& in) {
  auto& server = *app.add_subcommand("server", "Start and stop the server of this machine")
                      ->require_subcommand(1);
  server.fallthrough();
  const auto with_arguments = [&](const char* name, const char* help,
                                  int (*action)(Context&, const Words&)) {
    auto* const command = server.add_subcommand(name, help);
    command->fallthrough(false)->prefix_command();
    command->callback([&in, command, action] {
      in.action = [words = command->remaining(), action](Context& c) { return action(c, words); };
    });
  };
  with_arguments("start", "Start svcd in the background; further arguments go to it", serverStart);
  with_arguments("restart", "Stop svcd and start it with the same arguments", serverRestart);
  leaf(server, in, "stop", "Stop the running svcd", serverStop);
  addLogOptions(leaf(server, in, "logs", "Show the server's log",
                     [&in](Context& c) { return serverLogs(c, in.logs); }),
                in);
}

int printVersion(Context& context) {
  if (context.console.json) {
    context.console.out << "{\"ok\":true,\"version\":\"" SVC_VERSION "\"}\n";
  } else {
    context.console.out << "svc " SVC_VERSION "\n";
  }
  return kExitOk;
}

void addRest(CLI::App& app, Invocation& in) {
  leaf(app, in, "status", "Show the server, its modules and plugins", status);
  leaf(app, in, "version", "Print the version", printVersion);
  leaf(app, in, "completion", "Print a completion script for a shell",
       [&in](Context& c) { return completion(c, in.shell); })
      ->add_option("shell", in.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("");
}

void defineCommands(CLI::App& app, Invocation& in) {
  addGlobals(app, in);
  app.require_subcommand(0, 1);
  addPlugin(app, in);
  addServer(app, in);
  addRest(app, in);
  // Last, because subcommands take over the footer that is there when they are made.
  app.footer(std::string(kFooter));
}

/// Index of the first word that is not a global flag or the value of one.
std::size_t firstWord(const Words& arguments) {
  std::size_t at = 0;
  while (at < arguments.size() && arguments[at].starts_with("-") && arguments[at] != "--") {
    at += arguments[at] == "--server" || arguments[at] == "--data-dir" ? 2 : 1;
  }
  return std::min(at, arguments.size());
}

/// The deepest subcommand chosen, for help and hints.
const CLI::App& chosen(const CLI::App& app) {
  const auto* current = &app;
  for (auto next = current->get_subcommands(); !next.empty(); next = current->get_subcommands()) {
    current = next.front();
  }
  return *current;
}

std::string commandLine(const CLI::App& command) {
  const auto* const parent = command.get_parent();
  return parent == nullptr ? "svc" : commandLine(*parent) + " " + command.get_name();
}

int usageError(const Console& console, const CLI::App& app, const std::string& message) {
  console.fail(Error{codes::kUsage, message},
               fmt::format("see `{} --help`", commandLine(chosen(app))));
  return kExitUsage;
}

/// A word where a subcommand belongs: names the nearest one.
int unknownSubcommand(const Console& console, const CLI::App& group, const std::string& word) {
  Words names;
  for (const auto* const command : group.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  const auto line = commandLine(group);
  const auto nearest = nearestName(word, names);
  console.fail(Error{codes::kUsage, fmt::format("unknown command \"{} {}\"", line, word)},
               nearest ? fmt::format("did you mean `{} {}`?", line, *nearest)
                       : fmt::format("see `{} --help`", line));
  return kExitUsage;
}

/// Parses; an exit code instead of an invocation when there is nothing to run.
std::optional<int> parse(CLI::App& app, Words arguments, const Console& console) {
  const auto original = arguments;
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(std::move(arguments));
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    const auto& command = chosen(app);
    const auto* const parent = command.get_parent();
    console.out << command.help(parent == nullptr ? "svc" : commandLine(*parent));
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    const auto& group = chosen(app);
    const auto at = std::find(original.begin(), original.end(), group.get_name());
    if (!group.get_subcommands({}).empty() && at != original.end() && at + 1 != original.end() &&
        !(at + 1)->starts_with("-")) {
      return unknownSubcommand(console, group, *(at + 1));
    }
    return usageError(console, app, error.what());
  }
}

/// `svc server start -- <words for svcd>`: the separator is allowed and means nothing here.
void dropSeparator(Words& arguments) {
  const auto found = std::find(arguments.begin(), arguments.end(), "--");
  if (found != arguments.end()) {
    arguments.erase(found);
  }
}

/// `svc help a b` is `svc a b --help`.
Words helpAsFlag(Words arguments, std::size_t at) {
  arguments.erase(arguments.begin() + static_cast<Words::difference_type>(at));
  arguments.emplace_back("--help");
  return arguments;
}

bool isAvailable(const CLI::App& app, const std::string& name) {
  const auto all = app.get_subcommands({});
  return std::any_of(all.begin(), all.end(),
                     [&](const CLI::App* command) { return command->get_name() == name; });
}

void apply(const Invocation& in, Context& context) {
  context.choice = in.choice;
  context.console.json = in.json;
  context.console.color = context.console.color && !in.no_color;
}

int runParsed(Context& context, CLI::App& app, Invocation& in, const Words& arguments) {
  if (const auto ended = parse(app, arguments, context.console)) {
    return *ended;
  }
  apply(in, context);
  if (in.version) {
    return printVersion(context);
  }
  if (!in.action) {
    context.console.out << app.help("svc");
    return kExitOk;
  }
  return in.action(context);
}

}  // namespace

int run(Context& context, std::vector<std::string> arguments) {
  Invocation in;
  CLI::App app("Controls a plugin host service and runs the commands of its plugins.");
  defineCommands(app, in);
  // Usage errors must know about --json before the line is understood.
  context.console.json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();

  auto at = firstWord(arguments);
  if (at < arguments.size() && arguments[at] == "help") {
    arguments = helpAsFlag(std::move(arguments), at);
  }
  if (at < arguments.size() && arguments[at] == "server") {
    dropSeparator(arguments);
  }
  if (at == arguments.size() || arguments[at].starts_with("-") || isAvailable(app, arguments[at])) {
    return runParsed(context, app, in, arguments);
  }
  const auto name = arguments[at];
  if (const auto& core = coreNames(); std::find(core.begin(), core.end(), name) != core.end()) {
    context.console.fail(
        Error{codes::kUsage, "\"" + name + "\" is reserved and not available in this version"},
        "a plugin's command of that name runs as `svc plugin run <id> …`");
    return kExitUsage;
  }
  const auto word = arguments.begin() + static_cast<Words::difference_type>(at);
  const Words argv(word + 1, arguments.end());
  if (const auto ended = parse(app, Words(arguments.begin(), word), context.console)) {
    return *ended;
  }
  apply(in, context);
  return dispatchCommand(context, name, argv);
}

}  // namespace svc::client
