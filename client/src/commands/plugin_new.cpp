#include <ostream>

#include <fmt/format.h>

#include "bundled.h"
#include "commands/authoring.h"
#include "commands/commands.h"
#include "commands/examples.h"
#include "dependencies.h"
#include "exit_code.h"
#include "interrupts.h"
#include "progress.h"
#include "scaffold.h"
#include "scaffold_templates.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;
using Words = std::vector<std::string>;

struct Installed {
  InstallReport report;
  Words missing;

  [[nodiscard]] bool complete() const {
    return report.outcome == InstallReport::Outcome::kInstalled && missing.empty();
  }
};

Installed install(const Console& console, Dependencies& dependencies,
                  const std::filesystem::path& directory) {
  Progress progress(console);
  Installed result;
  result.report =
      dependencies.install(dependencies.askRegistry(), [&](std::chrono::milliseconds elapsed) {
        progress.show(fmt::format("npm install, {} s", elapsed.count() / 1000));
      });
  if (result.report.outcome == InstallReport::Outcome::kInstalled) {
    const auto manifest = readPackageFile(directory);
    result.missing = manifest ? dependencies.missing(manifest.value().json) : Words{};
  }
  return result;
}

void tell(const Console& console, const Installed& installed, const CarriedSdk& sdk) {
  const auto& report = installed.report;
  if (report.outcome == InstallReport::Outcome::kFailed) {
    console.complain("warning: the dependencies are not installed: " + report.problem);
    for (const auto& line : report.tail) {
      console.err << "  " << line << '\n';
    }
    return;
  }
  if (!installed.missing.empty()) {
    console.complain(
        fmt::format("warning: npm reported success, but these packages are missing: {}",
                    oneLine(fmt::format("{}", fmt::join(installed.missing, ", ")))));
  } else if (!console.json) {
    console.out << "Dependencies installed.\n";
  }
  if (const auto note = carriedNote(report.registry, sdk); !note.empty()) {
    console.err << note << '\n';
  }
}

void finish(const Console& console, const ScaffoldName& name, const Installed& installed,
            const CarriedSdk& sdk) {
  Words steps{"cd " + name.directory};
  if (!installed.complete()) {
    steps.push_back(installCommand(installed.report.registry, sdk));
  }
  steps.insert(steps.end(), {"svc plugin install .", "svc plugin dev"});
  if (console.json) {
    auto next = Json::array();
    for (const auto& step : steps) {
      next.push(step);
    }
    console.out << Json::object()
                       .set("ok", true)
                       .set("directory", name.directory)
                       .set("package", name.package)
                       .set("id", name.id)
                       .set("installed", installed.complete())
                       .set("nextSteps", std::move(next))
                       .dump()
                << '\n';
    return;
  }
  console.out << "Next steps:\n";
  for (const auto& step : steps) {
    console.out << "  " << step << '\n';
  }
}

/// The server that would be used, or the address it has unless told otherwise.
std::string serviceUrl(const Context& context) {
  const auto address = locateServer(context.choice, context.environment);
  return address ? address.value().url : "http://127.0.0.1:4700";
}

std::string templateOf(const NewPlugin& wanted) {
  return wanted.plugin_template.empty() ? std::string(kUsualTemplate) : wanted.plugin_template;
}

/// ", from the example notes"; empty for the usual template.
std::string beginningOf(const NewPlugin& wanted) {
  const auto name = templateOf(wanted);
  return !wanted.from.empty()     ? ", from the example " + wanted.from
         : name == kUsualTemplate ? std::string()
                                  : ", from the template " + name;
}

/// A plugin whose folder lies in a repository is part of that one; without git there is nothing to say.
void makeRepository(const Console& console, const Authoring& tools,
                    const std::filesystem::path& target) {
  const auto inside =
      tools.children.run({{"git", "rev-parse", "--is-inside-work-tree"}, target}, {});
  if (!inside || inside.value().interrupted || inside.value().exit_code == 0) {
    return;
  }
  const auto made = tools.children.run({{"git", "init", "--quiet"}, target}, {});
  if (!made || made.value().exit_code != 0) {
    console.complain("warning: git could not make a repository of the folder" +
                     (made ? ": " + firstLine(made.value().output) : std::string()));
  } else {
    console.err << "It is a git repository (--no-git makes none).\n";
  }
}

Status writePlugin(const Context& context, const Authoring& tools, const NewPlugin& wanted,
                   const ScaffoldName& name, const CarriedSdk& sdk,
                   const std::filesystem::path& target) {
  const Scaffold scaffold(tools.share, {SVC_VERSION, serviceUrl(context)}, sdk);
  return wanted.from.empty()
             ? scaffold.write(templateOf(wanted), name, target)
             : scaffold.writeFrom(exampleDirectory(tools.share, wanted.from), name, target);
}

/// What to do about a folder that could not be made; empty when the error says it.
std::string remedyFor(const Error& error) {
  return error.code == errc::kConflict
             ? "choose another name, or move that folder away: each plugin has one of its own"
             : std::string();
}

}  // namespace

int newPlugin(Context& context, const Authoring& tools, const NewPlugin& wanted) {
  const auto& console = context.console;
  const auto name = parseScaffoldName(wanted.name);
  if (!name) {
    console.fail(name.error());
    return kExitUsage;
  }
  if (isBundled(tools.share, name.value().id)) {
    console.fail({codes::kUsage,
                  fmt::format("\"{}\" is the plugin builtin:{} of the service; choose another name",
                              name.value().id, name.value().id)});
    return kExitUsage;
  }
  if (!wanted.from.empty() && !isExample(tools.share, wanted.from)) {
    return failUnknownExample(console, tools.share, wanted.from);
  }
  const auto sdk = readCarriedSdk(tools.share);
  if (!sdk) {
    console.fail(sdk.error());
    return kExitFailure;
  }
  const auto target = context.environment.working_dir / name.value().directory;
  if (const auto written = writePlugin(context, tools, wanted, name.value(), sdk.value(), target);
      !written) {
    console.fail(written.error(), remedyFor(written.error()));
    return kExitFailure;
  }
  if (!console.json) {
    console.out << fmt::format("Created {}/ ({}{}).\n", name.value().directory,
                               name.value().package, beginningOf(wanted))
                << std::flush;
  }
  if (wanted.git) {
    makeRepository(console, tools, target);
  }
  if (!console.json) {
    console.out << "Installing dependencies…\n" << std::flush;
  }
  Dependencies dependencies(tools.children, sdk.value(), target);
  const auto installed = install(console, dependencies, target);
  if (installed.report.outcome == InstallReport::Outcome::kInterrupted) {
    console.fail(Error{errc::kAborted, fmt::format("interrupted: {}/ is complete, its dependencies "
                                                   "are not installed",
                                                   name.value().directory)},
                 fmt::format("cd {} && {}", name.value().directory,
                             installCommand(installed.report.registry, sdk.value())));
    return kExitInterrupted;
  }
  tell(console, installed, sdk.value());
  finish(console, name.value(), installed, sdk.value());
  return kExitOk;
}

int pluginNew(Context& context, const NewOptions& options) {
  const auto& console = context.console;
  const bool has_person = console.in_terminal && console.err_terminal && !console.json;
  NewPlugin wanted{.name = options.name,
                   .from = options.from,
                   .plugin_template = options.plugin_template,
                   .git = has_person && !options.no_git};
  // Before signals are caught, so that Ctrl-C ends the question; and not for a name that is refused anyway.
  if (has_person && wanted.from.empty() && wanted.plugin_template.empty() &&
      parseScaffoldName(wanted.name)) {
    auto chosen = askForTemplate(console);
    if (!chosen) {
      console.fail({codes::kRefused, "no template was chosen; nothing was made"},
                   "name it: svc plugin new <name> --template <template>");
      return kExitRefused;
    }
    wanted.plugin_template = std::move(*chosen);
  }
  const Interrupts interrupts;
  ChildRunner children(interrupts.descriptor());
  return newPlugin(context, {children, shareDir(context.environment)}, wanted);
}

}  // namespace svc::client
