#include "cli/command_tree.h"

#include <algorithm>

namespace svc::client {
namespace {

/// "N:INT in [1 - 60]" is the name of the value and what its check says.
std::string valueName(const CLI::Option& option) {
  const auto type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

OptionInfo readOption(const CLI::Option& option, const Invocation& in) {
  OptionInfo info;
  info.positional = option.get_positional();
  info.required = option.get_required();
  info.help = option.get_description();
  info.takes_value = option.get_items_expected_max() > 0;
  if (info.positional) {
    info.names.push_back(option.get_name(true));
  } else {
    for (const auto& name : option.get_lnames()) {
      info.names.push_back("--" + name);
    }
    for (const auto& name : option.get_snames()) {
      info.names.push_back("-" + name);
    }
    info.value = info.takes_value ? valueName(option) : "";
  }
  if (const auto hint = in.hints.find(&option); hint != in.hints.end()) {
    info.hint = hint->second;
  }
  return info;
}

}  // namespace

const CommandInfo* CommandInfo::command(std::string_view wanted) const {
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [&](const auto& command) { return command.name == wanted; });
  return found == commands.end() ? nullptr : &*found;
}

const OptionInfo* CommandInfo::option(std::string_view wanted) const {
  const auto found = std::find_if(options.begin(), options.end(), [&](const OptionInfo& option) {
    return !option.positional &&
           std::find(option.names.begin(), option.names.end(), wanted) != option.names.end();
  });
  return found == options.end() ? nullptr : &*found;
}

std::vector<const OptionInfo*> CommandInfo::positionals() const {
  std::vector<const OptionInfo*> result;
  for (const auto& option : options) {
    if (option.positional) {
      result.push_back(&option);
    }
  }
  return result;
}

std::string CommandInfo::synopsis() const {
  auto text = line;
  if (std::any_of(options.begin(), options.end(),
                  [](const OptionInfo& option) { return !option.positional; })) {
    text += " [options]";
  }
  for (const auto* const positional : positionals()) {
    const auto& shown = positional->names.front();
    text += positional->required ? " <" + shown + ">" : " [" + shown + "]";
  }
  if (passes_words) {
    text += " [args…]";
  }
  if (!commands.empty()) {
    // A command that does something by itself as well, such as `plugin config <id>`.
    text += positionals().empty() ? " <command>" : " [command]";
  }
  return text;
}

CommandInfo readCommands(const CLI::App& app, const Invocation& in) {
  CommandInfo info;
  info.line = commandLine(app);
  info.name = app.get_name();
  info.help = app.get_description();
  if (const auto found = in.headings.find(&app); found != in.headings.end()) {
    info.heading = found->second;
  }
  info.passes_words = app.get_prefix_command();
  if (app.get_parent() != nullptr) {
    info.notes = app.get_footer();
  }
  for (const auto* const option : app.get_options({})) {
    if (option != app.get_help_ptr()) {
      info.options.push_back(readOption(*option, in));
    }
  }
  for (const auto* const command : app.get_subcommands({})) {
    info.commands.push_back(readCommands(*command, in));
  }
  return info;
}

CommandInfo commandTree() {
  Invocation in;
  CLI::App app(programDescription());
  defineCommands(app, in);
  return readCommands(app, in);
}

}  // namespace svc::client
