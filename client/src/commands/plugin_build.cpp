#include <filesystem>
#include <ostream>

#include <fmt/format.h>

#include "svc/common/json.h"

#include "builder.h"
#include "commands/commands.h"
#include "exit_code.h"
#include "package_files.h"
#include "progress.h"
#include "sdk_pins.h"
#include "text.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::BuildReport;
using common::Json;

constexpr Errc kBuildFailed{"build_failed"};

Json messageJson(const common::BuildMessage& message) {
  auto out = Json::object().set("text", message.text);
  if (!message.file.empty()) {
    out.set("file", message.file);
  }
  if (message.line > 0) {
    out.set("line", message.line).set("column", message.column).set("source", message.source_line);
  }
  return out;
}

Json messagesJson(const BuildReport& report,
                  std::vector<common::BuildMessage> common::TargetReport::*list) {
  auto out = Json::array();
  for (const auto& target : report.targets) {
    for (const auto& message : target.*list) {
      out.push(messageJson(message).set("target", common::targetName(target.target)));
    }
  }
  return out;
}

/// As the user would type it.
std::string shownPath(const fs::path& root, const std::string& file, const fs::path& working_dir) {
  return (root / file).lexically_relative(working_dir).string();
}

void warn(const Console& console, const BuildReport& report) {
  for (const auto& target : report.targets) {
    for (const auto& message : target.warnings) {
      console.complain("warning: " + common::codeFrame(message));
    }
  }
}

int fail(const Console& console, const BuildReport& report, const common::TargetReport& failed) {
  const auto name = common::targetName(failed.target);
  if (console.json) {
    const auto details =
        Json::object()
            .set("target", name)
            .set("errors", messagesJson(report, &common::TargetReport::errors))
            .set("warnings", messagesJson(report, &common::TargetReport::warnings));
    console.fail(
        {kBuildFailed, fmt::format("the {} bundle could not be built", name), details.dump()});
    return kExitFailure;
  }
  warn(console, report);
  for (const auto& message : failed.errors) {
    console.err << manyLines(common::codeFrame(message)) << '\n';
  }
  console.complain(fmt::format("the {} bundle could not be built; nothing was replaced", name));
  return kExitFailure;
}

int succeed(const Console& console, const BuildReport& report, const fs::path& root,
            const fs::path& working_dir) {
  auto files = Json::array();
  for (const auto& target : report.targets) {
    for (const auto& file : target.files) {
      files.push(Json::object()
                     .set("target", common::targetName(target.target))
                     .set("path", shownPath(root, file.path, working_dir))
                     .set("bytes", file.bytes));
    }
  }
  if (console.json) {
    console.out << Json::object()
                       .set("ok", true)
                       .set("files", std::move(files))
                       .set("warnings", messagesJson(report, &common::TargetReport::warnings))
                       .dump()
                << '\n';
    return kExitOk;
  }
  warn(console, report);
  for (const auto& file : files.items()) {
    console.out << manyLines(file["path"].asString()) << '\n';
  }
  return kExitOk;
}

}  // namespace

int pluginBuild(Context& context, const std::string& path) {
  const auto& console = context.console;
  const auto& working_dir = context.environment.working_dir;
  const auto shown = path.empty() ? "." : path;
  std::error_code failure;
  const auto root = fs::canonical(working_dir / shown, failure);
  if (failure) {
    console.fail({errc::kNotFound, fmt::format("{}: {}", shown, failure.message())},
                 "name the directory of a plugin: svc plugin build <path>");
    return kExitNotFound;
  }
  const auto manifest = readPackageFile(root);
  if (!manifest) {
    console.fail(manifest.error());
    return manifest.error().code == errc::kNotFound ? kExitNotFound : kExitFailure;
  }
  if (const auto sdk = readCarriedSdk(shareDir(context.environment))) {
    if (const auto warning = pinWarning(manifest.value().json, sdk.value()); !warning.empty()) {
      console.complain("warning: " + warning);
    }
  }
  for (const auto& warning : missingFromPackage(root, manifest.value().json)) {
    console.complain("warning: " + oneLine(warning));
  }
  Progress progress(console);
  common::BundleBuilder builder(builderOptions(context.environment));
  const auto report = builder.build({.root = root, .targets = releaseTargets(), .minify = true}, {},
                                    [&progress](const std::string& step) { progress.show(step); });
  progress.clear();
  if (!report) {
    console.fail(report.error());
    return kExitFailure;
  }
  if (const auto* failed = report.value().failed()) {
    return fail(console, report.value(), *failed);
  }
  return succeed(console, report.value(), root, fs::weakly_canonical(working_dir, failure));
}

}  // namespace svc::client
