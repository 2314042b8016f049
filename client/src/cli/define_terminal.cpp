#include "svc/common/limits/terminals.h"

#include "cli/definition.h"
#include "commands/commands.h"

namespace svc::client {
namespace {

using TerminalRun = int (*)(Context&, const TerminalOptions&);

struct TerminalCommand {
  CLI::App* app;
  std::shared_ptr<TerminalOptions> options;
};

TerminalCommand terminalCommand(CLI::App& terminal, Invocation& in, const char* name,
                                const char* help, TerminalRun run) {
  auto options = std::make_shared<TerminalOptions>();
  auto* const app =
      leaf(terminal, in, name, help, [options, run](Context& c) { return run(c, *options); });
  return {app, std::move(options)};
}

TerminalCommand ofOne(CLI::App& terminal, Invocation& in, const char* name, const char* help,
                      TerminalRun run) {
  auto made = terminalCommand(terminal, in, name, help, run);
  required(made.app, in, "terminal", made.options->id, "Id of a terminal, or the beginning of it");
  return made;
}

void hostOf(const TerminalCommand& made, Invocation& in, const char* help) {
  completes(in, made.app->add_option("--host", made.options->host, help)->type_name("HOST"),
            Completes::kHost);
}

}  // namespace

void addTerminal(CLI::App& app, Invocation& in) {
  auto& terminal = group(app, "terminal", "Terminals of machines");
  hostOf(terminalCommand(terminal, in, "list", "Show every terminal", terminalList), in,
         "Only those of a machine (name or id)");
  ofOne(terminal, in, "show", "Show a terminal", terminalShow);

  auto open =
      terminalCommand(terminal, in, "open", "Open a terminal and attach to it", terminalOpen);
  argument(open.app, in, "command", open.options->text,
           "What the user's shell runs there; without it the shell itself");
  hostOf(open, in, "Machine (name or id); without it the server's own");
  open.app->add_option("--cwd", open.options->cwd, "Directory there; without it the user's home")
      ->type_name("DIR");
  isName(
      open.app->add_option("--title", open.options->title, "What it is called")->type_name("TEXT"),
      limits::kTerminalTitle);
  open.app->add_flag("--detach,-d", open.options->detached,
                     "Print its id and leave it, as without a terminal");

  ofOne(terminal, in, "attach",
        "Work in a terminal; Ctrl-] leaves it running. Ends with the exit code of its program",
        terminalAttach);
  auto output = ofOne(terminal, in, "output", "Print what is kept of its output", terminalOutput);
  output.app->add_option("--tail", output.options->tail, "Only the last bytes")
      ->type_name("BYTES")
      ->check(CLI::Range(1, 1 << 30));
  auto send = ofOne(terminal, in, "send", "Type a line into a terminal", terminalSend);
  argument(send.app, in, "text", send.options->text,
           "The line; without it standard input as it is");
  send.app->add_flag("-n", send.options->plain, "Without the line break");
  auto close =
      ofOne(terminal, in, "close", "End a terminal in which only the shell runs", terminalClose);
  close.app->add_flag("--force,-f", close.options->force, "Whatever runs there, with all of it");
  auto rename = ofOne(terminal, in, "rename", "Give a terminal another title", terminalRename);
  isName(required(rename.app, in, "title", rename.options->title, "1 to 200 characters"),
         limits::kTerminalTitle);
  ofOne(terminal, in, "restart", "Open a shell in its place, then end it", terminalRestart);
}

}  // namespace svc::client
