// The program: reads the command line and hands over to the kernel. What the program is (its module set) stands in
// lib/svc/programs/<name>.json, so that one binary serves several roles.
#include <dlfcn.h>
#include <linux/close_range.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>

#include "svc/kernel/program.h"

#ifdef SVC_LAUNCHED_COMMAND
#include "launch.h"
#endif

namespace {

constexpr int kExitUsage = 2;

std::string footer(const svc::kernel::ProgramDescription& program) {
  std::string text;
  for (const auto& [command, modules] : program.commands) {
    if (modules.empty()) {
      text += (text.empty() ? "Commands: " : ", ") + command;
    }
  }
  return text + (text.empty() ? "" : "\n") +
         "Every configuration key is also a flag: --log.level=debug, --safe-mode. Keys: see "
         "docs/operations.md.";
}

/// bin/<name>, also where this is lib/svc/programs/<name>.so in the runtime (cmake/node).
std::filesystem::path ownExecutable() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&ownExecutable), &info) != 0) {
    const std::filesystem::path file = info.dli_fname;
    if (file.extension() == ".so") {
      return file.parent_path().parent_path().parent_path().parent_path() / "bin" / file.stem();
    }
  }
  return std::filesystem::read_symlink("/proc/self/exe");
}

int run(int argc, char** argv) {
  // What whoever started this program left open is not for the programs that plugins start.
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  svc::kernel::ProgramOptions options;
  options.executable = ownExecutable();
  const auto name = options.executable.filename().string();
  auto program = svc::kernel::readProgramDescription(options.executable);
  if (!program) {
    std::cerr << name << ": " << program.error().message << '\n';
    return 1;
  }
  options.program = std::move(program).value();

  CLI::App app{options.program.description, name};
  std::string listen;
  std::string modules;
  const auto& directory = options.program.data_directory;
  app.add_option("--data-dir", options.data_directory,
                 "Directory of durable state [$XDG_DATA_HOME/svc" +
                     (directory.empty() ? "" : "/" + directory) + "]");
  app.add_option("--config", options.config_file,
                 "Configuration file [$XDG_CONFIG_HOME/svc/" + options.program.config_file + "]");
  if (options.program.listens) {
    app.add_option("--listen", listen,
                   "HOST:PORT to listen on; port 0 picks a free one [127.0.0.1:4700]");
  }
  app.add_option("--modules", modules,
                 "Comma-separated modules to load instead of the default set");
  app.add_flag("--check", options.check_only,
               "Print the module graph, check the configuration, and exit");
  app.add_flag("--print-config", options.print_config,
               "Print every setting with its origin as JSON, and exit");
  app.set_version_flag("--version", name + " " SVC_VERSION);
  app.footer(footer(options.program));
  app.allow_extras();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int shown = app.exit(error);
    return shown == 0 ? 0 : kExitUsage;
  }

  if (!modules.empty()) {
    options.flags.emplace_back("modules.set", modules);
  }
  if (!listen.empty()) {
    const auto colon = listen.rfind(':');
    if (colon == std::string::npos || colon + 1 == listen.size()) {
      std::cerr << name << ": --listen expects HOST:PORT, got \"" << listen << "\"\n";
      return kExitUsage;
    }
    options.flags.emplace_back("listen.host", listen.substr(0, colon));
    options.flags.emplace_back("listen.port", listen.substr(colon + 1));
  }
  if (auto status = addArguments(app.remaining(), options); !status) {
    std::cerr << name << ": " << status.error().message << '\n';
    return kExitUsage;
  }
  return svc::kernel::runProgram(options);
}

}  // namespace

[[gnu::visibility("default")]] int main(int argc, char** argv) {
#ifdef SVC_LAUNCHED_COMMAND
  if (argc > 1 && std::strcmp(argv[1], SVC_LAUNCHED_COMMAND) == 0) {
    return svc::node::launch(argv);
  }
#endif
  // Names in archives are UTF-8 whatever the user's locale is; only of characters, so that numbers keep their form.
  std::setlocale(LC_CTYPE, "C.UTF-8");
  try {
    return run(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "cannot start: %s\n", failure.what());
    return 1;
  }
}
