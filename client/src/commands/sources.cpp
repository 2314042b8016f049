#include <ostream>

#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/record_lookup.h"
#include "commands/request.h"
#include "doctor/findings.h"
#include "exit_code.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

/// A line of `svc plugin source`, unless there is nothing to say.
void addFact(Table& table, const char* name, const Json& value) {
  const auto text = value.isString() ? value.asString() : value.isNull() ? "" : value.dump();
  if (!text.empty()) {
    table.add({name, text});
  }
}

std::string sourceText(const Json& source, const Console& console) {
  Table facts;
  addFact(facts, "requested", source["requested"]);
  addFact(facts, "resolved", source["resolved"]);
  addFact(facts, "subdirectory", source["subdirectory"]);
  addFact(facts, "range", source["range"]);
  addFact(facts, "tag prefix", source["tagPrefix"]);
  addFact(facts, "tag", source["resolvedTag"]);
  addFact(facts, "integrity", source["integrity"]);
  addFact(facts, "registry", source["registry"]);
  for (const auto& [name, range] : source["engines"].members()) {
    if (!range.asString().empty()) {
      addFact(facts, "needs", Json(name + " " + range.asString()));
    }
  }
  if (source["installedAt"].isNumber()) {
    addFact(facts, "installed", Json(console.time(source["installedAt"].asInteger())));
  }
  auto text = facts.render(layoutFor(console));
  Table history;
  for (const auto& entry : source["history"].items()) {
    history.add({"history", entry["version"].asString(), entry["resolved"].asString(),
                 console.time(entry["at"].asInteger())});
  }
  return text + history.render(layoutFor(console));
}

/// The installed version, else why it could not be installed.
std::string installedText(const Json& entry) {
  if (entry["installed"].asBool()) {
    return entry["installedVersion"].asString();
  }
  return entry["incompatibleReason"].asString();
}

}  // namespace

int pluginSource(Context& context, const std::string& id) {
  return request(context, {"GET", pluginPath(id, "/source"), ""}, [&](const Json& envelope) {
    if (!context.console.json) {
      context.console.out << sourceText(envelope["source"], context.console);
    }
    return static_cast<int>(kExitOk);
  });
}

int pluginSearch(Context& context, const std::string& query) {
  const auto path = "/api/v1/plugin-catalog/search?q=" + percentEncode(query);
  return request(context, {"GET", path, ""}, [&](const Json& envelope) {
    const auto& console = context.console;
    if (console.json) {
      return static_cast<int>(kExitOk);
    }
    const auto& results = envelope["results"].items();
    if (results.empty()) {
      console.err << "Nothing found.\n";
      console.err << "`svc marketplace list` shows where svc looks.\n";
      return static_cast<int>(kExitOk);
    }
    Table table;
    table.add({"PLUGIN", "DESCRIPTION", "AUTHOR", "SOURCE", "INSTALLED"});
    for (const auto& result : results) {
      table.add({result["entryId"].asString() + "@" + result["marketplace"].asString(),
                 firstLine(result["description"].asString()), result["author"]["name"].asString(),
                 result["source"].asString(), installedText(result)});
    }
    console.out << table.render(layoutFor(console));
    return static_cast<int>(kExitOk);
  });
}

int pluginPrune(Context& context, bool dry_run) {
  const auto body = Json::object().set("dryRun", dry_run).dump();
  return request(context, {"POST", "/api/v1/plugins/prune", body}, [&](const Json& envelope) {
    const auto& console = context.console;
    if (console.json) {
      return static_cast<int>(kExitOk);
    }
    const auto& removed = envelope["removed"].items();
    for (const auto& entry : removed) {
      console.out << oneLine(entry["path"].asString()) << "  "
                  << sizeText(static_cast<std::uintmax_t>(entry["bytes"].asInteger())) << '\n';
    }
    const auto total = sizeText(static_cast<std::uintmax_t>(envelope["bytes"].asInteger()));
    console.err << (removed.empty() ? std::string("Nothing to delete.\n")
                    : dry_run       ? fmt::format("Would free {}.\n", total)
                                    : fmt::format("Freed {}.\n", total));
    return static_cast<int>(kExitOk);
  });
}

}  // namespace svc::client
