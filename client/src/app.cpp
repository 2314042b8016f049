#include "app.h"

#include <algorithm>
#include <cerrno>
#include <ostream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/common/json.h"
#include "svc/common/utf8.h"

#include "cli/definition.h"
#include "cli/help.h"
#include "commands/commands.h"
#include "complete.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

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

/// The first option of the line that neither the command nor one of its groups knows.
std::optional<std::string> unknownOption(const CLI::App& command, const Words& arguments) {
  for (const auto& word : arguments) {
    if (word == "--") {
      break;
    }
    const auto name = word.substr(0, word.find('='));
    if (name.size() < 2 || name.front() != '-' || name == "--help" || name == "-h") {
      continue;
    }
    // Flags of one letter may be written together.
    const bool letters = name[1] != '-';
    const auto* group = &command;
    const auto wanted = letters ? name.substr(0, 2) : name;
    while (group != nullptr && group->get_option_no_throw(wanted) == nullptr) {
      group = group->get_parent();
    }
    if (group == nullptr) {
      return name;
    }
  }
  return std::nullopt;
}

int reportUnknownOption(const Console& console, const CLI::App& command, const std::string& name) {
  Words names{"--help"};
  for (const auto* group = &command; group != nullptr; group = group->get_parent()) {
    for (const auto* const option : group->get_options({})) {
      for (const auto& long_name : option->get_lnames()) {
        names.push_back("--" + long_name);
      }
    }
  }
  const auto line = commandLine(command);
  const auto nearest = name.starts_with("--") ? nearestName(name, names) : std::nullopt;
  console.fail(
      Error{codes::kUsage, fmt::format("unknown option \"{}\" of `{}`", name, line)},
      nearest ? fmt::format("did you mean {}?", *nearest) : fmt::format("see `{} --help`", line));
  return kExitUsage;
}

void printHelp(const Console& console, const CLI::App& command, const Invocation& in) {
  auto info = readCommands(command, in);
  info.notes = command.get_footer();
  console.out << helpText(info, console.columns);
}

/// `svc plugin` alone: whoever types it wants to know what there is. A script that asks for an envelope has made a mistake.
bool isGroupAlone(const Console& console, const CLI::App& command, const Words& arguments) {
  return command.get_require_subcommand_min() > 0 && !console.json && !arguments.empty() &&
         arguments.back() == command.get_name();
}

int reportParseError(const Console& console, const CLI::App& app, const Invocation& in,
                     const Words& arguments, const CLI::ParseError& error) {
  const auto& command = chosen(app);
  if (isGroupAlone(console, command, arguments)) {
    printHelp(console, command, in);
    return kExitOk;
  }
  const auto at = std::find(arguments.begin(), arguments.end(), command.get_name());
  if (command.get_require_subcommand_min() > 0 && at != arguments.end() &&
      at + 1 != arguments.end() && !(at + 1)->starts_with("-")) {
    return unknownSubcommand(console, command, *(at + 1));
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    if (const auto option = unknownOption(command, arguments)) {
      return reportUnknownOption(console, command, *option);
    }
  }
  return usageError(console, app, error.what());
}

/// Parses; an exit code instead of an invocation when there is nothing to run.
std::optional<int> parse(CLI::App& app, const Invocation& in, const Words& arguments,
                         const Console& console) {
  try {
    app.parse(Words(arguments.rbegin(), arguments.rend()));
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    printHelp(console, chosen(app), in);
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    return reportParseError(console, app, in, arguments, error);
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
  if (const auto ended = parse(app, in, arguments, context.console)) {
    return *ended;
  }
  apply(in, context);
  if (in.version) {
    return printVersion(context);
  }
  if (!in.action) {
    if (context.console.out_terminal && !context.console.json) {
      return overview(context);
    }
    printHelp(context.console, app, in);
    return kExitOk;
  }
  return in.action(context);
}

/// A caller that reads an empty file must not take it for the answer.
int checkOutput(const Console& console, int code) {
  errno = 0;
  console.out.flush();
  if (console.out.good()) {
    return code;
  }
  const auto reason = errno == 0 ? std::string() : ": " + std::generic_category().message(errno);
  console.complain("the output could not be written" + reason);
  return code == kExitOk ? static_cast<int>(kExitFailure) : code;
}

/// All that is sent is JSON, which has no other bytes: a name or a value would become another one.
int refuseOtherEncodings(const Console& console, const Words& arguments) {
  const auto found = std::find_if_not(arguments.begin(), arguments.end(), common::isUtf8);
  if (found == arguments.end()) {
    return kExitOk;
  }
  console.fail(Error{codes::kUsage, fmt::format("the argument \"{}\" is not UTF-8",
                                                oneLine(common::replaceInvalidUtf8(*found)))});
  return kExitUsage;
}

int runLine(Context& context, std::vector<std::string> arguments) {
  Invocation in;
  CLI::App app(programDescription());
  if (!arguments.empty() && arguments.front() == kCompleteCommand) {
    arguments.erase(arguments.begin());
    defineCommands(app, in);
    return printCandidates(context, app, in, arguments);
  }
  // Usage errors must know about --json before the line is understood.
  context.console.json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  if (const int refused = refuseOtherEncodings(context.console, arguments); refused != kExitOk) {
    return refused;
  }

  const auto at = firstWord(arguments);
  if (at + 1 < arguments.size() && arguments[at] == "--") {
    arguments.erase(arguments.begin() + static_cast<Words::difference_type>(at));
  }
  if (at < arguments.size() && arguments[at] == "help") {
    arguments = helpAsFlag(std::move(arguments), at);
  }
  const auto first = at < arguments.size() ? arguments[at] : std::string();
  defineCommands(app, in, first.starts_with("-") ? std::string() : first);
  if (at < arguments.size() && arguments[at] == "server") {
    dropSeparator(arguments);
  }
  if (at == arguments.size() || arguments[at].starts_with("-") || isAvailable(app, arguments[at])) {
    return runParsed(context, app, in, arguments);
  }
  const auto name = arguments[at];
  const auto word = arguments.begin() + static_cast<Words::difference_type>(at);
  const Words argv(word + 1, arguments.end());
  if (const auto ended = parse(app, in, Words(arguments.begin(), word), context.console)) {
    return *ended;
  }
  apply(in, context);
  return dispatchCommand(context, name, argv);
}

}  // namespace

int run(Context& context, std::vector<std::string> arguments) {
  context.console.began_ms = context.now();
  const int code = runLine(context, std::move(arguments));
  return checkOutput(context.console, code);
}

}  // namespace svc::client
