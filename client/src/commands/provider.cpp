#include <ostream>
#include <set>

#include <fmt/format.h>

#include "commands/thread.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

std::string joinedTexts(const Json& texts) {
  std::string out;
  for (const auto& text : texts.items()) {
    out += (out.empty() ? "" : ", ") + text.asString();
  }
  return out;
}

/// Those that are there or configured, then those that are known and missing.
std::string providerTable(const Console& console, const Json& providers, const Json& states) {
  Table table;
  table.add({"ID", "NAME", "AVAILABLE", "PERMISSION MODES", "PLUGIN", "WHY NOT"});
  std::set<std::string> shown;
  for (const auto& provider : providers.items()) {
    shown.insert(provider["id"].asString());
    table.add({provider["id"].asString(), provider["displayName"].asString(),
               provider["available"].asBool() ? "yes" : "no",
               joinedTexts(provider["capabilities"]["permissionModes"]),
               provider["pluginId"].asString(), provider["unavailableReason"].asString()});
  }
  // Of several machines the first one speaks for an agent that none of them has.
  for (const auto& state : states.items()) {
    if (shown.insert(state["providerId"].asString()).second) {
      table.add({state["providerId"].asString(), "", "no", "", "",
                 state["unavailableReason"].asString()});
    }
  }
  return table.render(layoutFor(console));
}

std::string modelTable(const Console& console, const Json& envelope) {
  Table table;
  table.add({"MODEL", "NAME", "DEFAULT", "REASONING"});
  for (const auto& model : envelope["models"].items()) {
    std::string efforts;
    for (const auto& effort : model["supportedReasoningEfforts"].items()) {
      const auto& level = effort["reasoningEffort"].asString();
      efforts += (efforts.empty() ? "" : ", ") + level +
                 (level == model["defaultReasoningEffort"].asString() ? "*" : "");
    }
    table.add({model["id"].asString(), model["displayName"].asString(),
               model["isDefault"].asBool() ? "yes" : "", efforts});
  }
  return table.render(layoutFor(console));
}

int askProviders(Context& context, const std::string& machine, const char* path,
                 const std::string& provider,
                 const std::function<void(const Json& envelope)>& show) {
  auto opened = Api::open(context.choice, context.environment, context.connector);
  if (!opened) {
    return reportNoAnswer(context.console, opened.error());
  }
  auto& api = opened.value();
  const auto askAt = [&](const std::string& host_id) {
    return ask(context, api,
               {"GET", withQuery(path, {{"providerId", provider}, {"hostId", host_id}}), ""}, show);
  };
  return machine.empty()
             ? askAt({})
             : findRecord(context, api, kMachineRecords, machine,
                          [&](const Json& host) { return askAt(host["id"].asString()); });
}

}  // namespace

int providerList(Context& context, const std::string& machine) {
  const auto& console = context.console;
  Json providers;
  const int code = askProviders(context, machine, "/api/v1/providers", {},
                                [&](const Json& envelope) { providers = envelope["providers"]; });
  if (code != kExitOk || console.json) {
    return code;
  }
  return askProviders(
      context, machine, "/api/v1/system/provider-states", {}, [&](const Json& envelope) {
        const auto& states = envelope["states"];
        if (providers.items().empty() && states.items().empty()) {
          console.err << "There are no agents yet: the machine has not said which it knows. Ask "
                         "again in a moment.\n";
          return;
        }
        if (providers.items().empty()) {
          console.err << "There are no agents yet. Install one that is known, or name a program in "
                         "the setting `agents`:\n";
        }
        console.out << providerTable(console, providers, states);
      });
}

int providerModels(Context& context, const std::string& provider, const std::string& machine) {
  const auto& console = context.console;
  return askProviders(context, machine, "/api/v1/providers/models", provider,
                      [&](const Json& envelope) {
                        if (!envelope["models"].items().empty()) {
                          console.out << modelTable(console, envelope);
                        } else {
                          console.err << "There are no models.\n";
                        }
                        const auto& failed = envelope["modelLoadError"];
                        if (failed.isObject()) {
                          console.complain(failed["message"].asString());
                        }
                      });
}

}  // namespace svc::client
