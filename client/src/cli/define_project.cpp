#include "cli/definition.h"
#include "commands/commands.h"

namespace svc::client {
namespace {

constexpr std::size_t kProjectName = 200;

CLI::Option* projectArgument(CLI::App* command, Invocation& in, std::string& project) {
  return required(command, in, "project", project, "Name or id of a project", Completes::kProject);
}

void addPlace(CLI::App* command, Invocation& in, PlaceOptions& place) {
  required(command, in, "folder", place.path, "Folder on the machine", Completes::kDirectory);
  completes(in,
            command
                ->add_option("--machine", place.machine,
                             "Name or id of the machine that has it (default: the server's own)")
                ->type_name("MACHINE"),
            Completes::kHost);
}

void addLife(CLI::App& project, Invocation& in) {
  leaf(project, in, "list", "Show every project", projectList);
  auto shown = std::make_shared<std::string>();
  projectArgument(leaf(project, in, "show", "Show a project and its sources",
                       [shown](Context& c) { return projectShow(c, *shown); }),
                  in, *shown);
  auto name = std::make_shared<std::string>();
  auto place = std::make_shared<PlaceOptions>();
  auto* const create = leaf(project, in, "create", "Create a project from a folder",
                            [name, place](Context& c) { return projectCreate(c, *name, *place); });
  isName(required(create, in, "name", *name, "What the project is to be called"), kProjectName);
  addPlace(create, in, *place);
  auto renamed = std::make_shared<std::string>();
  auto new_name = std::make_shared<std::string>();
  auto* const rename =
      leaf(project, in, "rename", "Give a project another name",
           [renamed, new_name](Context& c) { return projectRename(c, *renamed, *new_name); });
  projectArgument(rename, in, *renamed);
  isName(required(rename, in, "name", *new_name, "Its new name, 1 to 200 characters"),
         kProjectName);
  auto gone = std::make_shared<std::string>();
  auto yes = std::make_shared<bool>(false);
  auto* const remove = leaf(project, in, "delete", "Delete a project; its folders stay",
                            [gone, yes](Context& c) { return projectDelete(c, *gone, *yes); });
  projectArgument(remove, in, *gone);
  remove->add_flag("--yes,-y", *yes, "Do not ask");
}

/// A command about a source that a project has.
void addSourceLeaf(CLI::App& source, Invocation& in, const char* name, const char* help,
                   int (*run)(Context& context, const std::string& project,
                              const std::string& source)) {
  auto project = std::make_shared<std::string>();
  auto chosen = std::make_shared<std::string>();
  auto* const command = leaf(source, in, name, help, [project, chosen, run](Context& c) {
    return run(c, *project, *chosen);
  });
  projectArgument(command, in, *project);
  required(command, in, "source", *chosen, "Id or folder of a source");
}

void addClone(CLI::App& source, Invocation& in) {
  auto options = std::make_shared<CloneOptions>();
  auto* const clone =
      leaf(source, in, "clone", "Clone a repository to a machine and add it to a project",
           [options](Context& c) { return projectSourceClone(c, *options); });
  projectArgument(clone, in, options->project);
  argument(clone, in, "remote", options->remote,
           "Address of the repository (default: the one of the project)");
  clone
      ->add_option("--folder", options->place.path,
                   "Folder to clone to (default: the machine chooses)")
      ->type_name("FOLDER");
  completes(in,
            clone
                ->add_option("--machine", options->place.machine,
                             "Name or id of the machine (default: the server's own)")
                ->type_name("MACHINE"),
            Completes::kHost);
}

/// A command that shows what is in the folder of a project.
CLI::App* addContent(CLI::App& project, Invocation& in, const char* name, const char* help,
                     const std::shared_ptr<ContentOptions>& options,
                     int (*run)(Context& context, const ContentOptions& options)) {
  auto* const command =
      leaf(project, in, name, help, [options, run](Context& c) { return run(c, *options); });
  projectArgument(command, in, options->project);
  argument(command, in, "query", options->query, "Part of the name to look for");
  command->add_option("--limit", options->limit, "Show at most so many")
      ->check(CLI::Range(1, 100'000))
      ->type_name("N");
  completes(
      in,
      command
          ->add_option("--machine", options->machine,
                       "Look on this machine (name or id; default: that of the default source)")
          ->type_name("MACHINE"),
      Completes::kHost);
  return command;
}

void addContents(CLI::App& project, Invocation& in) {
  addContent(project, in, "branches", "Show the branches of a project's repository",
             std::make_shared<ContentOptions>(), projectBranches);
  for (const bool folders : {false, true}) {
    auto options = std::make_shared<ContentOptions>();
    auto* const command =
        addContent(project, in, folders ? "paths" : "files",
                   folders ? "Show the files and folders of a project, best match first"
                           : "Show the files of a project, without those that git ignores",
                   options, folders ? projectPaths : projectFiles);
    completes(in,
              command
                  ->add_option("--environment", options->environment,
                               "Look in this environment (name or id)")
                  ->type_name("ENVIRONMENT")
                  ->excludes("--machine"),
              Completes::kEnvironment);
    if (folders) {
      oneOf(in, command->add_option("--kind", options->kind, "Only these")->type_name("KIND"),
            {"file", "directory"});
    }
  }
}

}  // namespace

void addProject(CLI::App& app, Invocation& in) {
  auto& project = group(app, "project", "Projects and the folders they are in");
  addLife(project, in);
  addContents(project, in);
  auto& source = group(project, "source", "Folders of a project");
  auto added = std::make_shared<std::string>();
  auto place = std::make_shared<PlaceOptions>();
  auto* const add =
      leaf(source, in, "add", "Add a folder to a project",
           [added, place](Context& c) { return projectSourceAdd(c, *added, *place); });
  projectArgument(add, in, *added);
  addPlace(add, in, *place);
  addClone(source, in);
  addSourceLeaf(source, in, "default",
                "Make a source the one that is used unless another is asked for",
                projectSourceDefault);
  addSourceLeaf(source, in, "remove", "Take a folder out of a project; the folder stays",
                projectSourceRemove);
}

}  // namespace svc::client
