#include "skill_text.h"

#include <fmt/format.h>

#include "svc/common/limits.h"

namespace svc::cli {
namespace {

constexpr std::string_view kHead =
    "---\n"
    "name: plugin-commands\n"
    "description: Commands that installed plugins add to the svc command line. Read this before "
    "you work with what a "
    "plugin manages.\n"
    "---\n"
    "\n"
    "# Plugin commands\n"
    "\n"
    "Run them in a shell. They execute on the server; `svc <command> --help` prints the usage "
    "again.\n";

/// A registration may hold line breaks; in a heading or a bullet they would end the line.
std::string oneLine(std::string text) {
  for (auto& character : text) {
    if (character == '\n' || character == '\r') {
      character = ' ';
    }
  }
  return text;
}

std::string section(const Command& command) {
  auto text = fmt::format("\n## svc {}\n\n",
                          command.shadowed ? "plugin run " + command.plugin_id : command.name);
  if (!command.summary.empty()) {
    text += oneLine(command.summary) + "\n\n";
  }
  if (!command.shadowed) {
    text += fmt::format("Also reachable as `svc plugin run {}`.\n\n", command.plugin_id);
  }
  for (const auto& entry : command.commands) {
    text += fmt::format("- `{}` — {}\n", oneLine(entry.usage), oneLine(entry.summary));
  }
  return text;
}

}  // namespace

std::string skillText(const std::vector<Command>& commands) {
  if (commands.empty()) {
    return {};
  }
  std::string text(kHead);
  for (const auto& command : commands) {
    text += section(command);
  }
  text += fmt::format(
      "\nOne command prints at most {} bytes; ask for less when it fails with "
      "plugin_cli_output_too_large.\n",
      limits::kCliOutput);
  return text;
}

}  // namespace svc::cli
