#include <array>

#include "cli/definition.h"
#include "commands/commands.h"

namespace svc::client {
namespace {

CLI::Option* environmentArgument(CLI::App* command, Invocation& in, std::string& environment) {
  return required(command, in, "environment", environment, "Id or name of an environment",
                  Completes::kEnvironment);
}

void addLooking(CLI::App& environment, Invocation& in) {
  auto listed = std::make_shared<EnvironmentListOptions>();
  auto* const list = leaf(environment, in, "list", "Show the environments",
                          [listed](Context& c) { return environmentList(c, *listed); });
  completes(in,
            list->add_option("--project", listed->project, "Only of this project (name or id)")
                ->type_name("PROJECT"),
            Completes::kProject);
  list->add_flag("--all,-a", listed->all, "Also those that are gone");
  auto shown = std::make_shared<std::string>();
  environmentArgument(leaf(environment, in, "show", "Show an environment",
                           [shown](Context& c) { return environmentShow(c, *shown); }),
                      in, *shown);
  auto seen = std::make_shared<std::string>();
  auto base = std::make_shared<std::string>();
  auto* const status =
      leaf(environment, in, "status", "Show what is changed in an environment",
           [seen, base](Context& c) { return environmentStatus(c, *seen, *base); });
  environmentArgument(status, in, *seen);
  status->add_option("--base", *base, "Compare with this branch")->type_name("BRANCH");
  auto options = std::make_shared<DiffOptions>();
  auto* const diff =
      leaf(environment, in, "diff", "Show the changes in an environment that are not committed",
           [options](Context& c) { return environmentDiff(c, *options); });
  environmentArgument(diff, in, options->environment);
  auto* const committed = diff->add_flag("--committed", options->committed,
                                         "What the commits of its branch change instead");
  auto* const all = diff->add_flag("--all", options->all, "Both");
  auto* const commit =
      diff->add_option("--commit", options->commit, "What this commit changes instead")
          ->type_name("SHA");
  all->excludes(committed);
  commit->excludes(committed)->excludes(all);
  diff->add_option("--base", options->base,
                   "Branch that --committed and --all compare with (default: the one of the "
                   "environment)")
      ->type_name("BRANCH");
  diff->add_flag("--stat", options->stat, "The files alone");
  diff->footer(
      "\nIn a pipe it is a patch for git apply, or nothing: when a file is too large, binary or no "
      "UTF-8 text, it says which and ends with 1.");
  auto asked = std::make_shared<std::string>();
  environmentArgument(
      leaf(environment, in, "pull-request", "Show the pull request of an environment's branch",
           [asked](Context& c) { return environmentPullRequest(c, *asked); }),
      in, *asked);
}

void addChanging(CLI::App& environment, Invocation& in) {
  auto committed = std::make_shared<std::string>();
  auto message = std::make_shared<std::string>();
  auto* const commit =
      leaf(environment, in, "commit",
           "Commit everything that is changed in an environment; hooks of the repository, such as "
           "pre-commit, do not run",
           [committed, message](Context& c) { return environmentCommit(c, *committed, *message); });
  environmentArgument(commit, in, *committed);
  commit
      ->add_option("--message,-m", *message,
                   "What the commit says (default: the title of its thread)")
      ->type_name("TEXT");
  auto updated = std::make_shared<std::string>();
  auto change = std::make_shared<EnvironmentChange>();
  auto* const update =
      leaf(environment, in, "update", "Name an environment, or choose what it is compared with",
           [updated, change](Context& c) { return environmentUpdate(c, *updated, *change); });
  environmentArgument(update, in, *updated);
  constexpr std::size_t kEnvironmentName = 200;
  isName(update->add_option("--name", change->name, "Its name; empty takes it away")
             ->type_name("NAME"),
         kEnvironmentName);
  update
      ->add_option("--base", change->base,
                   "Branch that its changes are compared with; empty takes it away")
      ->type_name("BRANCH");
  auto gone = std::make_shared<std::string>();
  auto yes = std::make_shared<bool>(false);
  auto* const remove = leaf(environment, in, "remove",
                            "Remove an environment; folders in place and unmerged work stay",
                            [gone, yes](Context& c) { return environmentRemove(c, *gone, *yes); });
  environmentArgument(remove, in, *gone);
  remove->add_flag("--yes,-y", *yes, "Do not ask");
}

}  // namespace

void addEnvironment(CLI::App& app, Invocation& in) {
  auto& environment = group(app, "environment", "Where threads work: folders and worktrees");
  addLooking(environment, in);
  addChanging(environment, in);
}

}  // namespace svc::client
