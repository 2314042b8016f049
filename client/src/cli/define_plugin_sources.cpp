#include "cli/definition.h"
#include "commands/commands.h"
#include "commands/rollback.h"

namespace svc::client {
namespace {

/// What names a plugin that is not installed.
void addSource(CLI::App* leaf, Invocation& in, InstallOptions& options) {
  required(leaf, in, "source", options.source,
           "./dir, ./x.tgz, npm:<pkg>[@spec], git:<url>[@ref], a URL, or <entry>[@<marketplace>]",
           Completes::kPackage);
  auto* const subdirectory = leaf->add_option("--subdirectory", options.subdirectory,
                                              "Directory of the plugin inside the repository")
                                 ->type_name("DIR");
  leaf->add_option("--plugin", options.entry, "Entry of the repository's .svc/plugins.json")
      ->type_name("NAME")
      ->excludes(subdirectory);
  leaf->add_option("--tag-prefix", options.tag_prefix,
                   "What stands before the version in the repository's tags")
      ->type_name("TEXT");
}

void addAbout(CLI::App& plugin, Invocation& in) {
  auto options = std::make_shared<InstallOptions>();
  addSource(leaf(plugin, in, "about", "Show what a plugin says of itself, before it is installed",
                 [options](Context& c) { return pluginAbout(c, *options); }),
            in, *options);
}

void addInstall(CLI::App& plugin, Invocation& in) {
  auto options = std::make_shared<InstallOptions>();
  auto* const install =
      leaf(plugin, in, "install",
           "Install a plugin from a directory, a tarball, npm, git or a marketplace",
           [options](Context& c) { return pluginInstall(c, *options); });
  addSource(install, in, *options);
  install->add_flag("--yes,-y", options->yes, "Trust the plugin without asking");
  install->add_flag("--no-wait", options->no_wait, "Start the install, print its job and end");
}

void addJobs(CLI::App& plugin, Invocation& in) {
  leaf(plugin, in, "install-jobs", "Show installs that wait, run or ended lately",
       pluginInstallJobs);
  auto job = std::make_shared<std::string>();
  required(leaf(plugin, in, "cancel-install", "Cancel an install that has not registered yet",
                [job](Context& c) { return pluginCancelInstall(c, *job); }),
           in, "job", *job, "Job id", Completes::kJob);
  pluginLeaf(plugin, in, "source", "Show where a plugin comes from and the versions it had",
             pluginSource);
}

void addUpdates(CLI::App& plugin, Invocation& in) {
  leaf(plugin, in, "outdated", "Look for newer versions of the installed plugins", pluginOutdated);
  auto options = std::make_shared<UpdateOptions>();
  auto* const update = leaf(plugin, in, "update", "Update a plugin, or all that have an update",
                            [options](Context& c) { return pluginUpdate(c, *options); });
  auto* const id = argument(update, in, "id", options->id, "Plugin id", Completes::kPlugin);
  update->add_flag("--all", options->all, "Update every plugin that has an update")->excludes(id);
  update->add_flag("--yes,-y", options->yes, "Do not ask");
  struct RollbackOptions {
    std::string id;
    bool yes = false;
  };
  auto back = std::make_shared<RollbackOptions>();
  auto* const rollback =
      leaf(plugin, in, "rollback", "Return a plugin to the version before its last update",
           [back](Context& c) { return pluginRollback(c, back->id, back->yes); });
  required(rollback, in, "id", back->id, "Plugin id", Completes::kPlugin);
  rollback->add_flag("--yes,-y", back->yes, "Do not ask");
}

void addSearchAndPrune(CLI::App& plugin, Invocation& in) {
  auto query = std::make_shared<std::string>();
  freeText(leaf(plugin, in, "search", "Search the marketplaces",
                [query](Context& c) { return pluginSearch(c, *query); }),
           in, "query", *query, "Words to look for")
      ->required();
  auto dry_run = std::make_shared<bool>(false);
  leaf(plugin, in, "prune", "Delete cached packages that no plugin uses", [dry_run](Context& c) {
    return pluginPrune(c, *dry_run);
  })->add_flag("--dry-run", *dry_run, "Only show what would be deleted");
}

}  // namespace

void addPluginSources(CLI::App& plugin, Invocation& in) {
  addAbout(plugin, in);
  addInstall(plugin, in);
  addJobs(plugin, in);
  addUpdates(plugin, in);
  addSearchAndPrune(plugin, in);
}

void addMarketplace(CLI::App& app, Invocation& in) {
  auto& market = group(app, "marketplace", "Lists of plugins that can be searched and installed");
  auto source = std::make_shared<std::string>();
  required(leaf(market, in, "add", "Add a marketplace; installs nothing",
                [source](Context& c) { return marketplaceAdd(c, *source); }),
           in, "source", *source, "https URL, git:<url>[@ref] or a path", Completes::kFile);
  leaf(market, in, "list", "Show the marketplaces", marketplaceList);
  auto refresh = std::make_shared<std::string>();
  argument(leaf(market, in, "refresh", "Fetch a marketplace (or all) again",
                [refresh](Context& c) { return marketplaceRefresh(c, *refresh); }),
           in, "name", *refresh, "Marketplace", Completes::kMarketplace);
  auto remove = std::make_shared<std::string>();
  required(leaf(market, in, "remove", "Remove a marketplace; its installed plugins stay",
                [remove](Context& c) { return marketplaceRemove(c, *remove); }),
           in, "name", *remove, "Marketplace", Completes::kMarketplace);
}

}  // namespace svc::client
