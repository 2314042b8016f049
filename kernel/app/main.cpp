// The program: reads the command line and hands over to the kernel. What the program is (its module set) stands in
// lib/svc/programs/<name>.json, so that one binary serves several roles.
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>

#include "svc/kernel/program.h"

namespace {

/// Keys are camelCase; a flag may be written --safe-mode as well.
std::string keyOf(const std::string& flag) {
  std::string key;
  bool upper = false;
  for (const char each : flag) {
    if (each == '-') {
      upper = true;
      continue;
    }
    const auto letter = static_cast<unsigned char>(each);
    key += upper ? static_cast<char>(std::toupper(letter)) : each;
    upper = false;
  }
  return key;
}

int run(int argc, char** argv) {
  const auto executable = std::filesystem::read_symlink("/proc/self/exe");
  svc::kernel::ProgramOptions options;
  options.executable = executable;

  CLI::App app{"Server of plugins", executable.filename().string()};
  std::string listen;
  std::string modules;
  app.add_option("--data-dir", options.data_directory,
                 "Directory of durable state [$XDG_DATA_HOME/svc]");
  app.add_option("--config", options.config_file,
                 "Configuration file [$XDG_CONFIG_HOME/svc/config.json]");
  app.add_option("--listen", listen,
                 "HOST:PORT to listen on; port 0 picks a free one [127.0.0.1:4700]");
  app.add_option("--modules", modules,
                 "Comma-separated modules to load instead of the default set");
  app.add_flag("--check", options.check_only,
               "Print the module graph, check the configuration, and exit");
  app.add_flag("--print-config", options.print_config,
               "Print every setting with its origin as JSON, and exit");
  app.set_version_flag("--version", executable.filename().string() + " " SVC_VERSION);
  app.footer(
      "Every configuration key is also a flag: --log.level=debug, --safe-mode. Keys: see "
      "docs/operations.md.");
  app.allow_extras();
  CLI11_PARSE(app, argc, argv);

  if (!modules.empty()) {
    options.flags.emplace_back("modules.set", modules);
  }
  if (!listen.empty()) {
    const auto colon = listen.rfind(':');
    if (colon == std::string::npos || colon + 1 == listen.size()) {
      std::cerr << app.get_name() << ": --listen expects HOST:PORT, got \"" << listen << "\"\n";
      return 2;
    }
    options.flags.emplace_back("listen.host", listen.substr(0, colon));
    options.flags.emplace_back("listen.port", listen.substr(colon + 1));
  }
  const auto extras = app.remaining();
  for (std::size_t at = 0; at < extras.size(); ++at) {
    const auto& word = extras[at];
    const auto equals = word.find('=');
    if (!word.starts_with("--")) {
      std::cerr << app.get_name() << ": unexpected argument \"" << word << "\"; see --help\n";
      return 2;
    }
    if (equals != std::string::npos) {
      options.flags.emplace_back(keyOf(word.substr(2, equals - 2)), word.substr(equals + 1));
    } else if (at + 1 < extras.size() && !extras[at + 1].starts_with("--")) {
      options.flags.emplace_back(keyOf(word.substr(2)), extras[at + 1]);
      ++at;
    } else {
      options.flags.emplace_back(keyOf(word.substr(2)), "true");
    }
  }
  return svc::kernel::runProgram(options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "cannot start: %s\n", failure.what());
    return 1;
  }
}
