#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

#include "commands/commands.h"
#include "exit_code.h"
#include "plugin_block.h"
#include "text.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;

constexpr std::string_view kTrustWarning =
    "A plugin is not sandboxed: its code runs with your full access to files, network and "
    "programs.\n"
    "Install only what you trust.\n";

/// Installing may fetch and build; the server bounds it, this bound only ends a lost connection.
constexpr auto kInstallWait = std::chrono::minutes(15);

struct Source {
  /// As the server gets it: directories as absolute `path:`.
  std::string text;
  /// Set for a directory.
  fs::path directory;
};

bool isManaged(const std::string& source) {
  for (const std::string_view prefix : {"npm:", "git:", "builtin:", "http://", "https://"}) {
    if (source.starts_with(prefix)) {
      return true;
    }
  }
  return false;
}

/// Relative paths mean the caller's directory, which the server does not know.
Source resolveSource(const std::string& given, const Environment& environment) {
  if (isManaged(given)) {
    return {given, {}};
  }
  const bool explicit_path = given.starts_with("path:");
  std::string path = explicit_path ? given.substr(5) : given;
  const bool home = path == "~" || path.starts_with("~/");
  if (home) {
    path = environment.variable("HOME").value_or("") + path.substr(1);
  }
  std::error_code ignored;
  auto absolute = (environment.working_dir / path).lexically_normal();
  if (!absolute.has_filename()) {
    absolute = absolute.parent_path();
  }
  const bool is_path = explicit_path || home || path.find('/') != std::string::npos ||
                       path == "." || path == ".." || fs::exists(absolute, ignored);
  if (!is_path) {
    return {given, {}};
  }
  return {"path:" + absolute.string(), absolute};
}

/// "<pkg>@<version> from <where>", as far as the manifest can be read from here.
std::string describe(const Source& source) {
  if (source.directory.empty()) {
    return "from " + oneLine(source.text);
  }
  std::ifstream file(source.directory / "package.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto manifest = Json::parse(text);
  auto where = "from " + oneLine(source.directory.string());
  if (!manifest || manifest.value()["name"].asString().empty()) {
    return where;
  }
  const auto version = oneLine(manifest.value()["version"].asString());
  return oneLine(manifest.value()["name"].asString()) + (version.empty() ? "" : "@" + version) +
         " " + where;
}

/// True when the user agrees to full trust; prints why not otherwise.
bool confirmTrust(const Console& console) {
  console.err << kTrustWarning;
  if (!console.in_terminal) {
    console.fail(Error{codes::kRefused, "not installed: trust in the plugin was not confirmed"},
                 "run it on a terminal, or add --yes");
    return false;
  }
  if (!console.confirm("Install? [y/N]")) {
    console.fail(Error{codes::kRefused, "not installed"});
    return false;
  }
  return true;
}

}  // namespace

int pluginInstall(Context& context, const std::string& source, bool yes) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  const auto resolved = resolveSource(source, context.environment);
  console.err << "Installing " << describe(resolved) << '\n';
  if (!yes && !confirmTrust(console)) {
    return kExitRefused;
  }
  Json body = Json::object();
  body.set("source", resolved.text);
  const auto reply =
      api.value().call({"POST", "/api/v1/plugins/install", body.dump(), kInstallWait});
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(console, reply.value());
  }
  const auto& record = reply.value().json["plugin"];
  if (console.json) {
    console.out << reply.value().text << '\n';
  } else {
    console.out << "Installed:\n" << pluginBlock(record, console);
  }
  return exitCodeForStatus(record);
}

}  // namespace svc::client
