#include "cli/definition.h"
#include "commands/commands.h"

namespace svc::client {
namespace {

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
  required(create, in, "name", *name, "What the project is to be called");
  addPlace(create, in, *place);
  auto renamed = std::make_shared<std::string>();
  auto new_name = std::make_shared<std::string>();
  auto* const rename =
      leaf(project, in, "rename", "Give a project another name",
           [renamed, new_name](Context& c) { return projectRename(c, *renamed, *new_name); });
  projectArgument(rename, in, *renamed);
  required(rename, in, "name", *new_name, "Its new name, 1 to 200 characters");
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

}  // namespace

void addProject(CLI::App& app, Invocation& in) {
  auto& project = group(app, "project", "Projects and the folders they are in");
  addLife(project, in);
  auto& source = group(project, "source", "Folders of a project");
  auto added = std::make_shared<std::string>();
  auto place = std::make_shared<PlaceOptions>();
  auto* const add =
      leaf(source, in, "add", "Add a folder to a project",
           [added, place](Context& c) { return projectSourceAdd(c, *added, *place); });
  projectArgument(add, in, *added);
  addPlace(add, in, *place);
  addSourceLeaf(source, in, "default",
                "Make a source the one that is used unless another is asked for",
                projectSourceDefault);
  addSourceLeaf(source, in, "remove", "Take a folder out of a project; the folder stays",
                projectSourceRemove);
}

}  // namespace svc::client
