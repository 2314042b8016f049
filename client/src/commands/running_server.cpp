#include "commands/running_server.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/ranges.h>

#include "svc/base/files.h"
#include "svc/base/path_bounds.h"
#include "svc/base/user_name.h"
#include "svc/common/codes.h"

#include "commands/server_program.h"
#include "looks.h"
#include "processes.h"
#include "progress.h"
#include "text.h"

namespace svc::client {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// Opening the databases of a large installation takes seconds, loading plugins does not delay readiness.
constexpr auto kStartBound = 60s;
/// What one look at a server that starts or ends may take.
constexpr auto kLookBound = 5s;
/// One that answers "not ready" this long (10 s) is not ending.
constexpr int kBusyLooks = 40;
/// As long as a start or a stop may take.
constexpr int kSilentLooks = 300;

/// What `/readyz` says against being ready.
std::string whyNotReady(const std::string& body) {
  const auto parsed = common::Json::parse(body);
  const auto ready = parsed ? parsed.value() : common::Json();
  std::vector<std::string> reasons;
  for (const auto& module : ready["modules"].items()) {
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

/// Who presses Ctrl-C meanwhile ends this program alone.
class InterruptNote {
 public:
  InterruptNote(const Context& context, const std::string& text) : context_(context) {
    context_.on_interrupt(text);
  }
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;
  ~InterruptNote() { context_.on_interrupt(""); }

 private:
  const Context& context_;
};

/// svcd is told where its data is, so it does not know that HOME has said so: root would make the directory in the home of a user.
Status checkHome(const Context& context) {
  const auto& home = context.environment.home;
  const auto data = dataDir(context.choice, context.environment);
  std::error_code ignored;
  struct stat owner {};
  const bool is_named =
      !context.choice.data_dir.empty() || context.environment.variable("SVC_DATA_DIR");
  if (::geteuid() != 0 || is_named || !base::isWithin(data.native(), home.native()) ||
      fs::exists(data, ignored) || ::stat(home.c_str(), &owner) != 0 || owner.st_uid == 0) {
    return {};
  }
  return Error{
      codes::kRefused,
      fmt::format("the home directory {} (HOME) belongs to the user {}, and this runs as "
                  "root: what root creates there, that user cannot open any more. Run "
                  "`sudo -u {} -H svc server start`, or choose a directory with --data-dir",
                  home.string(), base::userName(owner.st_uid), base::userName(owner.st_uid))};
}

/// `gave_way`: another program that holds the data directory now was quicker; nothing is said of it.
std::optional<RunningServer> tryToStart(Context& context, const std::vector<std::string>& arguments,
                                        bool& gave_way) {
  const auto& console = context.console;
  const auto program = context.environment.program_dir / "svcd";
  std::error_code ignored;
  if (!fs::exists(program, ignored)) {
    console.fail(Error{errc::kUnavailable,
                       "there is no svcd beside this program (" + program.string() + ")"},
                 "run svcd from where it is installed");
    return std::nullopt;
  }
  if (const auto home = checkHome(context); !home) {
    console.fail(home.error());
    return std::nullopt;
  }
  const InterruptNote note(
      context,
      "\nThe server goes on starting; `svc server stop` ends it, `svc status` shows it.\n");
  Progress progress(console);
  progress.show("starting svcd");
  const auto started = startServer(program, withDataDir(context, arguments), kStartBound);
  progress.clear();
  if (!started) {
    if (lockOwner(dataDir(context.choice, context.environment))) {
      gave_way = true;
      return std::nullopt;
    }
    console.fail(started.error());
    return std::nullopt;
  }
  if (const auto ready = checkReady(context, started.value().url); !ready) {
    console.fail(ready.error(), "`svc server logs` shows what it does");
    return std::nullopt;
  }
  return RunningServer{started.value().url, started.value().pid, true};
}

}  // namespace

std::optional<RunningServer> ensureServer(Context& context,
                                          const std::vector<std::string>& arguments) {
  const auto directory = dataDir(context.choice, context.environment);
  Progress progress(context.console);
  // Who holds the lock may be starting still, or have closed its port and be ending.
  for (int look = 0;; ++look) {
    const auto owner = lockOwner(directory);
    if (const auto failure = base::unreadable(directory / "server.lock"); !owner && failure) {
      progress.clear();
      context.console.fail(*failure);
      return std::nullopt;
    }
    if (!owner) {
      progress.clear();
      bool gave_way = false;
      auto server = tryToStart(context, arguments, gave_way);
      if (!gave_way) {
        return server;
      }
      continue;
    }
    const auto record = ownServerRecord(directory);
    const auto holder = record ? lookAt(context, record->url) : Holder::kSilent;
    if (holder == Holder::kServes || (holder == Holder::kBusy && look >= kBusyLooks)) {
      return RunningServer{record->url, *owner, false};
    }
    if (look == kSilentLooks) {
      progress.clear();
      context.console.fail(
          Error{errc::kUnavailable,
                fmt::format("a server (pid {}) has the data directory, but {}", *owner,
                            record ? "does not answer at " + record->url
                                   : "has not published its address")},
          record ? "`svc server logs` shows what it does; `svc server stop` ends it"
                 : "`svc server restart` writes its address again; `svc server logs` shows what it "
                   "does");
      return std::nullopt;
    }
    progress.show(
        fmt::format("waiting for the server (pid {}) that has the data directory", *owner));
    context.sleep(pauseAfterLook(look));
  }
}

}  // namespace svc::client
