#include "skill_sync.h"

#include <poll.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/skillfiles/skill.h"
#include "svc/skillfiles/skill_tree.h"
#include "svc/skillfiles/sync_manifest.h"

#include "commands/skill.h"
#include "console.h"
#include "exit_code.h"
#include "interrupts.h"
#include "skill_targets.h"
#include "text.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;

/// How often `--watch` asks the server.
constexpr std::chrono::milliseconds kWatch{2000};

/// What the service adds for agents. Shared folders of the user are read by agents anyway.
bool comesFromTheService(const Json& skill) {
  const auto& scope = skill["scope"].asString();
  return scope == "plugin" || scope == "svc-user" || scope == "svc-builtin";
}

OfferedSkill offeredOf(const Json& skill) {
  return {.name = skill["name"].asString(), .tree = skill["tree"]["digest"].asString()};
}

/// Names of the skills that this program keeps in a folder, also of those that were changed by hand since.
std::set<std::string> copiesIn(const fs::path& folder) {
  std::set<std::string> names;
  const auto text = base::readFile(folder / skillfiles::SyncManifest::kFileName,
                                   skillfiles::SyncManifest::kMaxBytes, base::Links::kRefused);
  const auto manifest = text ? skillfiles::SyncManifest::parse(text.value()) : text.error();
  if (manifest) {
    for (const auto& [name, trees] : manifest.value().trees) {
      names.insert(name);
    }
  }
  return names;
}

/// Names whose skills do not come from the service, because somebody has one of his own.
struct OwnSkills {
  std::set<std::string> of_project;
  /// Copies in the shared folder of the user, which hide what they were copies of once they are changed. That is for agents that read this
  /// folder; others would be left without either.
  std::set<std::string> copies;
};

OwnSkills ownSkills(const Context& context, const std::optional<fs::path>& project) {
  OwnSkills own;
  if (!project) {
    if (const auto shared = skillTarget("agents", std::nullopt, context.environment)) {
      own.copies = copiesIn(shared.value().folder);
    }
    return own;
  }
  for (const auto* const place : {".svc/skills", ".agents/skills"}) {
    const auto copies = copiesIn(*project / place);
    for (const auto& skill :
         skillfiles::loadOwnSkills(*project / place, skillfiles::Rules::kLenient).skills) {
      if (!copies.contains(skill.head.name)) {
        own.of_project.insert(skill.head.name);
      }
    }
  }
  return own;
}

/// What belongs into folders: of each name the one that agents get, when it comes from the service. Where somebody has a skill of his own it
/// has precedence, so nothing of the name is written beside it.
std::vector<OfferedSkill> wantedSkills(const Json& catalogue, const OwnSkills& own) {
  std::set<std::string> hidden;
  std::vector<OfferedSkill> wanted;
  for (const auto& skill : catalogue.items()) {
    const auto& name = skill["name"].asString();
    const bool offered = skill["offered"].asBool();
    if (own.of_project.contains(name)) {
      continue;
    }
    if (!comesFromTheService(skill)) {
      if (offered && own.copies.contains(name)) {
        hidden.insert(name);
      }
    } else if (offered || hidden.erase(name) > 0) {
      wanted.push_back(offeredOf(skill));
    }
  }
  return wanted;
}

FetchTree fetcher(Api& api) {
  return [&api](const std::string& digest) -> Result<skillfiles::UnpackedTree> {
    const auto reply = api.get("/skills/tree/" + percentEncode(digest));
    if (!reply) {
      return reply.error();
    }
    if (!reply.value().ok()) {
      return Error{errc::kUnavailable, reply.value().message()};
    }
    return skillfiles::unpackTree(reply.value().json);
  };
}

struct FolderReport {
  SkillTarget target;
  std::size_t skills = 0;
  Result<std::vector<SkillChange>> changes;
};

bool hasFailed(const FolderReport& report) {
  return !report.changes ||
         std::any_of(
             report.changes.value().begin(), report.changes.value().end(),
             [](const SkillChange& change) { return change.action == SkillAction::kFailed; });
}

Json toJson(const SkillChange& change) {
  return Json::object()
      .set("skill", change.name)
      .set("action", actionName(change.action))
      .set("why", change.why.empty() ? Json() : Json(change.why));
}

Json toJson(const FolderReport& report) {
  auto changes = Json::array();
  if (report.changes) {
    for (const auto& change : report.changes.value()) {
      changes.push(toJson(change));
    }
  }
  return Json::object()
      .set("agent", report.target.agent)
      .set("path", skillfiles::shownName(report.target.folder.string()))
      .set("changes", std::move(changes))
      .set("error", report.changes ? Json() : Json(report.changes.error().message));
}

void print(const Console& console, const SkillChange& change) {
  const auto style = change.action == SkillAction::kFailed ? Console::Style::kBad
                     : change.why.empty()                  ? Console::Style::kGood
                                                           : Console::Style::kDim;
  console.out << fmt::format(
      "  {}{} {}{}\n", console.paint(style, actionName(change.action)),
      std::string(8 - std::min<std::size_t>(8, actionName(change.action).size()), ' '),
      oneLine(change.name), change.why.empty() ? "" : ": " + oneLine(change.why));
}

void print(const Console& console, const FolderReport& report, bool dry_run) {
  const auto path = oneLine(skillfiles::shownName(report.target.folder.string()));
  if (!report.changes) {
    console.complain(path + ": " + oneLine(report.changes.error().message));
    return;
  }
  const auto& changes = report.changes.value();
  if (changes.empty()) {
    console.out << fmt::format("{}: up to date ({} skill{})\n", path, report.skills,
                               report.skills == 1 ? "" : "s");
    return;
  }
  console.out << path << (dry_run ? " (dry run):\n" : ":\n");
  for (const auto& change : changes) {
    print(console, change);
  }
}

/// The folder of `--project`; nothing without one.
Result<std::optional<fs::path>> projectOf(const Context& context, const SkillSyncOptions& options) {
  if (options.project.empty()) {
    return std::optional<fs::path>();
  }
  auto project = (context.environment.working_dir / options.project).lexically_normal();
  std::error_code failure;
  if (!fs::is_directory(project, failure)) {
    return Error{errc::kNotFound,
                 "there is no directory " + oneLine(skillfiles::shownName(project.string()))};
  }
  return std::optional(std::move(project));
}

/// Targets that are no links to each other.
Result<std::vector<SkillTarget>> targetsOf(const Context& context, const SkillSyncOptions& options,
                                           const std::optional<fs::path>& project) {
  std::vector<SkillTarget> targets;
  std::set<fs::path> seen;
  for (const auto& agent : options.agents.empty() ? usualSkillAgents() : options.agents) {
    auto target = skillTarget(agent, project, context.environment);
    if (!target) {
      return std::move(target).error();
    }
    std::error_code failure;
    auto real = fs::weakly_canonical(target.value().folder, failure);
    if (seen.insert(failure ? target.value().folder : std::move(real)).second) {
      targets.push_back(std::move(target).value());
    }
  }
  return targets;
}

/// One look at the server, and what follows from it.
class Round {
 public:
  Round(Context& context, const SkillSyncOptions& options, std::optional<fs::path> project,
        std::vector<SkillTarget> targets)
      : context_(context),
        options_(options),
        project_(std::move(project)),
        targets_(std::move(targets)) {}

  /// `first`: says also what was not changed.
  int run(bool first) {
    auto api = Api::open(context_.choice, context_.environment, context_.connector);
    if (!api) {
      return noAnswer(api.error());
    }
    const auto list = api.value().get("/skills");
    if (!list) {
      return noAnswer(list.error());
    }
    if (!list.value().ok()) {
      return reportFailure(context_.console, list.value());
    }
    const auto skills = wantedSkills(list.value().json["skills"], ownSkills(context_, project_));
    complaint_.clear();
    std::vector<FolderReport> reports;
    for (const auto& target : targets_) {
      reports.push_back(
          {target, skills.size(),
           syncSkills({.base = target.base, .folder = target.folder, .dry_run = options_.dry_run},
                      skills, fetcher(api.value()))});
    }
    show(reports, first);
    return std::any_of(reports.begin(), reports.end(), hasFailed) ? kExitFailure : kExitOk;
  }

 private:
  /// A watch says it once.
  int noAnswer(const Error& error) {
    if (std::exchange(complaint_, error.message) == error.message) {
      return kExitUnreachable;
    }
    return reportNoAnswer(context_.console, error);
  }

  void show(const std::vector<FolderReport>& reports, bool first) {
    auto folders = Json::array();
    for (const auto& report : reports) {
      folders.push(toJson(report));
    }
    const auto text = folders.dump();
    // What is kept, or fails, is not said again and again.
    if (!first && std::exchange(shown_, text) == text) {
      return;
    }
    shown_ = text;
    if (context_.console.json) {
      context_.console.out
          << Json::object().set("ok", true).set("folders", std::move(folders)).dump() << std::endl;
      return;
    }
    for (const auto& report : reports) {
      if (first || !report.changes || !report.changes.value().empty()) {
        print(context_.console, report, options_.dry_run);
      }
    }
    context_.console.out << std::flush;
  }

  Context& context_;
  const SkillSyncOptions& options_;
  const std::optional<fs::path> project_;
  const std::vector<SkillTarget> targets_;
  std::string complaint_;
  std::string shown_;
};

}  // namespace

int skillSync(Context& context, const SkillSyncOptions& options,
              const std::function<bool()>& wait) {
  auto project = projectOf(context, options);
  auto targets = project ? targetsOf(context, options, project.value()) : project.error();
  if (!targets) {
    context.console.fail(targets.error());
    return exitCodeFor(targets.error().code.name());
  }
  Round round(context, options, std::move(project).value(), std::move(targets).value());
  auto outcome = round.run(true);
  while (options.watch && wait()) {
    outcome = round.run(false);
  }
  return outcome;
}

int skillSync(Context& context, const SkillSyncOptions& options) {
  if (!options.watch) {
    return skillSync(context, options, [] { return false; });
  }
  const Interrupts interrupts;
  const auto outcome = skillSync(context, options, [&interrupts] {
    pollfd event{interrupts.descriptor(), POLLIN, 0};
    return ::poll(&event, 1, static_cast<int>(kWatch.count())) == 0;
  });
  return interrupts.raised() ? static_cast<int>(kExitOk) : outcome;
}

int skillExport(Context& context, const SkillExportOptions& options) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  const auto list = api.value().get("/skills");
  if (!list) {
    return reportNoAnswer(console, list.error());
  }
  if (!list.value().ok()) {
    return reportFailure(console, list.value());
  }
  std::vector<OfferedSkill> skills;
  if (options.skill.empty()) {
    for (const auto& skill : list.value().json["skills"].items()) {
      if (skill["offered"].asBool()) {
        skills.push_back(offeredOf(skill));
      }
    }
  } else if (const auto* const skill = findSkill(list.value().json, options.skill)) {
    skills.push_back(offeredOf(*skill));
  } else {
    return unknownSkill(console, list.value().json, options.skill);
  }
  const auto folder = (context.environment.working_dir / options.folder).lexically_normal();
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) {
    console.fail(Error{errc::kUnavailable,
                       fmt::format("cannot create {}: {}", skillfiles::shownName(folder.string()),
                                   failure.message())});
    return kExitFailure;
  }
  auto changes = Json::array();
  bool failed = false;
  const auto shown = oneLine(skillfiles::shownName(folder.string()));
  if (!console.json) {
    console.out << fmt::format("{}: {} skill{}\n", shown, skills.size(),
                               skills.size() == 1 ? "" : "s");
  }
  for (const auto& skill : skills) {
    const auto change = exportSkill(folder, skill, fetcher(api.value()), options.force);
    failed = failed || change.action == SkillAction::kFailed;
    changes.push(toJson(change));
    if (!console.json) {
      print(console, change);
    }
  }
  if (console.json) {
    console.out << Json::object()
                       .set("ok", true)
                       .set("path", shown)
                       .set("changes", std::move(changes))
                       .dump()
                << '\n';
  }
  return failed ? kExitFailure : kExitOk;
}

}  // namespace svc::client
