#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "dispatch.h"

/// The command line is declared once, as CLI11 applications: parsing, --help, completions, the manual pages and
/// docs/cli.md are all read from that tree. A group has a file define_<group>.cpp.
namespace svc::client {

using Action = std::function<int(Context&)>;
using Words = std::vector<std::string>;

/// What completes the value of an argument.
enum class Completes : std::uint8_t {
  kNothing,
  kWords,
  kPlugin,
  /// A directory, or an entry of a marketplace.
  kPackage,
  kExample,
  kComponent,
  // Of the plugin that is the first argument of the line:
  kPluginSetting,
  kPluginSettingValue,
  kMethod,
  kTool,
  // Of the server's configuration:
  kSetting,
  kSettingValue,
  kJob,
  kMarketplace,
  kHost,
  kProject,
  kEnvironment,
  kThread,
  kProvider,
  kFile,
  kDirectory
};

/// What the parser fills in. Arguments of a command live in a shared_ptr that its action captures.
struct Invocation {
  ServerChoice choice;
  bool json = false;
  bool no_color = false;
  bool version = false;
  Action action;

  struct Hint {
    Completes what = Completes::kNothing;
    Words words;
  };
  std::map<const CLI::Option*, Hint> hints;
  /// What a command stands below in the help of its group.
  std::map<const CLI::App*, std::string_view> headings;
};

/// A group: a command that only holds others.
[[nodiscard]] CLI::App& group(CLI::App& parent, const char* name, const char* help);
/// The commands of `parent` that have no heading yet stand below this one in its help.
void heading(const CLI::App& parent, Invocation& in, std::string_view text);
/// A command that runs `action`. Global flags are accepted behind it too.
CLI::App* leaf(CLI::App& parent, Invocation& in, const char* name, const char* help, Action action);
/// A command whose words all go to `action` as they are, flags included.
CLI::App* passing(CLI::App& parent, Invocation& in, const char* name, const char* help,
                  std::function<int(Context&, const Words&)> action);

/// A positional argument that may be empty.
CLI::Option* freeText(CLI::App* command, Invocation& in, const char* name, std::string& value,
                      const char* help, Completes what = Completes::kNothing);
/// A positional argument; an empty one is wrong usage.
CLI::Option* argument(CLI::App* command, Invocation& in, const char* name, std::string& value,
                      const char* help, Completes what = Completes::kNothing);
/// As argument(), and it has to be there.
CLI::Option* required(CLI::App* command, Invocation& in, const char* name, std::string& value,
                      const char* help, Completes what = Completes::kNothing);
/// The option refuses an empty value.
CLI::Option* notEmpty(CLI::Option* option);
/// Only these words, which complete.
void oneOf(Invocation& in, CLI::Option* option, Words words);
/// The value of an option completes so.
void completes(Invocation& in, CLI::Option* option, Completes what);

/// The value is a name as the server takes it: so many characters at most, none of them a control character.
void isName(CLI::Option* option, std::size_t characters);

/// A line to type, and what comes of it.
struct Example {
  std::string_view line;
  std::string_view meaning;
};
/// Shows these lines at the end of a command's help, in its manual page and in docs/cli.md.
void examples(CLI::App* command, std::initializer_list<Example> shown);

/// A command with the one argument every plugin command has.
CLI::App* pluginLeaf(CLI::App& parent, Invocation& in, const char* name, const char* help,
                     std::function<int(Context&, const std::string& id)> action);

// The groups, in the order of --help.
void addPlugin(CLI::App& app, Invocation& in);
void addPluginAuthoring(CLI::App& plugin,
                        Invocation& in);                  ///< new, examples, add, dev, build, types
void addPluginSources(CLI::App& plugin, Invocation& in);  ///< installs and updates
void addPluginTools(CLI::App& plugin, Invocation& in);    ///< looking into plugins
void addMarketplace(CLI::App& app, Invocation& in);
void addMachine(CLI::App& app, Invocation& in);
void addMcp(CLI::App& app, Invocation& in);
void addSkill(CLI::App& app, Invocation& in);
void addProject(CLI::App& app, Invocation& in);
void addEnvironment(CLI::App& app, Invocation& in);
void addThread(CLI::App& app, Invocation& in);
void addProvider(CLI::App& app, Invocation& in);
void addFile(CLI::App& app, Invocation& in);
void addTerminal(CLI::App& app, Invocation& in);
void addServer(CLI::App& app, Invocation& in);
void addSettings(CLI::App& app, Invocation& in);
void addRest(CLI::App& app, Invocation& in);

/// The global flags and everything above; with the first word of a line only what that word can mean (nothing for the
/// command of a plugin), because making all takes longer than most commands run.
void defineCommands(CLI::App& app, Invocation& in, const std::string& word = {});
/// `description` of the program, for CLI::App.
[[nodiscard]] const char* programDescription();
/// "svc plugin list" for the command.
[[nodiscard]] std::string commandLine(const CLI::App& command);

[[nodiscard]] int printVersion(Context& context);

}  // namespace svc::client
