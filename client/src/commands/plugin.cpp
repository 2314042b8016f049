#include <algorithm>
#include <functional>
#include <istream>
#include <ostream>

#include <fmt/format.h>

#include "bundled.h"
#include "commands/commands.h"
#include "commands/request.h"
#include "exit_code.h"
#include "plugin_block.h"
#include "sdk_pins.h"
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
      for (const auto& plugin : bundledPlugins(shareDir(context.environment))) {
        context.console.err << fmt::format(
            "hint: `svc plugin install builtin:{}` comes with svc: {}\n", plugin.id,
            oneLine(plugin.description));
      }
      if (!bundledExamples(shareDir(context.environment)).empty()) {
        context.console.err
            << "hint: `svc plugin examples` lists small plugins that come with svc\n";
      }
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
  } else if (!id.empty() && !records.empty()) {
    context.console.out << std::flush;
    tellNextSteps(context.console, records.front(), api.value().address().url);
  }
  return std::all_of(records.begin(), records.end(), reloadedWell) ? kExitOk : kExitFailure;
}

int pluginEnable(Context& context, const std::string& id) {
  return request(context, {"POST", pluginPath(id, "/enable"), "{}"}, [&](const Json& envelope) {
    const auto& record = envelope["plugin"];
    printBlock(context.console, record);
    context.console.out << std::flush;
    if (const auto server = locateServer(context.choice, context.environment)) {
      tellNextSteps(context.console, record, server.value().url);
    }
    return exitCodeForStatus(record);
  });
}

int pluginDisable(Context& context, const std::string& id) {
  return request(context, {"POST", pluginPath(id, "/disable"), "{}"}, [&](const Json& envelope) {
    printBlock(context.console, envelope["plugin"]);
    return static_cast<int>(kExitOk);
  });
}

namespace {

/// What is lost and what stays, for the one who decides.
std::string consequences(const std::string& id, bool purge) {
  return fmt::format(
      "Removing {} deletes its settings, secrets, schedules and token.\n"
      "Its stored values, database and logs are {}.\n",
      id, purge ? "deleted, too" : "kept; --purge deletes them, too");
}

/// True when the user agrees; prints why not otherwise.
bool confirmRemoval(const Console& console, const std::string& id, bool purge) {
  console.err << consequences(id, purge);
  if (!console.in_terminal) {
    console.fail(Error{codes::kRefused, "nothing was removed: the loss of data was not confirmed"},
                 "run it on a terminal, or add --yes");
    return false;
  }
  if (!console.confirm("Remove? [y/N]")) {
    console.fail(Error{codes::kRefused, "nothing was removed"});
    return false;
  }
  return true;
}

}  // namespace

int pluginRemove(Context& context, const std::string& id, RemoveOptions options) {
  const auto& console = context.console;
  if (!options.yes) {
    // Nobody is asked about a plugin that is not there.
    auto api = Api::open(context.choice, context.environment, context.connector);
    const auto found =
        api ? api.value().call({"GET", pluginPath(id), ""}) : Result<Reply>(api.error());
    if (!found) {
      return reportNoAnswer(console, found.error());
    }
    if (!found.value().ok()) {
      return reportFailure(console, found.value());
    }
    if (!confirmRemoval(console, oneLine(id), options.purge)) {
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
