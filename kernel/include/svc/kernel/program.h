#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::kernel {

/// What a program is: the content of <prefix>/lib/svc/programs/<name>.json, so that one binary serves several roles.
struct ProgramDescription {
  std::vector<std::string> modules;  ///< the usual set
  std::string description = "Server of plugins";
  std::string config_file = "config.json";  ///< name in $XDG_CONFIG_HOME/svc
  std::string data_directory;               ///< below the default data directory; empty = itself
  std::string lock_file = "server.lock";    ///< name in the data directory
  std::string log_file = "server.log";      ///< name in logs/ of the data directory
  std::chrono::milliseconds drain{3000};    ///< bound of all modules' drains together
  bool listens = false;                     ///< offers --listen
  /// First words of the command line. One without modules is a flag of the usual set. One with modules is a program of its own,
  /// isolated from the user's settings: no configuration file, no SVC_* variables, no lock, no log file, warnings only.
  std::map<std::string, std::vector<std::string>> commands;
};

/// The description of the program with this executable; its folder's parent is the prefix.
[[nodiscard]] Result<ProgramDescription> readProgramDescription(
    const std::filesystem::path& executable);

struct ProgramOptions {
  std::filesystem::path
      executable;  ///< its folder's parent is the prefix everything else is found under
  ProgramDescription program;
  std::string data_directory;  ///< empty = SVC_DATA_DIR, else the XDG default
  std::string config_file;     ///< empty = SVC_CONFIG, else the XDG default
  std::string command;         ///< of those with modules; empty = none
  std::vector<std::pair<std::string, std::string>> flags;
  bool check_only = false;
  /// Print the configuration as one JSON object {configFile, dataDir, settings, problems} and exit.
  bool print_config = false;
};

/// Adds what the options of every program left over: a command as the first word, and `--key value`, `--key=value` or `--key` for
/// configuration keys. Keys are camelCase; a flag may be written --safe-mode as well.
[[nodiscard]] Status addArguments(const std::vector<std::string>& words, ProgramOptions& options);

/// Runs the program to its end and returns the exit status: 0 after a clean stop, 1 when it could not start or gave up.
[[nodiscard]] int runProgram(const ProgramOptions& options);

}  // namespace svc::kernel
