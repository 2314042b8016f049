#include <fmt/format.h>

#include "cli/definition.h"
#include "commands/commands.h"
#include "scaffold_templates.h"

namespace svc::client {
namespace {

void addNew(CLI::App& plugin, Invocation& in) {
  auto options = std::make_shared<NewOptions>();
  auto* const made = leaf(plugin, in, "new", "Make a working plugin in a directory of its own",
                          [options](Context& c) { return pluginNew(c, *options); });
  required(made, in, "name", options->name, "todo, svc-plugin-todo or @scope/svc-plugin-todo");
  Words names;
  std::string list;
  for (const auto& each : pluginTemplates()) {
    names.emplace_back(each.name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  auto* const from = made->add_option("--from", options->from,
                                      "Begin with a copy of this example in place of a "
                                      "template (`svc plugin examples` lists them)")
                         ->type_name("EXAMPLE");
  completes(in, notEmpty(from), Completes::kExample);
  oneOf(in,
        made->add_option("--template", options->plugin_template,
                         fmt::format("{} (default: a question on a terminal, else {})", list,
                                     kUsualTemplate))
            ->type_name("TEMPLATE")
            ->excludes(from),
        names);
  made->add_flag("--no-git", options->no_git,
                 "Make no git repository of the folder (default: one, on a terminal, where it lies "
                 "in none)");
  examples(made, {{"svc plugin new hello", "asks what it begins with"},
                  {"svc plugin new hello --template page", "a page, a command, a skill and tests"},
                  {"svc plugin new hello --template minimal", "a command, in 20 lines"},
                  {"svc plugin new journal --from notes", "your own copy of the example notes"}});
}

void addExamples(CLI::App& plugin, Invocation& in) {
  auto name = std::make_shared<std::string>();
  auto* const listed =
      leaf(plugin, in, "examples", "List the examples that come with svc, or show one of them",
           [name](Context& c) { return pluginExamples(c, *name); });
  argument(listed, in, "example", *name, "Show where the source of this one is",
           Completes::kExample);
}

void addComponents(CLI::App& plugin, Invocation& in) {
  auto wanted = std::make_shared<AddComponents>();
  auto* const add =
      leaf(plugin, in, "add", "Copy components of the page into a plugin, or list them",
           [wanted](Context& c) { return pluginAdd(c, *wanted); });
  completes(in, add->add_option("components", wanted->names, "table, field, select, …"),
            Completes::kComponent);
  completes(in,
            notEmpty(add->add_option("--path", wanted->path,
                                     "Directory of the plugin (default: this one)"))
                ->type_name("DIRECTORY"),
            Completes::kDirectory);
  add->add_flag("--force", wanted->force, "Overwrite files of these components that you changed");
  examples(add, {{"svc plugin add", "what there is"},
                 {"svc plugin add table field",
                  "their sources below components/ui, and what they need"}});
}

void addDev(CLI::App& plugin, Invocation& in) {
  auto path = std::make_shared<std::string>();
  argument(leaf(plugin, in, "dev", "Rebuild and reload a plugin whenever its files change",
                [path](Context& c) { return pluginDev(c, *path); }),
           in, "path", *path, "Directory of an installed plugin (default: this one)",
           Completes::kDirectory);
}

void addTest(CLI::App& plugin, Invocation& in) {
  auto options = std::make_shared<TestOptions>();
  auto* const test = leaf(plugin, in, "test",
                          "Check a plugin before it is published: types, tests, build, install",
                          [options](Context& c) { return pluginTest(c, *options); });
  argument(test, in, "path", options->path, "Directory of a plugin (default: this one)",
           Completes::kDirectory);
  test->add_option("--setting", options->settings,
                   "Save this setting before the plugin is to run; may be given several times; "
                   "the value - is read from standard input")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  test->footer(
      "\nRuns tsc where there is a tsconfig.json, npm test where package.json has one, builds the\n"
      "bundles as `svc plugin build` does, and installs the plugin on a server of its own, which "
      "is\n"
      "removed afterwards and must say that it runs. Exits with 1 when a step fails.\n\n"
      "Examples:\n"
      "  svc plugin test\n"
      "  svc plugin test --setting region=eu --setting token=- < token.txt");
}

void addBuild(CLI::App& plugin, Invocation& in) {
  auto path = std::make_shared<std::string>();
  argument(leaf(plugin, in, "build", "Build the bundles of a plugin into its dist, minified",
                [path](Context& c) { return pluginBuild(c, *path); }),
           in, "path", *path, "Directory of a plugin (default: this one)", Completes::kDirectory);
}

void addTypes(CLI::App& plugin, Invocation& in) {
  struct Arguments {
    std::string path;
    bool check = false;
  };
  auto args = std::make_shared<Arguments>();
  auto* const types =
      leaf(plugin, in, "types", "Pin the SDK and the window's packages to the versions of this svc",
           [args](Context& c) { return pluginTypes(c, args->path, args->check); });
  argument(types, in, "path", args->path, "Directory of a plugin (default: this one)",
           Completes::kDirectory);
  types->add_flag("--check", args->check, "Write nothing; exit with 1 when a pin differs");
}

}  // namespace

/// What authors use, most of it without a server: one static function per command, called here.
void addPluginAuthoring(CLI::App& plugin, Invocation& in) {
  addNew(plugin, in);
  addExamples(plugin, in);
  addComponents(plugin, in);
  addDev(plugin, in);
  addTest(plugin, in);
  addBuild(plugin, in);
  addTypes(plugin, in);
}

}  // namespace svc::client
