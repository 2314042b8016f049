#include <ostream>

#include <fmt/format.h>

#include "commands/authoring.h"
#include "commands/commands.h"
#include "dependencies.h"
#include "exit_code.h"
#include "interrupts.h"
#include "progress.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;
using Changes = std::vector<PinChange>;

/// What became of node_modules.
enum class Packages { kCurrent, kToInstall, kCarriedCopy, kFailed, kInterrupted };

int print(const Console& console, const CarriedSdk& sdk, const Changes& changes, Packages packages,
          bool check) {
  const bool failed = packages == Packages::kFailed || (check && !changes.empty());
  const int code = packages == Packages::kInterrupted ? kExitInterrupted
                   : failed                           ? kExitFailure
                                                      : kExitOk;
  if (console.json) {
    auto list = Json::array();
    for (const auto& change : changes) {
      list.push(
          Json::object().set("name", change.name).set("from", change.from).set("to", change.to));
    }
    console.out << Json::object()
                       .set("ok", code == kExitOk)
                       .set("sdkVersion", sdk.version)
                       .set("changes", std::move(list))
                       .set("installNeeded", packages == Packages::kToInstall)
                       .dump()
                << '\n';
    return code;
  }
  for (const auto& change : changes) {
    console.out << oneLine(fmt::format("{}: {} → {} in devDependencies", change.name, change.from,
                                       change.to))
                << '\n';
  }
  if (changes.empty()) {
    console.out << fmt::format("SDK {} is current.\n", sdk.version);
  }
  if (packages == Packages::kToInstall) {
    console.out << kInstallCommand << '\n';
  }
  return code;
}

/// Brings the SDK into node_modules when the author's npm cannot: the registry does not have it.
Packages installSdk(const Console& console, Dependencies& dependencies, const CarriedSdk& sdk) {
  const auto registry = dependencies.askRegistry();
  if (registry == Registry::kHasSdk) {
    return Packages::kToInstall;
  }
  InstallReport report;
  {
    Progress progress(console);
    report = dependencies.install(registry, [&](std::chrono::milliseconds elapsed) {
      progress.show(fmt::format("npm install, {} s", elapsed.count() / 1000));
    });
  }
  switch (report.outcome) {
    case InstallReport::Outcome::kInstalled:
      console.err << "Installed: " << carriedNote(registry, sdk) << '\n';
      return Packages::kCarriedCopy;
    case InstallReport::Outcome::kInterrupted:
      console.complain("interrupted: package.json is current, the packages are not installed");
      return Packages::kInterrupted;
    case InstallReport::Outcome::kFailed:
      break;
  }
  console.complain("warning: the packages are not installed: " + report.problem,
                   installCommand(registry, sdk));
  for (const auto& line : report.tail) {
    console.err << "  " << line << '\n';
  }
  return Packages::kFailed;
}

}  // namespace

int updateTypes(Context& context, const Authoring& tools, const TypesOptions& options) {
  const auto& console = context.console;
  const auto sdk = readCarriedSdk(tools.share);
  if (!sdk) {
    console.fail(sdk.error());
    return kExitFailure;
  }
  const auto directory = (context.environment.working_dir / options.path).lexically_normal();
  auto manifest = readPackageFile(directory);
  if (!manifest) {
    console.fail(manifest.error(), "name the directory of a plugin: svc plugin types <path>");
    return exitCodeFor(manifest.error().code.name());
  }
  const auto changes = applyPins(manifest.value().json, sdk.value());
  if (options.check) {
    return print(console, sdk.value(), changes, Packages::kCurrent, true);
  }
  if (!changes.empty()) {
    if (const auto written = writePackageFile(manifest.value()); !written) {
      console.fail(written.error());
      return kExitFailure;
    }
  }
  Dependencies dependencies(tools.children, sdk.value(), directory);
  auto packages = changes.empty() ? Packages::kCurrent : Packages::kToInstall;
  if (dependencies.removePartOfSdk()) {
    console.err << fmt::format("{} in node_modules was not whole: removed\n", kSdkPackage);
  }
  if (dependencies.installedSdk() != sdk.value().version) {
    packages = installSdk(console, dependencies, sdk.value());
  }
  return print(console, sdk.value(), changes, packages, false);
}

int pluginTypes(Context& context, const std::string& path, bool check) {
  const Interrupts interrupts;
  ChildRunner children(interrupts.descriptor());
  return updateTypes(context, {children, shareDir(context.environment)}, {path, check});
}

}  // namespace svc::client
