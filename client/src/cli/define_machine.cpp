#include <array>

#include "cli/definition.h"
#include "commands/commands.h"

namespace svc::client {
namespace {

CLI::Option* hostArgument(CLI::App* command, Invocation& in, std::string& host) {
  return required(command, in, "host", host, "Name or id of a machine", Completes::kHost);
}

void addEnroll(CLI::App& machine, Invocation& in) {
  auto options = std::make_shared<EnrollOptions>();
  auto* const enroll = leaf(machine, in, "enroll", "Print the command that adds a machine",
                            [options](Context& c) { return machineEnroll(c, *options); });
  enroll->add_option("--name", options->name, "What the machine is to be called")
      ->type_name("NAME");
  completes(in,
            enroll
                ->add_option("--host", options->host,
                             "Give a machine that is known already a new key (name or id)")
                ->type_name("HOST"),
            Completes::kHost);
}

/// Machines that a provider makes come with machine providers.
void addMissing(CLI::App& machine, Invocation& in) {
  constexpr std::array kMissing{"providers", "create",       "suspend",
                                "resume",    "retry-update", "retry-cleanup"};
  for (const auto* name : kMissing) {
    passing(machine, in, name, "Not supported by this version",
            [name](Context& c, const Words& words) {
              return notSupportedCommand(c, words, (std::string("machine ") + name).c_str(),
                                         "machine providers");
            })
        ->group("");
  }
}

}  // namespace

void addMachine(CLI::App& app, Invocation& in) {
  auto& machine = group(app, "machine", "Machines that run the host entries of plugins");
  leaf(machine, in, "list", "Show every machine", machineList);
  auto shown = std::make_shared<std::string>();
  hostArgument(leaf(machine, in, "show", "Show a machine and explain its state",
                    [shown](Context& c) { return machineShow(c, *shown); }),
               in, *shown);
  addEnroll(machine, in);
  auto renamed = std::make_shared<std::string>();
  auto name = std::make_shared<std::string>();
  auto* const rename =
      leaf(machine, in, "rename", "Give a machine another name",
           [renamed, name](Context& c) { return machineRename(c, *renamed, *name); });
  hostArgument(rename, in, *renamed);
  required(rename, in, "name", *name, "Its new name, 1 to 100 characters");
  auto removed = std::make_shared<std::string>();
  auto yes = std::make_shared<bool>(false);
  auto* const remove =
      leaf(machine, in, "remove", "Forget a machine; its key is worthless afterwards",
           [removed, yes](Context& c) { return machineRemove(c, *removed, *yes); });
  hostArgument(remove, in, *removed);
  remove->add_flag("--yes,-y", *yes, "Do not ask");
  addMissing(machine, in);
}

}  // namespace svc::client
