#pragma once

#include <string>
#include <vector>

#include "cli/definition.h"

namespace svc::client {

/// An option or positional argument as declared.
struct OptionInfo {
  /// As typed, dashes included, the long name first; one name without dashes for a positional.
  Words names;
  /// What stands for its value in help; empty for a flag and a positional.
  std::string value;
  std::string help;
  bool positional = false;
  bool required = false;
  bool takes_value = false;
  Invocation::Hint hint;
};

/// A command as declared, with those below it. Hidden commands are left out.
struct CommandInfo {
  std::string line;  ///< "svc plugin list"
  std::string name;
  std::string help;
  std::string notes;
  /// What it stands below in the help of its group; empty = nothing in particular.
  std::string heading;
  /// Everything behind it goes somewhere else unparsed.
  bool passes_words = false;
  std::vector<OptionInfo> options;  ///< without --help
  std::vector<CommandInfo> commands;

  [[nodiscard]] const CommandInfo* command(std::string_view wanted) const;
  [[nodiscard]] const OptionInfo* option(std::string_view wanted) const;
  [[nodiscard]] std::vector<const OptionInfo*> positionals() const;
  /// "svc plugin install [options] <source>"
  [[nodiscard]] std::string synopsis() const;
};

[[nodiscard]] CommandInfo readCommands(const CLI::App& app, const Invocation& in);
/// The whole command line of this program.
[[nodiscard]] CommandInfo commandTree();

}  // namespace svc::client
