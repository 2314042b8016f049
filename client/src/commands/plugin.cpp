#include <algorithm>
#include <functional>
#include <istream>
#include <ostream>

#include "commands/commands.h"
#include "commands/request.h"
#include "exit_code.h"
#include "plugin_block.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

void printBlock(const Console& console, const Json& record) {
  if (!console.json) {
    console.out << pluginBlock(record, console);
  }
}

/// A reload that kept the previous instance leaves the plugin running and says so in the detail.
bool reloadedWell(const Json& record) {
  const auto& status = record["status"].asString();
  const bool loaded =
      status == "running" || status == "needs-configuration" || status == "disabled";
  return loaded && !record["statusDetail"].asString().starts_with("reload failed:");
}

}  // namespace

int pluginList(Context& context) {
  return request(context, {"GET", "/api/v1/plugins", ""}, [&](const Json& envelope) {
    const auto& records = envelope["plugins"].items();
    if (records.empty() && !context.console.json) {
      context.console.out << "No plugins installed.\n";
    }
    for (const auto& record : records) {
      printBlock(context.console, record);
    }
    return static_cast<int>(kExitOk);
  });
}

int pluginShow(Context& context, const std::string& id) {
  return request(context, {"GET", pluginPath(id), ""}, [&](const Json& envelope) {
    if (!context.console.json) {
      context.console.out << pluginDetails(envelope["plugin"], context.console);
    }
    return static_cast<int>(kExitOk);
  });
}

int pluginReload(Context& context, const std::string& id) {
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(context.console, api.error());
  }
  const auto reply = api.value().post(
      id.empty() ? "/plugins/reload" : "/plugins/reload?id=" + percentEncode(id), Json::object());
  if (!reply) {
    return reportNoAnswer(context.console, reply.error());
  }
  const auto& answer = reply.value();
  const auto& records = answer.ok() ? answer.json["plugins"].items()
                                    : answer.json["error"]["details"]["plugins"].items();
  for (const auto& record : records) {
    printBlock(context.console, record);
  }
  if (!answer.ok()) {
    return reportFailure(context.console, answer);
  }
  if (context.console.json) {
    context.console.out << answer.text << '\n';
  }
  return std::all_of(records.begin(), records.end(), reloadedWell) ? kExitOk : kExitFailure;
}

int pluginEnable(Context& context, const std::string& id) {
  return request(context, {"POST", pluginPath(id, "/enable"), "{}"}, [&](const Json& envelope) {
    printBlock(context.console, envelope["plugin"]);
    return exitCodeForStatus(envelope["plugin"]);
  });
}

int pluginDisable(Context& context, const std::string& id) {
  return request(context, {"POST", pluginPath(id, "/disable"), "{}"}, [&](const Json& envelope) {
    printBlock(context.console, envelope["plugin"]);
    return static_cast<int>(kExitOk);
  });
}

int pluginRemove(Context& context, const std::string& id, RemoveOptions options) {
  const auto& console = context.console;
  if (options.purge && !options.yes) {
    if (!console.in_terminal) {
      console.fail(Error{codes::kRefused,
                         "--purge deletes the data of \"" + id + "\" and was not confirmed"},
                   "run it on a terminal, or add --yes");
      return kExitRefused;
    }
    if (!console.confirm("This deletes everything plugin \"" + oneLine(id) +
                         "\" has stored. Continue? [y/N]")) {
      console.fail(Error{codes::kRefused, "nothing was removed"});
      return kExitRefused;
    }
  }
  return request(context, {"DELETE", pluginPath(id, options.purge ? "?purge=true" : ""), ""},
                 [&](const Json& envelope) {
                   if (!console.json) {
                     console.out << "Removed " << oneLine(envelope["removed"].asString()) << ".\n";
                     std::string kept;
                     for (const auto& item : envelope["kept"].items()) {
                       kept += (kept.empty() ? "" : ", ") + oneLine(item.asString());
                     }
                     if (!kept.empty()) {
                       console.out << "Kept: " << kept << "\n";
                     }
                   }
                   return static_cast<int>(kExitOk);
                 });
}

int pluginToken(Context& context, const std::string& id, bool rotate) {
  return request(context, {"POST", pluginPath(id, "/token"), rotate ? R"({"rotate":true})" : "{}"},
                 [&](const Json& envelope) {
                   if (!context.console.json) {
                     context.console.out << oneLine(envelope["token"].asString()) << '\n';
                   }
                   return static_cast<int>(kExitOk);
                 });
}

}  // namespace svc::client
