#include "cli/definition.h"
#include "commands/commands.h"

namespace svc::client {
namespace {

void addBackup(CLI::App& app, Invocation& in) {
  auto backup = std::make_shared<BackupOptions>();
  auto* const save = leaf(app, in, "backup", "Write everything the server keeps to one file",
                          [backup](Context& c) { return backupTo(c, *backup); });
  required(save, in, "file", backup->file, "File to write", Completes::kFile);
  save->add_flag("--force", backup->force, "Replace a file that exists");
  auto restore = std::make_shared<RestoreOptions>();
  auto* const load = leaf(app, in, "restore", "Replace everything the server keeps by a backup",
                          [restore](Context& c) { return restoreFrom(c, *restore); });
  required(load, in, "file", restore->file, "File written by `svc backup`", Completes::kFile);
  load->add_flag("--yes,-y", restore->yes, "Do not ask");
}

/// A command that ends with the window, in a browser where there is one.
void addWindow(CLI::App& app, Invocation& in, const char* name, const char* help,
               int (*run)(Context& context, bool may_open), std::initializer_list<Example> shown) {
  auto prints = std::make_shared<bool>(false);
  auto* const command =
      leaf(app, in, name, help, [prints, run](Context& c) { return run(c, !*prints); });
  command->add_flag("--no-open", *prints, "Print the link of the window, start no browser");
  examples(command, shown);
}

}  // namespace

void addRest(CLI::App& app, Invocation& in) {
  addWindow(app, in, "up", "Start the server of this machine if none runs, and open its window", up,
            {{"svc up", "the first command of a day: server, plugins, window"},
             {"svc up --no-open", "prints a link in place of starting a browser"},
             {"svc --data-dir /srv/svc up", "the server of another data directory"}});
  leaf(app, in, "status", "Show the server, its modules and plugins", status);
  addWindow(app, in, "open", "Open the window in a browser, or print a link to it", openWindow,
            {{"svc open", "in the browser of this desktop"},
             {"svc open --no-open", "a link, good once, for five minutes"}});
  auto fixes = std::make_shared<bool>(false);
  auto* const found =
      leaf(app, in, "doctor", "Find and explain what is wrong with this installation",
           [fixes](Context& c) { return doctor(c, *fixes); });
  found->add_flag("--fix", *fixes,
                  "Repair what needs no decision: modes of the data directory, a file of a server "
                  "that ended");
  addBackup(app, in);
  heading(app, in, "Server");
  auto docs = std::make_shared<DocsOptions>();
  auto* const pages = leaf(app, in, "manual", "Print where the documentation is, or one page of it",
                           [docs](Context& c) { return showDocs(c, *docs); });
  argument(pages, in, "page", docs->page, "Page to print, such as rpc or guide/rpc");
  pages->add_flag("--list", docs->list, "Print the list of all pages");
  leaf(app, in, "version", "Print the version", printVersion);
  auto shell = std::make_shared<std::string>();
  oneOf(in,
        required(leaf(app, in, "completion", "Print a completion script for a shell",
                      [shell](Context& c) { return completion(c, *shell); }),
                 in, "shell", *shell, "bash, zsh or fish"),
        {"bash", "zsh", "fish"});
}

}  // namespace svc::client
