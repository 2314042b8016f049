#include "commands/rollback.h"

#include <chrono>
#include <ostream>

#include <fmt/format.h>

#include "commands/request.h"
#include "exit_code.h"
#include "plugin_block.h"
#include "progress.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

/// The old load is disposed and the one before loaded; the server bounds both.
constexpr auto kRollbackWait = std::chrono::minutes(5);

/// What comes back and what is lost, for the one who decides.
std::string consequences(const std::string& id, const Json& target) {
  const auto taken = formatTime(target["takenAt"].asInteger());
  return fmt::format(
      "{0} goes back to {1} with the data it had at {2}: settings, secrets, token, stored values, "
      "database and schedules.\n"
      "What it has stored since then is lost. What it did elsewhere is not undone.\n",
      id, oneLine(target["version"].asString()), taken);
}

bool confirmRollback(const Console& console, const std::string& id, const Json& target) {
  console.err << consequences(id, target);
  if (!console.in_terminal) {
    console.fail(Error{codes::kRefused, "not rolled back: the loss of data was not confirmed"},
                 "run it on a terminal, or add --yes");
    return false;
  }
  if (!console.confirm("Roll back? [y/N]")) {
    console.fail(Error{codes::kRefused, "nothing was rolled back"});
    return false;
  }
  return true;
}

int showRolledBack(const Console& console, const Reply& reply) {
  const auto& answer = reply.json;
  const auto& record = answer["plugin"];
  if (console.json) {
    console.out << reply.text << '\n';
  } else {
    console.out << fmt::format("Rolled back {} {} → {}\n", oneLine(record["id"].asString()),
                               oneLine(answer["from"].asString()), oneLine(answer["to"].asString()))
                << pluginBlock(record, console);
  }
  // A plugin that was disabled stays so, as asked for.
  return record["enabled"].asBool() ? exitCodeForStatus(record) : static_cast<int>(kExitOk);
}

}  // namespace

int pluginRollback(Context& context, const std::string& id, bool yes) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  const auto path = pluginPath(id, "/rollback");
  const auto found = api.value().call({"GET", path, ""});
  if (!found) {
    return reportNoAnswer(console, found.error());
  }
  if (!found.value().ok()) {
    return reportFailure(console, found.value());
  }
  const auto& target = found.value().json["rollback"];
  if (!target.isObject()) {
    console.fail(Error{errc::kNotFound, found.value().json["reason"].asString()});
    return kExitNotFound;
  }
  if (!yes && !confirmRollback(console, oneLine(id), target)) {
    return kExitRefused;
  }
  Progress progress(console);
  progress.show("rolling back " + oneLine(id));
  context.on_interrupt("\nThe rollback goes on. `svc plugin show " + oneLine(id) +
                       "` shows its outcome.\n");
  const auto body = Json::object().set("version", target["version"]).dump();
  const auto reply = api.value().call({"POST", path, body, kRollbackWait});
  context.on_interrupt("");
  progress.clear();
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  return reply.value().ok() ? showRolledBack(console, reply.value())
                            : reportFailure(console, reply.value());
}

}  // namespace svc::client
