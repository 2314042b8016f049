#include "svc/common/limits/hosts.h"

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
  isName(enroll->add_option("--name", options->name, "What the machine is to be called")
             ->type_name("NAME"),
         limits::kHostName);
  completes(in,
            enroll
                ->add_option("--host", options->host,
                             "Give a machine that is known already a new key (name or id)")
                ->type_name("HOST"),
            Completes::kHost);
}

/// A command whose only argument is a machine.
void addHostLeaf(CLI::App& machine, Invocation& in, const char* name, const char* help,
                 int (*run)(Context& context, const std::string& host)) {
  auto host = std::make_shared<std::string>();
  hostArgument(leaf(machine, in, name, help, [host, run](Context& c) { return run(c, *host); }), in,
               *host);
}

/// Of machines that a machine provider has made; the server says what it does about them.
void addProviderMade(CLI::App& machine, Invocation& in) {
  leaf(machine, in, "providers", "Show the machine providers that plugins have registered",
       machineProviders);
  auto provider = std::make_shared<std::string>();
  argument(leaf(machine, in, "create",
                "Have a machine provider make a machine (not supported: providers are not run)",
                [provider](Context& c) { return machineCreate(c, *provider); }),
           in, "provider", *provider, "Id of a machine provider");
  addHostLeaf(
      machine, in, "suspend",
      "Suspend a machine of a machine provider (not supported: providers are not run)",
      [](Context& c, const std::string& host) { return machineChange(c, host, "suspend"); });
  addHostLeaf(machine, in, "resume",
              "Resume a machine of a machine provider (not supported: providers are not run)",
              [](Context& c, const std::string& host) { return machineChange(c, host, "resume"); });
  addHostLeaf(
      machine, in, "retry-cleanup",
      "Remove what is left of a machine of a machine provider (not supported: providers are not "
      "run)",
      [](Context& c, const std::string& host) { return machineChange(c, host, "retry-cleanup"); });
}

}  // namespace

void addMachine(CLI::App& app, Invocation& in) {
  auto& machine = group(app, "machine", "Machines that run the host entries of plugins");
  leaf(machine, in, "list", "Show every machine", machineList);
  addHostLeaf(machine, in, "show", "Show a machine and explain its state", machineShow);
  addEnroll(machine, in);
  auto renamed = std::make_shared<std::string>();
  auto name = std::make_shared<std::string>();
  auto* const rename =
      leaf(machine, in, "rename", "Give a machine another name",
           [renamed, name](Context& c) { return machineRename(c, *renamed, *name); });
  hostArgument(rename, in, *renamed);
  isName(required(rename, in, "name", *name, "Its new name, 1 to 100 characters"),
         limits::kHostName);
  auto removed = std::make_shared<std::string>();
  auto yes = std::make_shared<bool>(false);
  auto* const remove =
      leaf(machine, in, "remove", "Forget a machine; its key is worthless afterwards",
           [removed, yes](Context& c) { return machineRemove(c, *removed, *yes); });
  hostArgument(remove, in, *removed);
  remove->add_flag("--yes,-y", *yes, "Do not ask");
  addHostLeaf(machine, in, "retry-update",
              "Let a machine whose update has failed try again when it asks the next time",
              machineRetryUpdate);
  addProviderMade(machine, in);
}

}  // namespace svc::client
