#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ostream>

#include <fmt/ranges.h>

#include "svc/base/files.h"
#include "svc/base/spawn.h"

#include "commands/commands.h"
#include "commands/server_program.h"
#include "exit_code.h"
#include "log_line.h"
#include "processes.h"
#include "starting.h"
#include "text.h"

namespace svc::client {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// Opening the databases of a large installation takes seconds, loading plugins does not delay readiness.
constexpr auto kStartBound = 60s;
/// Between two looks at a server that starts or ends, and what one of them may take.
constexpr auto kLookPause = 250ms;
constexpr auto kLookBound = 5s;
/// One that answers "not ready" this long (10 s) is not ending.
constexpr int kBusyLooks = 40;
/// As long as a start or a stop may take.
constexpr int kSilentLooks = 300;
/// Above the server's own bounds for ending calls and plugins.
constexpr auto kStopBound = 75s;

/// What `/readyz` says against being ready.
std::string whyNotReady(const std::string& body) {
  const auto ready = common::Json::parse(body);
  std::vector<std::string> reasons;
  for (const auto& module : (ready ? ready.value() : common::Json())["modules"].items()) {
    const auto& state = module["state"].asString();
    if (state != "ready") {
      const auto& detail = module["detail"].asString();
      reasons.push_back(oneLine(
          fmt::format("{}: {}", module["name"].asString(), detail.empty() ? state : detail)));
    }
  }
  return reasons.empty() ? oneLine(body) : fmt::format("{}", fmt::join(reasons, "; "));
}

/// A listening server may still be busy; this asks it once whether it considers itself ready.
Status checkReady(const Context& context, const std::string& url) {
  auto http = context.connector(url);
  if (!http) {
    return std::move(http).error();
  }
  const auto response = http.value()->send({"GET", "/readyz", "", 10s});
  if (!response) {
    return response.error();
  }
  if (response.value().status != 200) {
    return Error{errc::kUnavailable,
                 "the server runs, but is not ready: " + whyNotReady(response.value().body)};
  }
  return {};
}

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
  if (!late.empty()) {
    context.console.err << fmt::format("{} of {} plugins are still starting: {}\n", late.size(),
                                       plugins.value().json["plugins"].items().size(),
                                       oneLine(fmt::format("{}", fmt::join(late, ", "))));
  }
}

int start(Context& context, const std::vector<std::string>& arguments) {
  const auto& console = context.console;
  const auto program = context.environment.program_dir / "svcd";
  std::error_code ignored;
  if (!fs::exists(program, ignored)) {
    console.fail(Error{errc::kUnavailable,
                       "there is no svcd beside this program (" + program.string() + ")"},
                 "run svcd from where it is installed");
    return kExitFailure;
  }
  const auto words = withDataDir(context, arguments);
  const auto started = startServer(program, words, kStartBound);
  if (!started) {
    console.fail(started.error());
    return kExitFailure;
  }
  if (const auto ready = checkReady(context, started.value().url); !ready) {
    console.fail(ready.error(), "`svc server logs` shows what it does");
    return kExitFailure;
  }
  say(console, "svcd is running at", started.value().url, started.value().pid);
  console.out.flush();
  awaitPlugins(context, started.value().url);
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

}  // namespace

namespace {

/// What the holder of a data directory's lock is doing.
enum class Holder { kServes, kBusy, kSilent };

Holder lookAt(const Context& context, const std::string& url) {
  auto http = context.connector(url);
  const auto response = http ? http.value()->send({"GET", "/readyz", "", kLookBound})
                             : Result<HttpResponse>(http.error());
  return !response                        ? Holder::kSilent
         : response.value().status == 503 ? Holder::kBusy
                                          : Holder::kServes;
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

}  // namespace

int serverStart(Context& context, const std::vector<std::string>& words) {
  const auto arguments = takeDataDir(context, words);
  const auto directory = dataDir(context.choice, context.environment);
  // Who holds the lock may be starting still, or have closed its port and be ending.
  for (int look = 0;; ++look) {
    const auto owner = lockOwner(directory);
    if (const auto failure = base::unreadable(directory / "server.lock"); !owner && failure) {
      context.console.fail(*failure);
      return kExitFailure;
    }
    if (!owner) {
      return start(context, arguments);
    }
    const auto record = readServerRecord(directory);
    const auto holder = record ? lookAt(context, record->url) : Holder::kSilent;
    if (holder == Holder::kServes || (holder == Holder::kBusy && look >= kBusyLooks)) {
      return sayThatItRuns(context.console, record->url, *owner, arguments);
    }
    if (look == kSilentLooks) {
      context.console.fail(
          Error{errc::kUnavailable,
                fmt::format("a server (pid {}) has the data directory, but {}", *owner,
                            record ? "does not answer at " + record->url
                                   : "has not published its address")},
          "`svc server logs` shows what it does; `svc server stop` ends it");
      return kExitFailure;
    }
    context.sleep(kLookPause);
  }
}

int serverStop(Context& context) {
  const auto& console = context.console;
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
  if (const auto stopped = stopProcess(*owner, kStopBound); !stopped) {
    console.fail(stopped.error(), "`svc server logs` shows what it waits for");
    return kExitFailure;
  }
  if (console.json) {
    console.out << "{\"ok\":true}\n";
  } else {
    console.out << fmt::format("svcd stopped (pid {}).\n", *owner);
  }
  return kExitOk;
}

int serverRestart(Context& context, const std::vector<std::string>& given) {
  const auto arguments = takeDataDir(context, given);
  const auto owner = lockOwner(dataDir(context.choice, context.environment));
  auto words = arguments;
  if (owner) {
    if (words.empty()) {
      words = argumentsOf(*owner);
    }
    // What cannot start again goes on running.
    if (const auto checked = checkStart(context, words); !checked) {
      context.console.fail(checked.error(),
                           "the server runs on as it was; correct it, then run svc server restart");
      return kExitFailure;
    }
    if (const auto stopped = stopProcess(*owner, kStopBound); !stopped) {
      context.console.fail(stopped.error(), "`svc server logs` shows what it waits for");
      return kExitFailure;
    }
  }
  return start(context, words);
}

int serverLogs(Context& context, const LogOptions& options) {
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
