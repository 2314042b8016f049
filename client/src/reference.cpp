#include "reference.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/base/text.h"

namespace svc::client {
namespace {

using Fact = std::pair<std::string_view, std::string_view>;

constexpr std::array<Fact, 9> kExitCodes{{
    {"0", "done"},
    {"1", "failed; of a reading command: something is not well"},
    {"2", "wrong usage"},
    {"3", "not found"},
    {"4", "refused: trust or deletion was not confirmed"},
    {"5", "incompatible"},
    {"69", "no server answers"},
    {"130", "interrupted"},
    {"other", "a plugin command's own code"},
}};

constexpr std::array<Fact, 7> kVariables{{
    {"SVC_SERVER_URL", "address of the server; `--server` comes first"},
    {"SVC_DATA_DIR",
     "data directory whose `server.json` names the server; `--data-dir` comes first"},
    {"SVC_THREAD_ID", "thread that a plugin's command runs for"},
    {"SVC_THREAD_TOKEN",
     "what `svc mcp` shows the server in the thread of an agent, which its tools then act for"},
    {"SVC_PROJECT_ID", "project that a plugin's command runs for"},
    {"SVC_PLUGIN_ID", "plugin whose child process this is; it is not waited for while it loads"},
    {"NO_COLOR", "when set and not empty, no colours"},
}};

/// "--output FILE, -o FILE", as typed.
std::string forms(const OptionInfo& option) {
  std::string text;
  for (const auto& name : option.names) {
    text += (text.empty() ? "" : ", ") + name + (option.value.empty() ? "" : " " + option.value);
  }
  return option.positional ? "<" + text + ">" : text;
}

// ---- Markdown -------------------------------------------------------------------------------------------------------

/// In a cell of a table, where `<id>` is not a tag and `|` does not end it.
std::string cell(std::string_view text) {
  std::string result;
  bool code = false;
  for (const char c : text) {
    code = c == '`' ? !code : code;
    result += c == '|' ? "\\|" : c == '<' && !code ? "&lt;" : std::string(1, c);
  }
  return result;
}

template <class Rows>
std::string table(const Rows& rows) {
  std::string text = "| | |\n|---|---|\n";
  for (const auto& [left, right] : rows) {
    text += fmt::format("| `{}` | {} |\n", left, cell(right));
  }
  return text + "\n";
}

std::string optionTable(const CommandInfo& command) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& option : command.options) {
    rows.emplace_back(forms(option), option.help);
  }
  return rows.empty() ? "" : table(rows);
}

/// Lines that are indented in a terminal are lines to type: a block of code.
std::string markdownNotes(std::string_view notes) {
  std::string text;
  bool code = false;
  for (std::size_t start = 0; start <= notes.size();) {
    const auto end = std::min(notes.find('\n', start), notes.size());
    auto line = notes.substr(start, end - start);
    if (line.starts_with("  ") != code) {
      code = !code;
      text += code ? "\n```sh\n" : "```\n\n";
    }
    line.remove_prefix(code ? 2 : 0);
    text.append(line).append("\n");
    start = end + 1;
  }
  return code ? text + "```\n" : text;
}

void appendCommand(std::string& text, const CommandInfo& command, std::size_t depth) {
  text +=
      fmt::format("{} {}\n\n{}.\n\n", std::string(depth, '#'), command.line, cell(command.help));
  if (command.commands.empty() || !command.options.empty()) {
    text += fmt::format("```\n{}\n```\n\n", command.synopsis());
  }
  text += optionTable(command);
  if (const auto notes = std::string(base::trimmed(command.notes, "\n")); !notes.empty()) {
    text += markdownNotes(notes) + "\n";
  }
  for (const auto& below : command.commands) {
    appendCommand(text, below, depth + 1);
  }
}

// ---- roff -----------------------------------------------------------------------------------------------------------

std::string roff(std::string_view text) {
  std::string result;
  bool line_start = true;
  bool code = false;
  for (const char c : text) {
    if (c == '`') {
      code = !code;
      result += code ? "\\fB" : "\\fR";
      continue;
    }
    if (line_start && (c == '.' || c == '\'')) {
      result += "\\&";
    }
    result += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    line_start = c == '\n';
  }
  return result;
}

std::string section(std::string_view title) { return fmt::format(".SH {}\n", title); }

template <class Rows>
std::string definitions(const Rows& rows) {
  std::string text;
  for (const auto& [left, right] : rows) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(left), roff(right));
  }
  return text;
}

std::string optionList(const CommandInfo& command) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& option : command.options) {
    rows.emplace_back(forms(option), option.help);
  }
  return definitions(rows);
}

std::string head(const std::string& name, const std::string& help, const std::string& version) {
  std::string title;
  for (const char c : name) {
    title += static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  }
  return fmt::format(R"(.TH {} 1 "" "svc {}" "Commands")", roff(title), version) +
         fmt::format("\n{}{} \\- {}\n", section("NAME"), roff(name), roff(help));
}

void appendManualCommand(std::string& text, const CommandInfo& command) {
  const bool runs = command.commands.empty() || !command.options.empty();
  if (runs) {
    text += fmt::format(".SS {}\n{}.\n", roff(command.synopsis()), roff(command.help));
    if (const auto notes = std::string(base::trimmed(command.notes, "\n")); !notes.empty()) {
      text += ".PP\n" + roff(notes) + "\n";
    }
    text += optionList(command);
  }
  for (const auto& below : command.commands) {
    appendManualCommand(text, below);
  }
}

std::string groupPage(const CommandInfo& group, const std::string& version) {
  auto text = head("svc-" + group.name, group.help, version);
  text += section("SYNOPSIS") + fmt::format("\\fB{}\\fR\n", roff(group.synopsis()));
  text += section("COMMANDS");
  for (const auto& command : group.commands) {
    appendManualCommand(text, command);
  }
  return text + section("SEE ALSO") + "\\fBsvc\\fR(1)\n";
}

}  // namespace

std::string markdownReference(const CommandInfo& root) {
  std::string text =
      "# Commands of svc\n\n"
      "Written from the definitions of the commands (`cmake --build build/dev --target "
      "svc_cli_reference`); a test compares the two. "
      "The same text is in the manual pages `svc(1)`, `svc-plugin(1)` and so on.\n\n"
      "Data goes to stdout, messages go to stderr. Tables are aligned on a terminal and separated "
      "by "
      "tabs in a pipe. With `--json` stdout carries the server's envelope (of `svc server logs` "
      "the lines of the log), also for failures. "
      "Questions "
      "are asked on a terminal only.\n\n";
  text += "## Everywhere\n\n```\n" + root.synopsis() + "\n```\n\n" + optionTable(root);
  text += "## Exit codes\n\n" + table(kExitCodes);
  text += "## Environment\n\n" + table(kVariables);
  for (const auto& command : root.commands) {
    appendCommand(text, command, 2);
  }
  text +=
      "## Commands of plugins\n\n"
      "Every other name belongs to a plugin: `svc <name> …` runs its command, `svc <name> --help` "
      "shows what it takes. `svc plugin run <id> …` reaches a command whose name is taken.\n";
  return text;
}

std::map<std::string, std::string> manualPages(const CommandInfo& root,
                                               const std::string& version) {
  std::map<std::string, std::string> pages;
  auto text = head("svc", root.help, version);
  text += section("SYNOPSIS") + fmt::format("\\fB{}\\fR\n", roff(root.synopsis()));
  text += section("OPTIONS") + optionList(root) + section("COMMANDS");
  std::string see_also;
  for (const auto& command : root.commands) {
    if (command.commands.empty()) {
      appendManualCommand(text, command);
      continue;
    }
    text += fmt::format(".SS {}\n{}. See \\fBsvc\\-{}\\fR(1).\n", roff(command.synopsis()),
                        roff(command.help), roff(command.name));
    see_also +=
        fmt::format(R"({}\fBsvc\-{}\fR(1))", see_also.empty() ? "" : ", ", roff(command.name));
    pages["svc-" + command.name + ".1"] = groupPage(command, version);
  }
  text += ".SS svc <name> [args\\[u2026]]\nRuns the command of a plugin.\n";
  text += section("EXIT STATUS") + definitions(kExitCodes);
  text += section("ENVIRONMENT") + definitions(kVariables);
  pages["svc.1"] = text + section("SEE ALSO") + see_also + "\n";
  return pages;
}

}  // namespace svc::client
