#include "commands/environment.h"

#include <ostream>

#include <fmt/format.h>

#include "commands/commands.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;
constexpr std::size_t kShownCommits = 20;

/// What people call the ways of making one.
const char* kindName(const Json& environment) {
  const std::string_view kind = environment["workspaceProvisionType"].asString();
  return kind == "managed-worktree"           ? "worktree"
         : kind == "personal"                 ? "personal folder"
         : kind == "provider"                 ? "of a plugin"
         : environment["isWorktree"].asBool() ? "worktree in place"
                                              : "folder in place";
}

std::string stateName(const Json& environment) {
  const auto& phase = environment["lifecycle"]["phase"].asString();
  const auto& status = environment["status"].asString();
  return phase.empty() || phase == "active" || status == "destroyed"
             ? status
             : fmt::format("{}, {}", status, phase);
}

std::string environmentTable(const Console& console, const Json& environments,
                             const MachineNames& machines, bool all) {
  Table table;
  table.add({"ID", "NAME", "STATE", "KIND", "BRANCH", "MACHINE", "FOLDER"});
  bool any = false;
  for (const auto& each : environments.items()) {
    if (all || each["status"].asString() != std::string_view("destroyed")) {
      any = true;
      table.add({each["id"].asString(), each["name"].asString(), stateName(each), kindName(each),
                 each["branchName"].asString(), machineName(machines, each["hostId"].asString()),
                 each["path"].asString()});
    }
  }
  return any ? table.render(layoutFor(console)) : std::string();
}

void factIf(Table& facts, const char* name, const Json& value) {
  if (!value.asString().empty()) {
    facts.add({name, value.asString()});
  }
}

std::string environmentFacts(const Console& console, const Json& environment,
                             const MachineNames& machines) {
  Table facts;
  facts.add({"id", environment["id"].asString()});
  factIf(facts, "name", environment["name"]);
  facts.add({"state", stateName(environment)});
  factIf(facts, "because", environment["statusDetail"]);
  if (const auto& at = environment["lifecycle"]["retireAt"]; !at.isNull()) {
    facts.add({"removed after", formatTime(at.asInteger())});
  }
  facts.add({"kind", kindName(environment)});
  facts.add({"project", environment["projectId"].asString()});
  facts.add({"machine", machineName(machines, environment["hostId"].asString())});
  factIf(facts, "folder", environment["path"]);
  factIf(facts, "branch", environment["branchName"]);
  factIf(facts, "made from", environment["baseBranch"]);
  factIf(facts, "compared with", environment["mergeBaseBranch"]);
  facts.add({"created", console.time(environment["createdAt"].asInteger())});
  return facts.render(layoutFor(console));
}

std::string lineCounts(const Json& counted) {
  return fmt::format("+{} -{}", counted["insertions"].asInteger(),
                     counted["deletions"].asInteger());
}

std::string fileStats(const Console& console, const Json& files) {
  Table table;
  for (const auto& file : files.items()) {
    const bool lines = !file["insertions"].isNull();
    table.add({file["status"].asString(), file["path"].asString(), lines ? lineCounts(file) : ""});
  }
  return table.render(layoutFor(console));
}

const char* workingTreeSentence(std::string_view state) {
  return state == "clean"                ? "Nothing is changed."
         : state == "committed_unmerged" ? "All is committed; its branch has commits that are not "
                                           "in the base."
         : state == "dirty_and_committed_unmerged"
             ? "There are changes that are not committed, and commits that are not in the base."
         : state == "untracked" ? "There are new files."
                                : "There are changes that are not committed.";
}

void showWorkspace(const Console& console, const Json& workspace) {
  const auto& tree = workspace["workingTree"];
  const auto& base = workspace["mergeBase"];
  const auto& checkout = workspace["checkout"];
  Table facts;
  const bool on_branch = !checkout["branchName"].asString().empty();
  facts.add({"branch", on_branch ? checkout["branchName"].asString() : "none (detached)"});
  facts.add({"state", workingTreeSentence(tree["state"].asString())});
  if (base.isObject()) {
    facts.add(
        {"base", fmt::format("{}, {} ahead and {} behind", base["mergeBaseBranch"].asString(),
                             base["aheadCount"].asInteger(), base["behindCount"].asInteger())});
  }
  console.out << facts.render(layoutFor(console));
  if (!tree["files"].items().empty()) {
    console.out << "\nNot committed (" << lineCounts(tree) << "):\n"
                << fileStats(console, tree["files"]);
  }
  if (const auto& commits = base["commits"].items(); !commits.empty()) {
    console.out << "\nCommits (" << lineCounts(base) << "):\n";
    Table table;
    std::size_t shown = 0;
    for (const auto& commit : commits) {
      if (shown++ < kShownCommits) {
        table.add({commit["shortSha"].asString(), commit["subject"].asString(),
                   commit["authorName"].asString()});
      }
    }
    console.out << table.render(layoutFor(console));
    if (commits.size() > kShownCommits) {
      console.err << fmt::format("… and {} more\n", commits.size() - kShownCommits);
    }
  }
}

std::string diffFileTable(const Console& console, const Json& files) {
  Table table;
  for (const auto& file : files.items()) {
    const auto& previous = file["previousPath"].asString();
    table.add(
        {file["changeKind"].asString(),
         previous.empty() ? file["path"].asString() : previous + " → " + file["path"].asString(),
         file["binary"].asBool() ? "binary"
                                 : fmt::format("+{} -{}", file["additions"].asInteger(),
                                               file["deletions"].asInteger())});
  }
  return table.render(layoutFor(console));
}

void noteDiffEnd(const Console& console, const Json& diff) {
  if (!diff["shortstat"].asString().empty()) {
    console.err << oneLine(diff["shortstat"].asString()) << '\n';
  }
  if (diff["truncated"].asBool()) {
    console.err << "The rest is left off; it is more than the limit of the server.\n";
  }
}

/// What a patch has not; empty when it is the whole change.
std::string missingFrom(const Json& diff) {
  std::string files;
  for (const auto& file : diff["leftOut"].items()) {
    files += (files.empty() ? "" : ", ") + oneLine(file.asString());
  }
  if (!files.empty()) {
    return "it has not, or not byte by byte, what is too large or no UTF-8 text: " + files;
  }
  return diff["truncated"].asBool() ? "it is more than the limit of the server" : std::string();
}

void showPatch(const Console& console, const Json& diff) {
  console.out << paintedPatch(console, diff["diff"].asString());
  noteDiffEnd(console, diff);
  if (!diff["leftOut"].items().empty()) {
    console.err << "As a patch " << missingFrom(diff) << ".\n";
  }
}

/// In a pipe it is for programs, which take it byte by byte and do not see what is not there.
int pipePatch(const Console& console, const Json& diff, const Json& environment) {
  if (const auto missing = missingFrom(diff); !missing.empty()) {
    console.complain("nothing was printed, for this would be no whole patch: " + missing,
                     fmt::format("`git diff --binary` in the folder, which `svc environment show "
                                 "{}` names, has all of it; --json prints what there is",
                                 oneLine(environment["id"].asString())));
    return kExitFailure;
  }
  console.out << diff["diff"].asString();
  noteDiffEnd(console, diff);
  return kExitOk;
}

}  // namespace

std::string environmentPath(const Json& environment, const char* rest) {
  return fmt::format("/api/v1/environments/{}{}", percentEncode(environment["id"].asString()),
                     rest);
}

std::string environmentLabel(const Json& environment) {
  const auto id = oneLine(environment["id"].asString());
  const auto name = oneLine(environment["name"].asString());
  return name.empty() ? id : fmt::format("{} ({})", name, id);
}

int askOutcome(const Context& context, Api& api, const std::string& path,
               const std::function<void(const Json& envelope)>& show) {
  const auto& console = context.console;
  const auto asked = api.get(path.substr(std::string_view("/api/v1").size()));
  if (!asked) {
    return reportNoAnswer(console, asked.error());
  }
  const auto& envelope = asked.value().json;
  if (!envelope["ok"].asBool()) {
    return reportFailure(console, asked.value());
  }
  if (console.json) {
    console.showJson(asked.value().text);
  }
  const std::string_view outcome = envelope["outcome"].asString();
  if (outcome == "available" || outcome == "absent") {
    if (!console.json) {
      show(envelope);
    }
    return kExitOk;
  }
  const auto& message = envelope["message"].asString();
  console.complain(message.empty() ? envelope["failure"]["message"].asString() : message);
  return kExitFailure;
}

std::string paintedPatch(const Console& console, std::string_view patch) {
  std::string out;
  for (std::size_t at = 0; at < patch.size();) {
    const auto end = std::min(patch.find('\n', at), patch.size());
    const auto line = manyLines(patch.substr(at, end - at));
    const auto style = line.starts_with("+++") || line.starts_with("---") ? Console::Style::kPlain
                       : line.starts_with("+")                            ? Console::Style::kGood
                       : line.starts_with("-")                            ? Console::Style::kBad
                       : line.starts_with("@@")                           ? Console::Style::kDim
                                                                          : Console::Style::kPlain;
    out += console.paint(style, line) + '\n';
    at = end + 1;
  }
  return out;
}

int environmentList(Context& context, const EnvironmentListOptions& options) {
  const auto& console = context.console;
  const auto listOf = [&](Api& api, const std::string& project_id) {
    const auto path = withQuery("/api/v1/environments", {{"projectId", project_id}});
    return ask(context, api, {"GET", path, ""}, [&](const Json& envelope) {
      const auto table =
          environmentTable(console, envelope["environments"], machineNames(api), options.all);
      if (table.empty()) {
        console.err << "There are no environments; threads make them.\n";
      }
      console.out << table;
    });
  };
  if (!options.project.empty()) {
    return withRecord(
        context, kProjectRecords, options.project,
        [&](Api& api, const Json& project) { return listOf(api, project["id"].asString()); });
  }
  auto api = Api::open(context.choice, context.environment, context.connector);
  return api ? listOf(api.value(), {}) : reportNoAnswer(console, api.error());
}

int environmentShow(Context& context, const std::string& environment) {
  return withEnvironment(context, environment, [&](Api& api, const Json& found) {
    return ask(context, api, {"GET", environmentPath(found), ""}, [&](const Json& envelope) {
      context.console.out << environmentFacts(context.console, envelope["environment"],
                                              machineNames(api));
    });
  });
}

int environmentStatus(Context& context, const std::string& environment, const std::string& base) {
  return withEnvironment(context, environment, [&](Api& api, const Json& found) {
    const auto path = withQuery(environmentPath(found, "/status"), {{"mergeBaseBranch", base}});
    return askOutcome(context, api, path, [&](const Json& envelope) {
      showWorkspace(context.console, envelope["workspace"]);
    });
  });
}

int environmentDiff(Context& context, const DiffOptions& options) {
  const auto& console = context.console;
  return withEnvironment(context, options.environment, [&](Api& api, const Json& found) {
    const char* const target = options.committed         ? "branch_committed"
                               : options.all             ? "all"
                               : !options.commit.empty() ? "commit"
                                                         : "uncommitted";
    // As the status: what it is compared with, else what it was made from.
    const auto& own = found["mergeBaseBranch"].asString().empty()
                          ? found["baseBranch"].asString()
                          : found["mergeBaseBranch"].asString();
    const auto base = !options.base.empty()              ? options.base
                      : options.committed || options.all ? own
                                                         : std::string();
    const auto path =
        withQuery(environmentPath(found, options.stat ? "/diff-files" : "/diff"),
                  {{"target", target}, {"mergeBaseBranch", base}, {"sha", options.commit}});
    int whole = kExitOk;
    const int asked = askOutcome(context, api, path, [&](const Json& envelope) {
      if (options.stat) {
        console.out << diffFileTable(console, envelope["files"]);
        noteDiffEnd(console, envelope);
      } else if (console.out_terminal) {
        showPatch(console, envelope["diff"]);
      } else {
        whole = pipePatch(console, envelope["diff"], found);
      }
    });
    return asked == kExitOk ? whole : asked;
  });
}

}  // namespace svc::client
