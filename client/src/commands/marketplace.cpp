#include <ostream>

#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/request.h"
#include "commands/source_text.h"
#include "exit_code.h"
#include "progress.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

/// A marketplace may be a repository that has to be cloned.
constexpr auto kFetchWait = std::chrono::minutes(5);

std::string marketplaceTable(const Json& marketplaces, const Console& console) {
  Table table;
  table.add({"NAME", "SOURCE", "PLUGINS", "REFRESHED", "PROBLEM"});
  for (const auto& entry : marketplaces.items()) {
    const auto& at = entry["refreshedAt"];
    table.add({entry["name"].asString(), entry["source"].asString(),
               std::to_string(entry["entries"].asInteger()),
               at.isNumber() ? console.time(at.asInteger()) : "-", entry["lastError"].asString()});
  }
  return table.render(layoutFor(console));
}

/// `<done> <name>: <n> plugins.` and the entries that were left out.
int showOne(const Console& console, const Json& envelope, const char* done) {
  const auto& marketplace = envelope["marketplace"];
  if (!console.json) {
    const auto entries = marketplace["entries"].asInteger();
    console.out << fmt::format("{} {}: {} plugin{}.\n", done,
                               oneLine(marketplace["name"].asString()), entries,
                               entries == 1 ? "" : "s");
    for (const auto& dropped : marketplace["dropped"].items()) {
      console.err << fmt::format("Left out {}: {}\n", oneLine(dropped["id"].asString()),
                                 oneLine(dropped["reason"].asString()));
    }
  }
  return kExitOk;
}

/// ": todo, notes", or nothing for an empty list.
std::string listed(const Json& ids) {
  std::string out;
  for (const auto& id : ids.items()) {
    out += (out.empty() ? ": " : ", ") + oneLine(id.asString());
  }
  return out;
}

int showMarketplaces(const Console& console, const Json& envelope) {
  if (!console.json) {
    console.out << (envelope["marketplaces"].items().empty()
                        ? std::string("No marketplaces.\n")
                        : marketplaceTable(envelope["marketplaces"], console));
  }
  return kExitOk;
}

HttpRequest refreshRequest(const std::string& name) {
  return {.method = "POST",
          .target = "/api/v1/marketplaces/" + percentEncode(name) + "/refresh",
          .body = "{}",
          .timeout = kFetchWait};
}

/// What a refresh of one list has come to; the failure is on stderr.
int refreshed(const Console& console, const Json& envelope) {
  const auto& results = envelope["results"].items();
  if (results.empty() || results.front()["ok"].asBool()) {
    return kExitOk;
  }
  const auto& failed = results.front();
  console.complain(oneLine(failed["name"].asString()) + ": " + failed["error"].asString());
  return kExitFailure;
}

/// One after the other; the first failure decides the exit code.
int refreshAll(Context& context) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  const auto listed = api.value().get("/marketplaces");
  if (!listed) {
    return reportNoAnswer(console, listed.error());
  }
  if (!listed.value().ok()) {
    return reportFailure(console, listed.value());
  }
  int code = kExitOk;
  Progress progress(console);
  for (const auto& entry : listed.value().json["marketplaces"].items()) {
    const auto& name = entry["name"].asString();
    progress.show("refreshing " + name);
    const auto reply = api.value().call(refreshRequest(name));
    progress.clear();
    if (!reply) {
      return reportNoAnswer(console, reply.error());
    }
    if (!reply.value().ok()) {
      console.complain(oneLine(name) + ": " + reply.value().message());
      code = code == kExitOk ? exitCodeOf(reply.value().json["error"]) : code;
    } else if (refreshed(console, reply.value().json) != kExitOk && code == kExitOk) {
      code = kExitFailure;
    }
  }
  const auto after = api.value().get("/marketplaces");
  if (!after) {
    return reportNoAnswer(console, after.error());
  }
  if (console.json) {
    console.out << after.value().text << '\n';
  }
  static_cast<void>(showMarketplaces(console, after.value().json));
  return code;
}

}  // namespace

int marketplaceList(Context& context) {
  return request(context, {"GET", "/api/v1/marketplaces", ""},
                 [&](const Json& envelope) { return showMarketplaces(context.console, envelope); });
}

int marketplaceAdd(Context& context, const std::string& source) {
  const auto body =
      Json::object().set("source", resolveSource(source, context.environment).text).dump();
  Progress progress(context.console);
  progress.show("reading " + source);
  return request(
      context,
      {.method = "POST", .target = "/api/v1/marketplaces", .body = body, .timeout = kFetchWait},
      [&](const Json& envelope) {
        progress.clear();
        return showOne(context.console, envelope, "Added");
      });
}

int marketplaceRefresh(Context& context, const std::string& name) {
  return name.empty() ? refreshAll(context)
                      : request(context, refreshRequest(name), [&](const Json& envelope) {
                          const auto code = refreshed(context.console, envelope);
                          return code != kExitOk
                                     ? code
                                     : showOne(context.console, envelope["results"].items().at(0),
                                               "Refreshed");
                        });
}

int marketplaceRemove(Context& context, const std::string& name) {
  return request(context, {"DELETE", "/api/v1/marketplaces/" + percentEncode(name), ""},
                 [&](const Json& envelope) {
                   if (!context.console.json) {
                     context.console.out << "Removed " << oneLine(name)
                                         << ". Plugins installed from it stay"
                                         << listed(envelope["convertedPluginIds"]) << ".\n";
                   }
                   return static_cast<int>(kExitOk);
                 });
}

}  // namespace svc::client
