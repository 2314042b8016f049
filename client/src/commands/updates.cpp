#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/request.h"
#include "commands/update.h"
#include "exit_code.h"
#include "progress.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

/// Staging, the switch and the stabilisation window; the server bounds each.
constexpr auto kUpdateWait = std::chrono::minutes(15);
/// A check asks every source, a few at a time.
constexpr auto kCheckWait = std::chrono::minutes(5);

std::string versionOf(const Json& check, std::string_view member) {
  return oneLine(check[member]["version"].asString());
}

Result<Reply> check(Context& context, Api& api, const std::string& id) {
  Progress progress(context.console);
  progress.show("checking for updates");
  Json body = Json::object();
  if (!id.empty()) {
    body.set("id", id);
  }
  return api.call({"POST", "/api/v1/plugins/updates/check", body.dump(), kCheckWait});
}

std::string outdatedTable(const Json& results, const Console& console) {
  Table table;
  table.add({"Plugin", "Installed", "Latest compatible", "Blocked newer", "Status"});
  for (const auto& result : results.items()) {
    const auto& detail = result["detail"].asString();
    std::string blocked = result["blocked"]["version"].asString();
    std::string reasons;
    for (const auto& reason : result["blocked"]["reasons"].items()) {
      reasons += (reasons.empty() ? "" : "; ") + reason.asString();
    }
    const auto candidate = versionOf(result, "candidate");
    table.add({result["id"].asString(), versionOf(result, "installed"),
               candidate.empty() ? "-" : candidate,
               blocked.empty()   ? "-"
               : reasons.empty() ? blocked
                                 : fmt::format("{} ({})", blocked, reasons),
               result["outcome"].asString() + (detail.empty() ? "" : " (" + detail + ")")});
  }
  return table.render(layoutFor(console));
}

/// The commit of a git source, shortened; empty for other sources.
std::string commitOf(const Json& check, std::string_view member) {
  constexpr std::size_t kShort = 12;
  const auto resolved = oneLine(check[member]["resolved"].asString());
  const auto at = resolved.rfind('@');
  return resolved.starts_with("git:") && at != std::string::npos ? resolved.substr(at + 1, kShort)
                                                                 : std::string();
}

/// `1.0.0 → 1.1.0`; what tells versions of one number apart stands with them: `1.0.0 → 1.0.0 (0a1b → 2c3d)`.
std::string arrow(const Json& check, const std::string& from, const std::string& to) {
  const auto before = commitOf(check, "installed");
  const auto after = commitOf(check, "candidate");
  const bool tells = from == to && !before.empty() && !after.empty();
  return fmt::format("{} → {}{}", from, to, tells ? fmt::format(" ({} → {})", before, after) : "");
}

/// `todo 1.0.0 → 1.1.0`
std::string change(const Json& result) {
  return fmt::format("{} {}", oneLine(result["id"].asString()),
                     arrow(result, versionOf(result, "installed"), versionOf(result, "candidate")));
}

/// Why there is nothing to apply; the exit code says whether that is what was asked for.
int reportNothing(const Console& console, const Json& result) {
  const auto& outcome = result["outcome"].asString();
  if (!console.json) {
    const auto detail = oneLine(result["detail"].asString());
    console.out << fmt::format("{} {}: {}{}\n", oneLine(result["id"].asString()),
                               versionOf(result, "installed"), oneLine(outcome),
                               detail.empty() ? "" : " (" + detail + ")");
    for (const auto& reason : result["blocked"]["reasons"].items()) {
      console.out << fmt::format("  {} is blocked: {}\n",
                                 oneLine(result["blocked"]["version"].asString()),
                                 oneLine(reason.asString()));
    }
  }
  if (outcome == "incompatible") {
    return kExitIncompatible;
  }
  return outcome == "unavailable" ? kExitFailure : kExitOk;
}

/// What was given up before is installed again only by name.
void reportRolledBack(const Console& console, const Json& result) {
  const auto id = oneLine(result["id"].asString());
  const auto version = versionOf(result, "candidate");
  console.err << fmt::format(
      "{0} {1} is left out: it was installed and rolled back ({2}). `svc plugin update {0}` tries "
      "it again.\n",
      id, version, firstLine(result["rolledBack"]["detail"].asString()));
}

bool confirmUpdates(const Console& console, const std::vector<const Json*>& updates) {
  for (const auto* const update : updates) {
    console.err << change(*update) << '\n';
  }
  if (!console.in_terminal) {
    console.fail(Error{codes::kRefused, "not updated: the new code was not confirmed"},
                 "run it on a terminal, or add --yes");
    return false;
  }
  if (!console.confirm("The new versions run with your full rights. Update? [y/N]")) {
    console.fail(Error{codes::kRefused, "nothing was updated"});
    return false;
  }
  return true;
}

int reportOutcome(const Console& console, const Json& update, const Json& answer) {
  const auto id = oneLine(update["id"].asString());
  const auto& outcome = answer["outcome"].asString();
  // A build failure shows the lines it is about.
  const auto detail = manyLines(answer["detail"].asString());
  const auto from = oneLine(answer["from"].asString());
  const auto to = oneLine(answer["to"].asString());
  if (outcome == "rolled-back") {
    console.out << fmt::format("Rolled back {} to {}{}\n", id, from,
                               detail.empty() ? "." : ": " + detail);
    return kExitFailure;
  }
  if (outcome == "updated" && !detail.empty()) {
    console.out << fmt::format("{} {}: {}.\n", id, to, detail);
    return kExitOk;
  }
  console.out << (outcome == "updated" ? fmt::format("Updated {} {}\n", id, arrow(update, from, to))
                                       : fmt::format("{} {} is current.\n", id, from));
  return kExitOk;
}

Result<Reply> requestUpdate(Context& context, Api& api, const std::string& id,
                            const std::string& what, std::string body) {
  Progress progress(context.console);
  progress.show("updating " + what);
  context.on_interrupt("\nThe update goes on. `svc plugin show " + oneLine(id) +
                       "` shows its outcome.\n");
  auto reply = api.call({"POST", pluginPath(id, "/update"), std::move(body), kUpdateWait});
  context.on_interrupt("");
  progress.clear();
  return reply;
}

/// One update; its answer goes to `answers` with the plugin's id. `was_shown`: somebody has agreed to this very version.
int applyOne(Context& context, Api& api, const Json& update, bool was_shown, Json& answers) {
  const auto& console = context.console;
  const auto id = update["id"].asString();
  auto body = Json::object();
  if (const auto& shown = update["candidate"]["resolved"]; was_shown && shown.isString()) {
    body.set("confirmedSource", shown);
  }
  const auto reply = requestUpdate(context, api, id, change(update), body.dump());
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  auto answer = reply.value().json;
  answers.push(answer.set("id", id));
  if (!reply.value().ok()) {
    console.complain(fmt::format("{}: {}", oneLine(id), reply.value().message()));
    return exitCodeOf(reply.value().json["error"]);
  }
  if (console.json) {
    return answer["outcome"].asString() == "rolled-back" ? kExitFailure : kExitOk;
  }
  return reportOutcome(console, update, answer);
}

/// One that does not run may have lost its files, which an update downloads again where there is nothing newer.
bool mayNeedItsFiles(Api& api, const std::string& id) {
  const auto reply = api.get("/plugins/" + percentEncode(id));
  const auto record = reply ? reply.value().json["plugin"] : Json();
  const auto& status = record["status"].asString();
  // A directory of one's own is downloaded from nowhere.
  return !record["source"].asString().starts_with("path:") &&
         (status == "missing" || status == "error" || record["statusDetail"].isString());
}

/// The first failure decides the exit code; the others are still tried.
int applyAll(Context& context, Api& api, const std::vector<const Json*>& updates, bool was_shown,
             bool one) {
  Json answers = Json::array();
  int code = kExitOk;
  for (const auto* const update : updates) {
    const int result = applyOne(context, api, *update, was_shown, answers);
    code = code == kExitOk ? result : code;
  }
  if (context.console.json) {
    const auto& items = answers.items();
    context.console.out << (one && items.size() == 1
                                ? items.front().dump()
                                : Json::object().set("ok", true).set("results", answers).dump())
                        << '\n';
  }
  return code;
}

}  // namespace

int replaceInstalled(Context& context, Api& api, const std::string& id, const Json& body) {
  const auto& console = context.console;
  const auto reply = requestUpdate(context, api, id, oneLine(id), body.dump());
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(console, reply.value());
  }
  if (console.json) {
    console.out << reply.value().text << '\n';
    return reply.value().json["outcome"].asString() == "rolled-back" ? kExitFailure : kExitOk;
  }
  return reportOutcome(console, Json::object().set("id", id), reply.value().json);
}

int pluginOutdated(Context& context) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  const auto reply = check(context, api.value(), "");
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(console, reply.value());
  }
  const auto& results = reply.value().json["results"];
  if (console.json) {
    console.out << reply.value().text << '\n';
  } else if (results.items().empty()) {
    console.err << "No plugins installed.\n";
  } else {
    console.out << outdatedTable(results, console);
  }
  return kExitOk;
}

int pluginUpdate(Context& context, const UpdateOptions& options) {
  const auto& console = context.console;
  if (options.id.empty() && !options.all) {
    console.fail(Error{codes::kUsage, "name a plugin, or add --all"},
                 "`svc plugin outdated` shows what can be updated");
    return kExitUsage;
  }
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  const auto reply = check(context, api.value(), options.id);
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(console, reply.value());
  }
  std::vector<const Json*> updates;
  int code = kExitOk;
  for (const auto& result : reply.value().json["results"].items()) {
    if (options.all && result["rolledBack"].isObject()) {
      reportRolledBack(console, result);
    } else if (result["outcome"].asString() == "update-available") {
      updates.push_back(&result);
    } else if (!options.all && mayNeedItsFiles(api.value(), options.id)) {
      return replaceInstalled(context, api.value(), options.id, Json::object());
    } else if (!options.all) {
      code = reportNothing(console, result);
    }
  }
  if (updates.empty()) {
    if (console.json) {
      console.out << reply.value().text << '\n';
    } else if (options.all) {
      console.err << "Nothing to update.\n";
    }
    return code;
  }
  if (!options.yes && !confirmUpdates(console, updates)) {
    return kExitRefused;
  }
  return applyAll(context, api.value(), updates, !options.yes, !options.all);
}

}  // namespace svc::client
