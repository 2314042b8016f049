#include "svc/kernel/program.h"

#include <linux/close_range.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "svc/base/environment.h"
#include "svc/base/files.h"
#include "svc/base/home.h"
#include "svc/base/unblocked_output.h"

#include "data_replacement.h"
#include "kernel.h"
#include "signals.h"
#include "stop_wish.h"

namespace svc::kernel {
namespace {

namespace fs = std::filesystem;

std::string environmentOr(const char* name, const std::string& fallback) {
  // Read before any thread starts. NOLINTNEXTLINE(concurrency-mt-unsafe)
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : fallback;
}

/// Reads a file whole; empty when it does not exist.
Result<std::string> readFile(const fs::path& path) {
  if (auto failure = base::unreadable(path)) {
    return std::move(*failure);
  }
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return std::string{};
  }
  // A FIFO would be waited for, a device has no end; /dev/null is how nothing is said.
  if (!fs::is_regular_file(path, ignored) && fs::weakly_canonical(path, ignored) != "/dev/null") {
    return Error{errc::kInvalidArgument,
                 fmt::format("{} is not a file: a configuration is a JSON file", path.string())};
  }
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() && !in.eof()) {
    return Error{errc::kUnavailable, fmt::format("cannot read {}", path.string())};
  }
  return text;
}

/// Variables that configure this program.
std::map<std::string, std::string> environmentMap() {
  auto out = base::currentEnvironment();
  std::erase_if(out, [](const auto& each) { return !each.first.starts_with("SVC_"); });
  return out;
}

/// A program of its own inside this one: nothing of the user's settings reaches it.
Result<KernelOptions> commandOptions(const ProgramOptions& options, KernelOptions kernel) {
  if (options.data_directory.empty()) {
    return Error{errc::kInvalidArgument,
                 fmt::format("{} {} needs --data-dir", kernel.program, options.command)};
  }
  kernel.paths.data = fs::absolute(options.data_directory);
  kernel.paths.config = kernel.paths.data;
  kernel.default_modules = options.program.commands.at(options.command);
  kernel.lock_file.clear();
  kernel.run_file.clear();
  kernel.log_file.clear();
  kernel.read_config_file = [] { return Result<std::string>(std::string{}); };
  kernel.config.flags.emplace_back("log.level", "warn");
  kernel.config.flags.insert(kernel.config.flags.end(), options.flags.begin(), options.flags.end());
  return kernel;
}

/// What a restore puts aside and in place is the directory, on the disk where it is, not a link to it. Also of a link to a directory that
/// is not there, as in the middle of a restore.
fs::path behindLinks(fs::path directory) {
  constexpr int kMostLinks = 40;
  std::error_code code;
  directory = directory.lexically_normal();
  if (!directory.has_filename()) {
    directory = directory.parent_path();
  }
  for (int links = 0; links < kMostLinks && fs::is_symlink(directory, code); ++links) {
    const auto target = fs::read_symlink(directory, code);
    directory = (directory.parent_path() / target).lexically_normal();
  }
  return directory;
}

/// Beside the link it would be passed over in silence, and the data of before be served.
Status checkRestoreBesideLink(const fs::path& named, const fs::path& data) {
  const auto beside = waitingReplacement(named);
  const auto waits_at = waitingReplacement(data);
  std::error_code ignored;
  const bool is_passed_over =
      beside != waits_at && replacementWaits(named) && !fs::equivalent(beside, waits_at, ignored);
  return is_passed_over ? Status(Error{errc::kInvalidArgument,
                                       fmt::format("{} is beside a link: move it to {}, beside the "
                                                   "directory that the link leads to",
                                                   beside.string(), waits_at.string())})
                        : Status();
}

Result<KernelOptions> kernelOptions(const ProgramOptions& options) {
  const auto& program = options.program;
  const auto prefix = options.executable.parent_path().parent_path();
  KernelOptions kernel;
  kernel.program = options.executable.filename().string();
  kernel.version = SVC_VERSION;
  kernel.paths.share = prefix / "share/svc";
  kernel.paths.bin = options.executable.parent_path();
  kernel.module_directories = {prefix / "lib/svc/modules"};
  kernel.drain_limit = program.drain;
  kernel.service_manager = ServiceManager::takeFromEnvironment();
  if (!options.command.empty()) {
    return commandOptions(options, std::move(kernel));
  }
  const fs::path home = base::homeDirectory(environmentOr("HOME", ""));
  const fs::path data_home = environmentOr("XDG_DATA_HOME", (home / ".local/share").string());
  const fs::path config_home = environmentOr("XDG_CONFIG_HOME", (home / ".config").string());
  // The variables name the server's directory and file; another program's are found from them.
  const fs::path data_base = environmentOr("SVC_DATA_DIR", (data_home / "svc").string());
  const fs::path config_base =
      environmentOr("SVC_CONFIG", (config_home / "svc/config.json").string());
  const auto config_file = fs::absolute(
      options.config_file.empty() ? (program.config_file == ProgramDescription{}.config_file
                                         ? config_base
                                         : config_base.parent_path() / program.config_file)
                                  : fs::path(options.config_file));
  const auto data =
      options.data_directory.empty()
          ? (program.data_directory.empty() ? data_base : data_base / program.data_directory)
          : fs::path(options.data_directory);
  kernel.paths.data = behindLinks(fs::absolute(data));
  if (options.data_directory.empty() && environmentOr("SVC_DATA_DIR", "").empty() &&
      environmentOr("XDG_DATA_HOME", "").empty()) {
    kernel.home = home;
  }
  if (auto status = checkRestoreBesideLink(fs::absolute(data), kernel.paths.data); !status) {
    return std::move(status).error();
  }
  kernel.paths.config = config_file.parent_path();
  kernel.default_modules = program.modules;
  kernel.lock_file = program.lock_file;
  if (program.lock_file != ProgramDescription{}.lock_file) {
    kernel.run_file.clear();
  }
  kernel.log_file = program.log_file;
  std::error_code ignored;
  if (!options.config_file.empty() && !base::unreadable(config_file) &&
      !fs::exists(config_file, ignored)) {
    return Error{errc::kNotFound, fmt::format("{} does not exist", config_file.string())};
  }
  auto text = readFile(config_file);
  if (!text) {
    return std::move(text).error();
  }
  kernel.read_config_file = [config_file] { return readFile(config_file); };
  kernel.config = {options.flags, environmentMap(), config_file.string(), std::move(text).value()};
  return kernel;
}

/// Shells and service managers let a program open some thousand files unless it asks for more; each connection is one. Programs that
/// look at every number they may have take long with a million of them.
void raiseFileLimit() {
  constexpr rlim_t kMostFiles = 65'536;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < kMostFiles) {
    files.rlim_cur = std::min(files.rlim_max, kMostFiles);
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
}

std::string problemsJson(const std::vector<ConfigProblem>& problems) {
  std::string list;
  for (const auto& [key, error] : problems) {
    list += fmt::format(R"({}{{"key":{},"code":{},"message":{}}})", list.empty() ? "" : ",",
                        quoted(key), quoted(std::string(error.code.name())), quoted(error.message));
  }
  return "[" + list + "]";
}

std::string configJson(const std::string& file, const std::string& data, const Kernel& kernel) {
  const auto config = kernel.config();
  return fmt::format(R"({{"configFile":{},"dataDir":{},"settings":{},"problems":{},"masked":{}}})",
                     quoted(file), quoted(data), describeConfig(config->keys(), *config),
                     problemsJson(kernel.configProblems()), problemsJson(kernel.maskedProblems()));
}

/// `--check`: the exit status.
int printCheck(const Kernel& kernel, const std::string& name) {
  std::cout << kernel.describe();
  const auto problems = kernel.configProblems();
  for (const auto& problem : problems) {
    std::cerr << name << ": " << problem.error.message << '\n';
  }
  if (problems.empty()) {
    std::cout << "configuration: ok\n";
  }
  return problems.empty() ? 0 : 1;
}

/// A program with the arguments of this one, in its place. Returns only when that fails.
Error startAgain(const fs::path& executable) {
  const std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::ostringstream line;
  line << in.rdbuf();
  auto text = line.str();
  std::vector<char*> arguments;
  for (std::size_t at = 0; at < text.size(); at += std::strlen(text.data() + at) + 1) {
    arguments.push_back(text.data() + at);
  }
  arguments.push_back(nullptr);
  // What is still open belongs to this program, or to the data that was replaced.
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  ::execv(executable.c_str(), arguments.data());
  return {errc::kUnavailable,
          fmt::format(
              "all is ready, but the program could not start itself again: {}; start {} by hand",
              std::generic_category().message(errno), executable.string())};
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
  std::atomic<bool> interrupted{false};
  StopWish wish;
  // Before any thread exists, so that every thread inherits the mask.
  const Signals signals([&](int signal) {
    if (signal == SIGHUP) {
      // A closed terminal does not end a server; on purpose it is sent to have the configuration read again.
      if (auto* kernel = target.load()) {
        kernel->reloadConfig();
      }
      return;
    }
    const auto means = wish.signal(StopWish::Clock::now());
    if (means == StopWish::Means::kNothing) {
      return;
    }
    interrupted = true;
    if (means == StopWish::Means::kEndAtOnce) {
      base::printUrgent(name + ": second signal, ending at once\n");
      ::_exit(128 + signal);
    }
    if (auto* kernel = target.load()) {
      kernel->requestShutdown(signal == SIGINT ? "interrupted" : "terminated");
    } else {
      ::_exit(128 + signal);
    }
  });
  const auto config_file = kernel_options.value().config.file_name;
  const auto data = kernel_options.value().paths.data;
  const auto service_manager = kernel_options.value().service_manager;
  Kernel kernel(std::move(kernel_options).value());
  target = &kernel;
  if (auto status = kernel.load(); !status) {
    return report(status.error());
  }
  if (options.print_config) {
    std::cout << configJson(config_file, data.string(), kernel) << '\n';
    return 0;
  }
  if (options.check_only) {
    return printCheck(kernel, name);
  }
  raiseFileLimit();
  if (auto status = kernel.start(); !status) {
    report(status.error());
    std::cerr.flush();
    ::_exit(1);
  }
  kernel.run();
  target = nullptr;
  // Threads of script environments may still be winding down; nothing of ours is left to save.
  std::cout.flush();
  const bool goes_on = !interrupted && kernel.exitStatus() == 0;
  if (goes_on && (!kernel.successor().empty() || replacementWaits(data))) {
    ServiceManager::putIntoEnvironment(service_manager);
    report(startAgain(kernel.successor().empty() ? options.executable : kernel.successor()));
    std::cerr.flush();
    ::_exit(1);
  }
  ::_exit(kernel.exitStatus());
}

}  // namespace svc::kernel
