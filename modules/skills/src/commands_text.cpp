#include "commands_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "svc/common/limits/cli.h"

namespace svc::skills {
namespace {

constexpr std::string_view kHead =
    "---\n"
    "name: plugin-commands\n"
    "description: Commands that installed plugins add to the svc command line. Read this before "
    "you work with what a plugin manages.\n"
    "---\n"
    "\n"
    "# Plugin commands\n"
    "\n"
    "Run them in a shell. A command is executed on the server, wherever the shell is: paths in its "
    "arguments belong to "
    "the server, and what it does happens there.\n"
    "One command prints at most {} bytes; ask for less when it fails with "
    "plugin_cli_output_too_large.\n";

/// A registration may hold line breaks and other control characters; in a heading or a bullet they would end the line.
std::string oneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return text;
}

/// As oneLine(), for what stands between backticks.
std::string code(std::string text) {
  text = oneLine(std::move(text));
  std::replace(text.begin(), text.end(), '`', '\'');
  return text;
}

std::string dashed(std::string text) {
  text = oneLine(std::move(text));
  return text.empty() ? text : " — " + text;
}

std::string section(const cli::Command& command) {
  const auto explicit_form = "svc plugin run " + command.plugin_id;
  const auto form = command.shadowed ? explicit_form : "svc " + command.name;
  auto text = fmt::format("\n## {}{}\n\nPlugin `{}`. `{} --help` prints this usage again.", form,
                          dashed(command.summary), command.plugin_id, form);
  text += command.shadowed ? fmt::format(" Another command is called `svc {}`.", command.name)
                           : fmt::format(" Also reachable as `{} …`.", explicit_form);
  text += "\n";
  if (!command.commands.empty()) {
    text += "\n";
  }
  for (const auto& entry : command.commands) {
    text += fmt::format("- `{}`{}\n", code(entry.usage), dashed(entry.summary));
  }
  return text;
}

}  // namespace

std::string commandsText(const std::vector<cli::Command>& commands) {
  if (commands.empty()) {
    return {};
  }
  auto text = fmt::format(kHead, limits::kCliOutput);
  for (const auto& command : commands) {
    text += section(command);
  }
  return text;
}

}  // namespace svc::skills
