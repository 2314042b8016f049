#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc::cli {

/// One plugin command as callers see it.
struct Command {
  /// What it can be told to do, for help.
  struct Entry {
    std::string name;
    std::string summary;
    std::string usage;
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  std::string plugin_id;
  std::string name;
  std::string summary;
  std::vector<Entry> commands;
  bool renders_help = false;
  /// Another owner has the name: only the plugin's id leads to this command.
  bool shadowed = false;
  friend bool operator==(const Command&, const Command&) = default;
};

/// One run of a plugin's command.
struct CommandRun {
  std::string plugin_id;
  std::vector<std::string> argv;
  std::optional<std::string> cwd{};
  std::optional<std::string> thread_id{};
  std::optional<std::string> project_id{};
};

struct CommandOutcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

/// The commands that loaded plugins add to `svc`.
class ICommands {
 public:
  static constexpr ServiceId kId{"svc.cli.Commands", 1};
  virtual ~ICommands() = default;
  /// Ascending by plugin id. Main thread.
  [[nodiscard]] virtual std::vector<Command> list() = 0;
  /// As the route of the command line does it, lim.cliRun included. Any thread may call; fires on the script or the main thread. A
  /// plugin that is not there or has no command, and a run that fails, are errors; a command that exits with a code is not.
  virtual void run(CommandRun run, std::stop_token stop, Completion<CommandOutcome> done) = 0;
  /// The list is not what it was. Main thread.
  [[nodiscard]] virtual Handle onChanged(std::function<void()> listener) = 0;
};

}  // namespace svc::cli
