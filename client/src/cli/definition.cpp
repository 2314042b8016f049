#include "cli/definition.h"

#include <algorithm>
#include <initializer_list>
#include <ostream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/common/shown_text.h"

#include "exit_code.h"

namespace svc::client {
namespace {

constexpr const char* kFooter =
    "\nFirst steps:\n"
    "  svc up                            start the server and open its window\n"
    "  svc plugin install todo@examples  a plugin to try\n"
    "  svc plugin new hello              a plugin of your own\n\n"
    "Every other name is a plugin's command: `svc <name> …`, `svc <name> --help`; `svc plugin "
    "list` "
    "shows them.\n\n"
    "Exit codes: 0 ok, 1 failure, 2 usage, 3 not found, 4 refused, 5 incompatible, 69 no server. "
    "`svc manual cli` is the manual.";

void addGlobals(CLI::App& app, Invocation& in) {
  app.add_option("--server", in.choice.server,
                 "Address of the server (default: SVC_SERVER_URL, then server.json)")
      ->type_name("URL");
  completes(
      in,
      app.add_option("--data-dir", in.choice.data_dir, "Data directory of the server to look for")
          ->type_name("DIR"),
      Completes::kDirectory);
  app.add_flag("--json", in.json, "Print the response envelope");
  app.add_flag("--no-color", in.no_color, "No colours");
  app.add_flag("--version", in.version, "Print the version");
}

/// What one function adds at the top of the tree.
struct Group {
  std::initializer_list<std::string_view> names;
  void (*add)(CLI::App& app, Invocation& in);
  /// For those of its commands that name none.
  std::string_view heading;
};

/// In the order of --help.
const Group kGroups[] = {
    {{"plugin"}, addPlugin, "Plugins"},
    {{"marketplace"}, addMarketplace, "Plugins"},
    {{"machine"}, addMachine, "Machines"},
    {{"file"}, addFile, "Machines"},
    {{"terminal"}, addTerminal, "Machines"},
    {{"mcp"}, addMcp, "Agents"},
    {{"skill"}, addSkill, "Agents"},
    {{"project"}, addProject, "Agents"},
    {{"environment"}, addEnvironment, "Agents"},
    {{"thread"}, addThread, "Agents"},
    {{"provider"}, addProvider, "Agents"},
    {{"server"}, addServer, "Server"},
    {{"settings"}, addSettings, "Server"},
    {{"up", "status", "open", "manual", "doctor", "backup", "restore", "version", "completion"},
     addRest,
     "Help"},
};

bool defines(const Group& group, std::string_view word) {
  return std::find(group.names.begin(), group.names.end(), word) != group.names.end();
}

}  // namespace

CLI::App& group(CLI::App& parent, const char* name, const char* help) {
  auto& made = *parent.add_subcommand(name, help)->require_subcommand(1);
  made.fallthrough();
  return made;
}

void heading(const CLI::App& parent, Invocation& in, std::string_view text) {
  for (const auto* const command : parent.get_subcommands({})) {
    in.headings.emplace(command, text);
  }
}

CLI::App* leaf(CLI::App& parent, Invocation& in, const char* name, const char* help,
               Action action) {
  auto* const command = parent.add_subcommand(name, help);
  command->fallthrough();
  command->callback([&in, command, action = std::move(action)] {
    // It runs behind the callback of a subcommand, which has chosen the action already.
    if (command->get_subcommands().empty()) {
      in.action = action;
    }
  });
  return command;
}

CLI::App* passing(CLI::App& parent, Invocation& in, const char* name, const char* help,
                  std::function<int(Context&, const Words&)> action) {
  auto* const command = parent.add_subcommand(name, help);
  command->fallthrough(false)->prefix_command();
  command->callback([&in, command, action = std::move(action)] {
    in.action = [words = command->remaining(), action](Context& c) { return action(c, words); };
  });
  return command;
}

CLI::Option* freeText(CLI::App* command, Invocation& in, const char* name, std::string& value,
                      const char* help, Completes what) {
  auto* const option = command->add_option(name, value, help)->type_name("");
  completes(in, option, what);
  return option;
}

CLI::Option* argument(CLI::App* command, Invocation& in, const char* name, std::string& value,
                      const char* help, Completes what) {
  return notEmpty(freeText(command, in, name, value, help, what));
}

CLI::Option* notEmpty(CLI::Option* option) {
  // An empty word is a shell variable that was never set: it names nothing, least of all this directory or all plugins.
  return option->check([](const std::string& word) {
    return word.empty() ? std::string("must not be empty") : std::string();
  });
}

CLI::Option* required(CLI::App* command, Invocation& in, const char* name, std::string& value,
                      const char* help, Completes what) {
  return argument(command, in, name, value, help, what)->required();
}

void oneOf(Invocation& in, CLI::Option* option, Words words) {
  option->check(CLI::IsMember(words));
  in.hints[option] = {Completes::kWords, std::move(words)};
}

void completes(Invocation& in, CLI::Option* option, Completes what) {
  in.hints[option] = {what, {}};
}

void isName(CLI::Option* option, std::size_t characters) {
  option->check([characters](const std::string& name) {
    const auto length = common::countCharacters(name);
    return length > characters
               ? fmt::format("it has {} characters, at most {} are allowed", length, characters)
               : common::oddCharacterOf(name).value_or(std::string());
  });
}

void examples(CLI::App* command, std::initializer_list<Example> shown) {
  std::size_t width = 0;
  for (const auto& example : shown) {
    width = std::max(width, example.line.size());
  }
  std::string text = "\nExamples:";
  for (const auto& example : shown) {
    text += fmt::format("\n  {:<{}}  {}", example.line, width, example.meaning);
  }
  command->footer(text);
}

CLI::App* pluginLeaf(CLI::App& parent, Invocation& in, const char* name, const char* help,
                     std::function<int(Context&, const std::string& id)> action) {
  auto id = std::make_shared<std::string>();
  auto* const command = leaf(parent, in, name, help, [id, action = std::move(action)](Context& c) {
    return action(c, *id);
  });
  required(command, in, "id", *id, "Plugin id", Completes::kPlugin);
  return command;
}

void defineCommands(CLI::App& app, Invocation& in, const std::string& word) {
  app.name("svc");
  addGlobals(app, in);
  app.require_subcommand(0, 1);
  for (const auto& group : kGroups) {
    if (word.empty() || defines(group, word)) {
      group.add(app, in);
      heading(app, in, group.heading);
    }
  }
  // Last, because subcommands take over the footer that is there when they are made.
  app.footer(kFooter);
}

const char* programDescription() {
  return "Controls a plugin host service and runs the commands of its plugins.";
}

std::string commandLine(const CLI::App& command) {
  const auto* const parent = command.get_parent();
  return parent == nullptr ? "svc" : commandLine(*parent) + " " + command.get_name();
}

int printVersion(Context& context) {
  if (context.console.json) {
    context.console.out << "{\"ok\":true,\"version\":\"" SVC_VERSION "\"}\n";
  } else {
    context.console.out << "svc " SVC_VERSION "\n";
  }
  return kExitOk;
}

}  // namespace svc::client
