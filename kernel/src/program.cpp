#include "svc/kernel/program.h"

#include <pwd.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

#include <fmt/format.h>

#include "kernel.h"
#include "signals.h"

extern char** environ;

namespace svc::kernel {
namespace {

namespace fs = std::filesystem;

std::string environmentOr(const char* name, const std::string& fallback) {
  // Read before any thread starts. NOLINTNEXTLINE(concurrency-mt-unsafe)
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : fallback;
}

fs::path homeDirectory() {
  const auto home = environmentOr("HOME", "");
  if (!home.empty()) {
    return home;
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): single-threaded still
  const auto* entry = ::getpwuid(::getuid());
  return entry != nullptr ? entry->pw_dir : "/";
}

fs::path firstOf(const std::string& flag, const char* variable, const fs::path& fallback) {
  return fs::absolute(flag.empty() ? fs::path(environmentOr(variable, fallback.string()))
                                   : fs::path(flag));
}

/// Reads a file whole; empty when it does not exist.
Result<std::string> readFile(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return std::string{};
  }
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() && !in.eof()) {
    return Error{errc::kUnavailable, fmt::format("cannot read {}", path.string())};
  }
  return text;
}

std::map<std::string, std::string> environmentMap() {
  std::map<std::string, std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (text.starts_with("SVC_") && equals != std::string_view::npos) {
      out.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return out;
}

/// The program's own description: its default module set.
Result<std::vector<std::string>> defaultModules(const fs::path& file) {
  auto text = readFile(file);
  if (!text) {
    return std::move(text).error();
  }
  auto pairs = flattenJson(text.value(), file.string(),
                           [](const std::string& key) { return key == "modules"; });
  if (!pairs) {
    return std::move(pairs).error();
  }
  for (const auto& [key, value] : pairs.value()) {
    if (key == "modules") {
      return parseStringList(value);
    }
  }
  return Error{errc::kNotFound,
               fmt::format("{} names no modules; the installation is incomplete", file.string())};
}

Result<KernelOptions> kernelOptions(const ProgramOptions& options) {
  const auto prefix = options.executable.parent_path().parent_path();
  KernelOptions kernel;
  kernel.program = options.executable.filename().string();
  kernel.version = SVC_VERSION;
  const auto home = homeDirectory();
  const fs::path data_home = environmentOr("XDG_DATA_HOME", (home / ".local/share").string());
  const fs::path config_home = environmentOr("XDG_CONFIG_HOME", (home / ".config").string());
  const auto config_file =
      firstOf(options.config_file, "SVC_CONFIG", config_home / "svc/config.json");
  kernel.paths = {firstOf(options.data_directory, "SVC_DATA_DIR", data_home / "svc"),
                  config_file.parent_path(), prefix / "share/svc",
                  options.executable.parent_path()};
  kernel.module_directories = {prefix / "lib/svc/modules"};
  auto modules = defaultModules(prefix / "lib/svc/programs" / (kernel.program + ".json"));
  if (!modules) {
    return std::move(modules).error();
  }
  kernel.default_modules = std::move(modules).value();
  if (!options.config_file.empty() && !fs::exists(config_file)) {
    return Error{errc::kNotFound, fmt::format("{} does not exist", config_file.string())};
  }
  auto text = readFile(config_file);
  if (!text) {
    return std::move(text).error();
  }
  kernel.config = {options.flags, environmentMap(), config_file.string(), std::move(text).value()};
  return kernel;
}

}  // namespace

int runProgram(const ProgramOptions& options) {
  const auto name = options.executable.filename().string();
  const auto report = [&name](const Error& error) {
    std::cerr << name << ": " << error.message << '\n';
    return 1;
  };
  auto kernel_options = kernelOptions(options);
  if (!kernel_options) {
    return report(kernel_options.error());
  }
  std::atomic<Kernel*> target{nullptr};
  std::atomic<int> count{0};
  // Before any thread exists, so that every thread inherits the mask.
  const Signals signals([&](int signal) {
    if (signal == SIGHUP) {
      return;  // a closed terminal does not end a server
    }
    if (++count > 1) {
      std::cerr << name << ": second signal, ending at once\n";
      ::_exit(128 + signal);
    }
    if (auto* kernel = target.load()) {
      kernel->requestShutdown(signal == SIGINT ? "interrupted" : "terminated");
    } else {
      ::_exit(128 + signal);
    }
  });
  Kernel kernel(std::move(kernel_options).value());
  target = &kernel;
  if (auto status = kernel.load(); !status) {
    return report(status.error());
  }
  if (options.check_only) {
    std::cout << kernel.describe() << "configuration: ok\n";
    return 0;
  }
  if (auto status = kernel.start(); !status) {
    report(status.error());
    std::cerr.flush();
    ::_exit(1);
  }
  kernel.run();
  target = nullptr;
  // Threads of script environments may still be winding down; nothing of ours is left to save.
  std::cout.flush();
  ::_exit(0);
}

}  // namespace svc::kernel
