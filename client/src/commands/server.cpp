#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ostream>

#include <fmt/ranges.h>

#include "svc/base/files.h"
#include "svc/base/spawn.h"
#include "svc/base/user_name.h"
#include "svc/common/codes.h"

#include "commands/commands.h"
#include "commands/running_server.h"
#include "commands/server_program.h"
#include "exit_code.h"
#include "log_line.h"
#include "processes.h"
#include "service_unit.h"
#include "starting.h"
#include "text.h"

namespace svc::client {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// Above the server's own bounds for ending calls and plugins.
constexpr auto kStopBound = 75s;
/// And until the next one serves, which its unit waits for.
constexpr auto kUnitBound = 180s;

void say(const Console& console, const std::string& what, const std::string& url, int pid) {
  if (console.json) {
    common::Json envelope = common::Json::object();
    common::Json server = common::Json::object();
    server.set("url", url).set("pid", pid);
    envelope.set("ok", true).set("server", std::move(server));
    console.out << envelope.dump() << '\n';
  } else {
    console.out << fmt::format("{} {} (pid {})\n", what, url, pid);
  }
}

/// So that the next command finds its plugin. A server that runs has started, whatever its plugins do.
void awaitPlugins(const Context& context, const std::string& url) {
  auto api = Api::open({.server = url, .data_dir = context.choice.data_dir}, context.environment,
                       context.connector);
  if (!api) {
    return;
  }
  const auto plugins = awaitStarting(context, api.value());
  const auto late = plugins ? startingPlugins(plugins.value().json) : std::vector<std::string>();
  awaitOwnMachine(context, api.value());
  if (!late.empty()) {
    context.console.err << fmt::format("{} of {} plugins are still starting: {}\n", late.size(),
                                       plugins.value().json["plugins"].items().size(),
                                       oneLine(fmt::format("{}", fmt::join(late, ", "))));
  }
}

int sayStarted(Context& context, const RunningServer& server) {
  say(context.console, "svcd is running at", server.url, server.pid);
  context.console.out.flush();
  awaitPlugins(context, server.url);
  return kExitOk;
}

/// Prints for people what the program writes; false when it did not run.
bool showReadable(const Console& console, const std::vector<std::string>& argv) {
  auto output = base::makePipe();
  if (!output) {
    return false;
  }
  auto child = base::spawn({.argv = argv,
                            .in = STDIN_FILENO,
                            .out = output.value().write.get(),
                            .err = STDERR_FILENO,
                            .group = base::ProcessGroup::kShared});
  output.value().write.reset();
  if (!child) {
    return false;
  }
  std::FILE* const lines = ::fdopen(output.value().read.release(), "r");
  char* line = nullptr;
  std::size_t capacity = 0;
  for (ssize_t size = 0; (size = ::getline(&line, &capacity, lines)) > 0;) {
    std::string text(line, static_cast<std::size_t>(size));
    text.erase(text.find_last_not_of('\n') + 1);
    console.out << readableLogLine(text, console) << std::flush;
  }
  std::free(line);
  std::fclose(lines);
  return child.value().reap().ok();
}

/// A start that changes nothing is done; one whose flags would change something is not.
int sayThatItRuns(const Console& console, const std::string& url, int pid,
                  const std::vector<std::string>& arguments) {
  const auto ignored = unknownTo(argumentsOf(pid), arguments);
  if (ignored.empty()) {
    say(console, "svcd already runs at", url, pid);
    return kExitOk;
  }
  const auto flags = oneLine(fmt::format("{}", fmt::join(ignored, " ")));
  console.fail(
      Error{errc::kConflict, fmt::format("svcd already runs at {} (pid {}), and {} took no effect",
                                         url, pid, flags)},
      "`svc server restart " + flags + "` starts it with that");
  return kExitFailure;
}

/// systemd starts what it runs: a server that this program started in its place would be without its unit's bounds, and without
/// somebody who starts it again when it fails.
int restartUnit(const Context& context, const ServiceUnit& unit,
                const std::vector<std::string>& arguments) {
  const auto& console = context.console;
  if (!arguments.empty()) {
    console.fail(
        Error{codes::kRefused, "this server runs as the service " + unit.name +
                                   ", which says what its arguments are"},
        fmt::format("set them in its configuration, or in its unit: {}", unit.shown("edit")));
    return kExitRefused;
  }
  const auto done = context.execute(
      {.argv = unit.command("restart"), .environment = {}, .directory = {}, .bound = kUnitBound});
  if (done && done.value().exit_code == 0) {
    return kExitOk;
  }
  console.fail(Error{errc::kUnavailable,
                     fmt::format("the service {} was not restarted: {}", unit.name,
                                 done ? oneLine(done.value().err) : done.error().message)},
               "run " + unit.shown("restart"));
  return kExitFailure;
}

/// False, and said, when this call names a server that this machine's data directory is not of.
bool isForOwnServer(const Context& context, std::string_view command) {
  const auto own = requireOwnServer(command, context.choice, context.environment);
  if (!own) {
    context.console.fail(own.error(),
                         "run it on that server's machine; here, leave the address out "
                         "(or name the directory with --data-dir)");
  }
  return own.ok();
}

/// False, and said, when the process of that number here is not the server.
bool isHere(const Context& context, int pid, const fs::path& directory) {
  const auto here = checkHolder(pid, directory);
  if (!here) {
    context.console.fail(here.error(), "run this where that server runs, as its user");
  }
  return here.ok();
}

/// A server is started by whom its directory belongs to: root would stop it, and its own would be refused.
Status checkOwnUser(int pid, std::string_view command) {
  struct stat process {};
  if (::stat(fmt::format("/proc/{}", pid).c_str(), &process) != 0 ||
      process.st_uid == ::geteuid()) {
    return {};
  }
  return Error{codes::kRefused,
               fmt::format("that server runs as the user {0}: run `sudo -u {0} -H svc {1}`",
                           base::userName(process.st_uid), command)};
}

/// What a server that does not end leaves to do.
std::string wayOut(int pid) {
  return fmt::format(
      "`svc server logs` shows what it waits for; `kill -9 {}` ends it at once, and what it has "
      "saved stays",
      pid);
}

}  // namespace

int serverStart(Context& context, const std::vector<std::string>& words) {
  const auto arguments = takeDataDir(context, words);
  const auto server = ensureServer(context, arguments);
  if (!server) {
    return kExitFailure;
  }
  return server->started ? sayStarted(context, *server)
                         : sayThatItRuns(context.console, server->url, server->pid, arguments);
}

int serverStop(Context& context) {
  const auto& console = context.console;
  if (!isForOwnServer(context, "server stop")) {
    return kExitRefused;
  }
  const auto directory = dataDir(context.choice, context.environment);
  const auto owner = lockOwner(directory);
  if (const auto failure = base::unreadable(directory / "server.lock"); !owner && failure) {
    console.fail(*failure);
    return kExitFailure;
  }
  if (!owner) {
    console.fail(Error{codes::kUnreachable, "no server runs on " + directory.string()});
    return kExitUnreachable;
  }
  if (!isHere(context, *owner, directory)) {
    return kExitRefused;
  }
  const auto unit = serviceUnitOf(*owner);
  if (const auto stopped = stopProcess(*owner, kStopBound); !stopped) {
    console.fail(stopped.error(), wayOut(*owner));
    return kExitFailure;
  }
  if (console.json) {
    console.out << "{\"ok\":true}\n";
  } else {
    console.out << fmt::format("svcd stopped (pid {}).\n", *owner);
  }
  if (unit) {
    console.err << fmt::format("hint: it ran as a service: `{}` starts it again\n",
                               unit->shown("start"));
  }
  return kExitOk;
}

int serverRestart(Context& context, const std::vector<std::string>& given) {
  const auto arguments = takeDataDir(context, given);
  if (!isForOwnServer(context, "server restart")) {
    return kExitRefused;
  }
  const auto directory = dataDir(context.choice, context.environment);
  const auto owner = lockOwner(directory);
  auto words = arguments;
  if (owner) {
    if (!isHere(context, *owner, directory)) {
      return kExitRefused;
    }
    const auto unit = serviceUnitOf(*owner);
    if (const auto ours = unit ? Status() : checkOwnUser(*owner, "server restart"); !ours) {
      context.console.fail(ours.error());
      return kExitRefused;
    }
    if (words.empty()) {
      words = argumentsOf(*owner);
    }
    // What cannot start again goes on running.
    if (const auto checked = checkStart(context, words); !checked) {
      context.console.fail(checked.error(),
                           "the server runs on as it was; correct it, then run svc server restart");
      return kExitFailure;
    }
    if (unit) {
      if (const int failed = restartUnit(context, *unit, arguments); failed != kExitOk) {
        return failed;
      }
    } else if (const auto stopped = stopProcess(*owner, kStopBound); !stopped) {
      context.console.fail(stopped.error(), wayOut(*owner));
      return kExitFailure;
    }
  }
  // Another restart may have been quicker: its server is as new as this one would be.
  const auto server = ensureServer(context, words);
  return server ? sayStarted(context, *server) : static_cast<int>(kExitFailure);
}

int serverLogs(Context& context, const LogOptions& options) {
  if (!isForOwnServer(context, "server logs")) {
    return kExitRefused;
  }
  const auto file = dataDir(context.choice, context.environment) / "logs" / "server.log";
  if (const auto failure = base::unreadable(file)) {
    context.console.fail(*failure);
    return kExitFailure;
  }
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    context.console.fail(Error{errc::kNotFound, "there is no log yet (" + file.string() + ")"});
    return kExitNotFound;
  }
  // tail follows a rotated file by name and is on every system this runs on.
  std::vector<std::string> tail{"tail", options.follow ? "-F" : "-q",
                                "-n",   std::to_string(options.lines),
                                "--",   file.string()};
  const auto& console = context.console;
  console.out.flush();
  if (console.out_terminal && !console.json) {
    if (showReadable(console, tail)) {
      return kExitOk;
    }
  } else {
    std::vector<char*> words;
    for (auto& word : tail) {
      words.push_back(word.data());
    }
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
  }
  console.fail(Error{errc::kUnavailable, "cannot run tail"}, "the log is " + file.string());
  return kExitFailure;
}

}  // namespace svc::client
