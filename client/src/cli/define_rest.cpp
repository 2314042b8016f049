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

}  // namespace

void addRest(CLI::App& app, Invocation& in) {
  leaf(app, in, "status", "Show the server, its modules and plugins", status);
  leaf(app, in, "open", "Print a link that opens the window in a browser", openWindow);
  leaf(app, in, "doctor", "Find and explain what is wrong with this installation", doctor);
  addBackup(app, in);
  leaf(app, in, "version", "Print the version", printVersion);
  auto shell = std::make_shared<std::string>();
  oneOf(in,
        required(leaf(app, in, "completion", "Print a completion script for a shell",
                      [shell](Context& c) { return completion(c, *shell); }),
                 in, "shell", *shell, "bash, zsh or fish"),
        {"bash", "zsh", "fish"});
}

}  // namespace svc::client
