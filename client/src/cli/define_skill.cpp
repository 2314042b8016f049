#include "cli/definition.h"
#include "commands/skill.h"
#include "skill_targets.h"

namespace svc::client {
namespace {

void addProjectOption(CLI::App* command, const std::shared_ptr<SkillOptions>& options) {
  command
      ->add_option("--project", options->project,
                   "With the skills of this project of the server (id or name)")
      ->type_name("ID");
}

void addSync(CLI::App& skill, Invocation& in) {
  auto options = std::make_shared<SkillSyncOptions>();
  auto* const sync =
      leaf(skill, in, "sync", "Keep the folders from which agents read skills up to date",
           [options](Context& c) { return skillSync(c, *options); });
  auto* const agent =
      sync->add_option(
              "--agent", options->agents,
              "Whose folder, may be repeated: agents (shared by most), claude, codex, opencode, "
              "gemini, qwen, copilot; without it agents and claude")
          ->type_name("NAME")
          ->expected(1);
  agent->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  oneOf(in, agent, skillAgents());
  completes(in,
            sync->add_option("--project", options->project,
                             "The folders of the project in this directory, instead of your own")
                ->type_name("DIR"),
            Completes::kDirectory);
  sync->add_flag("--watch", options->watch, "Go on until Ctrl-C, and follow what changes");
  sync->add_flag("--dry-run,-n", options->dry_run, "Only say what would be done");
}

}  // namespace

void addSkill(CLI::App& app, Invocation& in) {
  auto& skill = group(app, "skill", "Skills: what plugins and you teach agents");
  auto listed = std::make_shared<SkillOptions>();
  addProjectOption(leaf(skill, in, "list", "Show every skill, where it comes from and who gets it",
                        [listed](Context& c) { return skillList(c, *listed); }),
                   listed);
  auto shown = std::make_shared<SkillOptions>();
  auto file = std::make_shared<std::string>();
  auto* const show = leaf(skill, in, "show", "Show a skill and its text, or one of its files",
                          [shown, file](Context& c) { return skillShow(c, *shown, *file); });
  required(show, in, "skill", shown->skill, "Name or id of a skill");
  argument(show, in, "file", *file, "One of its files, printed alone");
  addProjectOption(show, shown);
  auto exported = std::make_shared<SkillExportOptions>();
  auto* const copy = leaf(skill, in, "export", "Copy skills into a directory, one folder each",
                          [exported](Context& c) { return skillExport(c, *exported); });
  required(copy, in, "dir", exported->folder, "Directory to copy into", Completes::kDirectory);
  argument(copy, in, "skill", exported->skill, "Only this one (name or id)");
  copy->add_flag("--force", exported->force, "Replace folders of the same name that are there");
  addSync(skill, in);
  auto folder = std::make_shared<std::string>();
  required(leaf(skill, in, "validate", "Check skills before you publish them (no server needed)",
                [folder](Context& c) { return skillValidate(c, *folder); }),
           in, "dir", *folder, "A skill, a directory of skills, or a plugin",
           Completes::kDirectory);
}

}  // namespace svc::client
