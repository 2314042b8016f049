#include <filesystem>
#include <ostream>
#include <system_error>

#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/request.h"
#include "doctor/findings.h"
#include "exit_code.h"
#include "looks.h"
#include "progress.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;
using namespace std::chrono_literals;

/// Databases are copied page by page while they are in use.
constexpr auto kCopyWait = std::chrono::minutes(30);
/// Ending the plugins, opening the databases again, loading.
constexpr int kRestartLooks = 240;

/// The server has its own directory.
std::string absoluteFile(const Context& context, const std::string& file) {
  return (context.environment.working_dir / file).lexically_normal().string();
}

std::string countOf(std::size_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

/// Also with --json, whose answer has them: a backup that misses something is not one that can be forgotten.
void warnOfLeftOut(const Console& console, const Json& info, const char* what) {
  for (const auto& each : info["leftOut"].items()) {
    console.complain(fmt::format("{}: {}: {}", what, oneLine(each["path"].asString()),
                                 oneLine(each["reason"].asString())));
  }
}

/// True when the restarted server answers. The one before may still answer for a moment: server.json tells them apart.
bool awaitRestart(Context& context, Api& api) {
  const auto data = dataDir(context.choice, context.environment);
  const auto before = api.address().record;
  bool gone = false;
  for (int look = 0; look < kRestartLooks; ++look) {
    context.sleep(pauseAfterLook(look));
    const auto record = readServerRecord(data);
    const bool another = before && record && record->started_at != before->started_at;
    auto now = Api::open(context.choice, context.environment, context.connector);
    const auto ready =
        now ? now.value().raw({"GET", "/readyz", "", 2s}) : Result<HttpResponse>(now.error());
    gone = gone || another || !ready;
    if (gone && ready && ready.value().status == 200) {
      return true;
    }
  }
  return false;
}

}  // namespace

int backupTo(Context& context, const BackupOptions& options) {
  const auto& console = context.console;
  Json body = Json::object().set("file", absoluteFile(context, options.file));
  if (options.force) {
    body.set("overwrite", true);
  }
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  Progress progress(console);
  progress.show("copying the databases and files");
  // The server sees that nobody waits any more.
  context.on_interrupt("\nThe backup is given up, and the server removes what there is of it. If " +
                       oneLine(body["file"].asString()) + " is there, it was complete before.\n");
  const auto reply = api.value().call({"POST", "/api/v1/system/backup", body.dump(), kCopyWait});
  context.on_interrupt("");
  progress.clear();
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    std::error_code ignored;
    const bool in_the_way = !options.force && reply.value().code() == "conflict" &&
                            std::filesystem::exists(body["file"].asString(), ignored);
    return reportFailure(console, reply.value(),
                         in_the_way ? "--force overwrites a backup" : std::string_view());
  }
  const auto& backup = reply.value().json["backup"];
  if (console.json) {
    console.out << reply.value().text << '\n';
  } else {
    console.out << oneLine(backup["file"].asString()) << '\n';
    console.err << fmt::format("Wrote {} files of {} ({}). It holds secrets: keep it safe.\n",
                               backup["files"].asInteger(),
                               countOf(backup["plugins"].items().size(), "plugin"),
                               sizeText(static_cast<std::uintmax_t>(backup["bytes"].asInteger())));
  }
  warnOfLeftOut(console, backup, "warning: not in the backup");
  return kExitOk;
}

int restoreFrom(Context& context, const RestoreOptions& options) {
  const auto& console = context.console;
  const auto file = absoluteFile(context, options.file);
  if (!options.yes) {
    if (!console.in_terminal) {
      console.fail(
          Error{codes::kRefused, "nothing was restored: replacing all data was not confirmed"},
          "run it on a terminal, or add --yes");
      return kExitRefused;
    }
    if (!console.confirm("This replaces everything the server keeps by " + oneLine(file) +
                         " and restarts it. The data of now is kept beside it. Continue? [y/N]")) {
      console.fail(Error{codes::kRefused, "nothing was restored"});
      return kExitRefused;
    }
  }
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  Progress progress(console);
  progress.show("reading the backup");
  const auto reply = api.value().call(
      {"POST", "/api/v1/system/restore", Json::object().set("file", file).dump(), kCopyWait});
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    progress.clear();
    return reportFailure(console, reply.value());
  }
  progress.show("waiting for the server");
  const bool back = awaitRestart(context, api.value());
  progress.clear();
  const auto& restored = reply.value().json["restore"];
  if (console.json) {
    console.out << reply.value().text << '\n';
  } else {
    console.out << fmt::format("Restored {} of {}, written at {}.\n",
                               countOf(restored["plugins"].items().size(), "plugin"),
                               oneLine(restored["file"].asString()),
                               formatTime(restored["createdAt"].asInteger()));
    console.err << "The data of before is " << oneLine(restored["replaced"].asString()) << '\n';
  }
  warnOfLeftOut(console, restored, "warning: not restored");
  if (!back) {
    console.complain("the server does not answer again yet",
                     "`svc server logs` shows what it does");
    return kExitFailure;
  }
  return kExitOk;
}

}  // namespace svc::client
