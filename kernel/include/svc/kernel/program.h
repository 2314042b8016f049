#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace svc::kernel {

struct ProgramOptions {
  std::filesystem::path
      executable;              ///< its folder's parent is the prefix everything else is found under
  std::string data_directory;  ///< empty = SVC_DATA_DIR, else the XDG default
  std::string config_file;     ///< empty = SVC_CONFIG, else the XDG default
  std::vector<std::pair<std::string, std::string>> flags;
  bool check_only = false;
  /// Print the configuration as one JSON object {configFile, dataDir, settings} and exit.
  bool print_config = false;
};

/// Runs the program to its end and returns the exit status: 0 after a clean stop, 1 when it could not start.
[[nodiscard]] int runProgram(const ProgramOptions& options);

}  // namespace svc::kernel
