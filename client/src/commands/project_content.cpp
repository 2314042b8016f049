#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "svc/common/limits/hosts.h"
#include "svc/common/limits/worktrees.h"

#include "commands/commands.h"
#include "commands/record_lookup.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

std::string contentPath(const Json& project, const char* what) {
  return fmt::format("/api/v1/projects/{}/{}", percentEncode(project["id"].asString()), what);
}

void noteTruncated(const Console& console, bool truncated) {
  if (truncated) {
    console.err << "There is more; --limit shows it, a query narrows it.\n";
  }
}

/// Asks a route about the folder of the project that the options name.
int askContent(Context& context, const ContentOptions& options, const char* what,
               Parameters parameters, const std::function<void(const Json& envelope)>& show) {
  return withRecord(context, kProjectRecords, options.project, [&](Api& api, const Json& project) {
    parameters.emplace_back("query", options.query);
    parameters.emplace_back("limit", options.limit == 0 ? "" : std::to_string(options.limit));
    const auto askAt = [&](const char* place, const Json& record) {
      auto all = parameters;
      all.emplace_back(place, record["id"].asString());
      return ask(context, api, {"GET", withQuery(contentPath(project, what), all), ""}, show);
    };
    if (!options.machine.empty()) {
      return withMachine(context, api, options.machine,
                         [&](const Json& host) { return askAt("hostId", host); });
    }
    if (!options.environment.empty()) {
      return findRecord(context, api, kEnvironmentRecords, options.environment,
                        [&](const Json& found) { return askAt("environmentId", found); });
    }
    return ask(context, api, {"GET", withQuery(contentPath(project, what), parameters), ""}, show);
  });
}

std::string branchNote(const Json& answer, const std::string& branch, bool remote) {
  std::string note;
  const auto add = [&note](const char* text) {
    note += (note.empty() ? "" : ", ") + std::string(text);
  };
  const auto& checkout = answer["checkout"];
  if (!remote && checkout["branchName"].asString() == branch) {
    add("checked out");
  }
  if (answer[remote ? "originDefaultBranch" : "defaultBranch"].asString() == branch) {
    add("default");
  }
  if (answer["defaultWorktreeBaseBranch"].asString() == branch) {
    add("base of worktrees");
  }
  return note;
}

void showBranches(const Console& console, const Json& answer) {
  Table table;
  table.add({"BRANCH", "WHERE", "NOTE"});
  bool any = false;
  for (const bool remote : {false, true}) {
    for (const auto& branch : answer[remote ? "remoteBranches" : "branches"].items()) {
      any = true;
      table.add({branch.asString(), remote ? "remote" : "local",
                 branchNote(answer, branch.asString(), remote)});
    }
  }
  if (any) {
    console.out << table.render(layoutFor(console));
  } else {
    console.err << "There are no branches.\n";
  }
  if (answer["checkout"]["kind"].asString() == "detached") {
    console.err << "The checkout is detached, at "
                << oneLine(answer["checkout"]["headSha"].asString()) << ".\n";
  }
  const auto& operation = answer["operation"]["kind"].asString();
  if (!operation.empty() && operation != "none") {
    console.err << "A " << oneLine(operation) << " is going on"
                << (answer["operation"]["hasConflicts"].asBool() ? ", with conflicts" : "")
                << ".\n";
  }
  if (answer["hasUncommittedChanges"].asBool()) {
    console.err << "There are changes that are not committed.\n";
  }
  noteTruncated(console,
                answer["branchesTruncated"].asBool() || answer["remoteBranchesTruncated"].asBool());
}

}  // namespace

int projectFiles(Context& context, const ContentOptions& options) {
  const auto& console = context.console;
  return askContent(context, options, "files", {}, [&](const Json& envelope) {
    for (const auto& file : envelope["files"].items()) {
      console.out << oneLine(file["path"].asString()) << '\n';
    }
    if (envelope["files"].items().empty()) {
      console.err << "There are no such files.\n";
    }
    noteTruncated(console, envelope["truncated"].asBool());
  });
}

int projectPaths(Context& context, const ContentOptions& options) {
  const auto& console = context.console;
  Parameters parameters;
  if (!options.kind.empty()) {
    parameters.emplace_back(options.kind == "file" ? "includeDirectories" : "includeFiles",
                            "false");
  }
  return askContent(context, options, "paths", std::move(parameters), [&](const Json& envelope) {
    for (const auto& path : envelope["paths"].items()) {
      console.out << oneLine(path["path"].asString())
                  << (path["kind"].asString() == "directory" ? "/" : "") << '\n';
    }
    if (envelope["paths"].items().empty()) {
      console.err << "There are no such paths.\n";
    }
    noteTruncated(console, envelope["truncated"].asBool());
  });
}

int projectBranches(Context& context, const ContentOptions& options) {
  return askContent(context, options, "branches", {},
                    [&](const Json& envelope) { showBranches(context.console, envelope); });
}

int projectSourceClone(Context& context, const CloneOptions& options) {
  const auto& console = context.console;
  return withRecord(context, kProjectRecords, options.project, [&](Api& api, const Json& project) {
    return withMachine(context, api, options.place.machine, [&](const Json& host) {
      auto body = Json::object().set("type", "clone").set("hostId", host["id"]);
      if (!options.remote.empty()) {
        body.set("remoteUrl", options.remote);
      }
      if (!options.place.path.empty()) {
        body.set("targetPath", options.place.path);
      }
      if (!console.json) {
        console.err << "Cloning; that may take long.\n" << std::flush;
      }
      context.on_interrupt("The machine goes on cloning; `svc project show " +
                           oneLine(project["name"].asString()) +
                           "` shows the folder when it is done.\n");
      const auto code = ask(context, api,
                            {.method = "POST",
                             .target = contentPath(project, "sources"),
                             .body = body.dump(),
                             .timeout = limits::kClone + limits::kHostTransport},
                            [&](const Json& envelope) {
                              console.out
                                  << fmt::format("Cloned to {} and added it to {} ({}).\n",
                                                 oneLine(envelope["source"]["path"].asString()),
                                                 oneLine(project["name"].asString()),
                                                 oneLine(envelope["source"]["id"].asString()));
                            });
      context.on_interrupt({});
      return code;
    });
  });
}

}  // namespace svc::client
