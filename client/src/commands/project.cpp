#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/record_lookup.h"
#include "exit_code.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

std::string projectPath(const Json& project, const std::string& rest = {}) {
  return "/api/v1/projects/" + percentEncode(project["id"].asString()) + rest;
}

Json defaultSource(const Json& project) {
  for (const auto& source : project["sources"].items()) {
    if (source["isDefault"].asBool()) {
      return source;
    }
  }
  return {};
}

std::string projectTable(const Json& projects, const MachineNames& machines,
                         const Console& console) {
  Table table;
  table.add({"NAME", "FOLDER", "MACHINE", "SOURCES", "ID"});
  for (const auto& project : projects.items()) {
    const auto source = defaultSource(project);
    table.add({project["name"].asString(), source["path"].asString(),
               machineName(machines, source["hostId"].asString()),
               std::to_string(project["sources"].items().size()), project["id"].asString()});
  }
  return table.render(layoutFor(console));
}

std::string projectFacts(const Json& project, const MachineNames& machines,
                         const Console& console) {
  Table facts;
  facts.add({"name", project["name"].asString()});
  facts.add({"id", project["id"].asString()});
  if (project["kind"].asString() == "personal") {
    facts.add({"kind", "personal: for what belongs to no other project; it has no folders"});
  }
  if (project["gitRemoteUrl"].isString()) {
    facts.add({"remote", project["gitRemoteUrl"].asString()});
  }
  facts.add({"created", console.time(project["createdAt"].asInteger())});
  auto out = facts.render(layoutFor(console));
  const auto& sources = project["sources"].items();
  if (!sources.empty()) {
    Table table;
    table.add({"FOLDER", "MACHINE", "DEFAULT", "SOURCE"});
    for (const auto& source : sources) {
      table.add({source["path"].asString(), machineName(machines, source["hostId"].asString()),
                 source["isDefault"].asBool() ? "yes" : "", source["id"].asString()});
    }
    out += "\n" + table.render(layoutFor(console));
  }
  return out;
}

/// A folder of the machine that is named, else of the server's own.
int withPlace(const Context& context, Api& api, const PlaceOptions& place,
              const std::function<int(const Json& source)>& use) {
  return withMachine(context, api, place.machine, [&](const Json& host) {
    return use(Json::object()
                   .set("type", "local_path")
                   .set("hostId", host["id"])
                   .set("path", pathOn(context, place.machine, place.path)));
  });
}

int withProject(Context& context, const std::string& wanted,
                const std::function<int(Api& api, const Json& project)>& use) {
  return withRecord(context, kProjectRecords, wanted, use);
}

/// The source of the project with this id, or else this folder.
int withSource(Context& context, const std::string& project, const std::string& wanted,
               const std::function<int(Api& api, const Json& project, const Json& source)>& use) {
  return withProject(context, project, [&](Api& api, const Json& found) {
    for (const char* const member : {"id", "path"}) {
      for (const auto& source : found["sources"].items()) {
        if (source[member].asString() == wanted) {
          return use(api, found, source);
        }
      }
    }
    context.console.fail(
        Error{errc::kNotFound, fmt::format("the project {} has no source \"{}\"",
                                           oneLine(found["name"].asString()), oneLine(wanted))},
        "`svc project show` shows its sources");
    return static_cast<int>(kExitNotFound);
  });
}

}  // namespace

int projectList(Context& context) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  return ask(context, api.value(), {"GET", "/api/v1/projects", ""}, [&](const Json& envelope) {
    if (envelope["projects"].items().empty()) {
      console.err << "There are no projects yet. `svc project create <name> <folder>` makes one.\n";
      return;
    }
    console.out << projectTable(envelope["projects"], machineNames(api.value()), console);
  });
}

int projectShow(Context& context, const std::string& project) {
  return withProject(context, project, [&](Api& api, const Json& found) {
    return ask(context, api, {"GET", projectPath(found), ""}, [&](const Json& envelope) {
      context.console.out << projectFacts(envelope["project"], machineNames(api), context.console);
    });
  });
}

int projectCreate(Context& context, const std::string& name, const PlaceOptions& place) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  return withPlace(context, api.value(), place, [&](const Json& source) {
    const auto body = Json::object().set("name", name).set("source", source).dump();
    return ask(context, api.value(), {"POST", "/api/v1/projects", body}, [&](const Json& envelope) {
      const auto& project = envelope["project"];
      console.out << fmt::format("Created {} ({}) in {}.\n", oneLine(project["name"].asString()),
                                 oneLine(project["id"].asString()),
                                 oneLine(defaultSource(project)["path"].asString()));
    });
  });
}

int projectRename(Context& context, const std::string& project, const std::string& name) {
  return withProject(context, project, [&](Api& api, const Json& found) {
    return ask(context, api, {"PATCH", projectPath(found), Json::object().set("name", name).dump()},
               [&](const Json& envelope) {
                 context.console.out
                     << fmt::format("Renamed {} to {}.\n", oneLine(found["name"].asString()),
                                    oneLine(envelope["project"]["name"].asString()));
               });
  });
}

int projectDelete(Context& context, const std::string& project, bool yes) {
  const auto& console = context.console;
  if (!yes && !console.in_terminal) {
    console.fail(Error{codes::kRefused, "nothing was deleted: it was not confirmed"},
                 "run it on a terminal, or add --yes");
    return kExitRefused;
  }
  return withProject(context, project, [&](Api& api, const Json& found) {
    const auto name = oneLine(found["name"].asString());
    if (!yes && !console.confirm("This deletes the project \"" + name +
                                 "\" and its attachments; its folders stay. Continue? [y/N]")) {
      console.fail(Error{codes::kRefused, "nothing was deleted"});
      return static_cast<int>(kExitRefused);
    }
    return ask(context, api, {"DELETE", projectPath(found), ""}, [&](const Json& /*envelope*/) {
      console.out << "Deleted " << name << ".\n";
      console.err << "Its folders are as they were.\n";
    });
  });
}

int projectSourceAdd(Context& context, const std::string& project, const PlaceOptions& place) {
  return withProject(context, project, [&](Api& api, const Json& found) {
    return withPlace(context, api, place, [&](const Json& source) {
      return ask(context, api, {"POST", projectPath(found, "/sources"), source.dump()},
                 [&](const Json& envelope) {
                   context.console.out << fmt::format(
                       "Added {} to {} ({}).\n", oneLine(envelope["source"]["path"].asString()),
                       oneLine(found["name"].asString()),
                       oneLine(envelope["source"]["id"].asString()));
                 });
    });
  });
}

int projectSourceDefault(Context& context, const std::string& project, const std::string& source) {
  return withSource(context, project, source, [&](Api& api, const Json& found, const Json& chosen) {
    const auto path = projectPath(found, "/sources/" + percentEncode(chosen["id"].asString()));
    const auto body = Json::object().set("type", "local_path").set("isDefault", true).dump();
    return ask(context, api, {"PATCH", path, body}, [&](const Json& envelope) {
      context.console.out << fmt::format("{} is the default source of {}.\n",
                                         oneLine(envelope["source"]["path"].asString()),
                                         oneLine(found["name"].asString()));
    });
  });
}

int projectSourceRemove(Context& context, const std::string& project, const std::string& source) {
  return withSource(context, project, source, [&](Api& api, const Json& found, const Json& chosen) {
    const auto path = projectPath(found, "/sources/" + percentEncode(chosen["id"].asString()));
    return ask(context, api, {"DELETE", path, ""}, [&](const Json& /*envelope*/) {
      context.console.out << fmt::format("Removed {} from {}.\n",
                                         oneLine(chosen["path"].asString()),
                                         oneLine(found["name"].asString()));
      context.console.err << "The folder is as it was.\n";
    });
  });
}

}  // namespace svc::client
