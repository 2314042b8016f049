#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "svc/common/json.h"

#include "builder.h"
#include "commands/server_program.h"
#include "doctor/findings.h"
#include "text.h"

namespace svc::client {
namespace {

constexpr int kOldestNode = 20;
/// 2025-01-01: before any version of this program.
constexpr std::int64_t kEarliest = 1'735'689'600'000;

/// What `<program> --version` says; empty when it cannot be run.
std::string versionOf(const Context& context, const std::string& program) {
  ProcessRequest request;
  request.argv = {program, "--version"};
  const auto outcome = context.execute(request);
  if (!outcome || outcome.value().exit_code != 0) {
    return {};
  }
  const auto& text = outcome.value().out;
  const auto line = text.substr(0, text.find('\n'));
  // What follows in brackets is how it was built.
  return oneLine(line.substr(0, line.find(" (")));
}

/// What builds run with, as svcd reads it; the default when svcd cannot say, which is another finding.
std::string nodeOfBuilds(const Context& context) {
  const auto outcome = askServerProgram(context, {"--print-config"});
  const auto view =
      outcome ? common::Json::parse(outcome.value().out) : Result<common::Json>(outcome.error());
  if (view) {
    for (const auto& setting : view.value()["settings"].items()) {
      if (setting["key"].asString() == "build.node" && !setting["value"].asString().empty()) {
        return setting["value"].asString();
      }
    }
  }
  return "node";
}

void checkNode(const Context& context, const std::string& program, Findings& findings) {
  const bool chosen = program != "node";
  const bool by_variable = !context.environment.variable("SVC_BUILD_NODE").value_or("").empty();
  const auto fix =
      chosen ? fmt::format("{} <Node.js {} or newer>",
                           by_variable ? "SVC_BUILD_NODE, which is before the setting: set it to a"
                                       : "svc settings set build.node",
                           kOldestNode)
             : fmt::format("install Node.js {} or newer", kOldestNode);
  const auto version = versionOf(context, program);
  int major = 0;
  if (version.starts_with('v')) {
    std::from_chars(version.data() + 1, version.data() + version.size(), major);
  }
  if (version.empty() || (chosen && major == 0)) {
    findings.push_back(problem("node",
                               chosen ? oneLine(program) +
                                            ", which build.node names, is no Node.js; plugins "
                                            "cannot be built"
                                      : "there is no node on the PATH; building plugins and their "
                                        "dependencies needs it",
                               fix));
  } else if (major < kOldestNode) {
    findings.push_back(
        problem("node", fmt::format("{} is too old for building plugins", version), fix));
  } else {
    findings.push_back(fine("node", chosen ? version + ", " + oneLine(program) : version));
  }
}

/// Whether Node, or the program of esbuild, was refused a process or a thread.
bool lacksProcesses(const std::string& said) {
  return std::ranges::any_of(
      std::array{"EAGAIN", "failed to create new OS thread", "Resource temporarily unavailable"},
      [&](const char* words) { return said.find(words) != std::string::npos; });
}

/// What bundles plugins comes with svc; run by the node above, as for a build.
void checkToolchain(const Context& context, const std::string& node, Findings& findings) {
  const auto toolchain = builderOptions(context.environment).toolchain;
  ProcessRequest request;
  request.argv = {node, "-e", "require(process.argv[1]).transformSync('')",
                  (toolchain / "node_modules/esbuild").string()};
  const auto outcome = context.execute(request);
  if (!outcome) {
    return;  // without node, which has been said
  }
  if (outcome.value().exit_code != 0 && lacksProcesses(outcome.value().err)) {
    findings.push_back(
        problem("toolchain",
                "no further process or thread for this user; plugins cannot be built "
                "or installed",
                "raise the limit (`ulimit -u`, TasksMax= of a unit, pids of a "
                "container)"));
  } else if (outcome.value().exit_code != 0) {
    findings.push_back(problem("toolchain",
                               "the esbuild in " + toolchain.string() +
                                   " does not run; plugins cannot be built or installed",
                               "install svc again: its share/svc/toolchain is incomplete"));
  } else {
    findings.push_back(fine("toolchain", toolchain.string()));
  }
}

void checkTool(const Context& context, const char* program, const char* needed_for,
               Findings& findings) {
  const auto version = versionOf(context, program);
  findings.push_back(
      version.empty()
          ? warning(program,
                    fmt::format("there is no {} on the PATH; {} needs it", program, needed_for),
                    fmt::format("install {}", program))
          : fine(program, version));
}

void checkTime(const Context& context, Findings& findings) {
  std::error_code ignored;
  const auto now = context.now();
  if (now < kEarliest) {
    findings.push_back(problem("clock", "it says " + formatTime(now), "set the clock"));
  } else {
    findings.push_back(fine("clock", formatTime(now)));
  }
  if (!std::filesystem::exists("/usr/share/zoneinfo/UTC", ignored)) {
    findings.push_back(problem("time zones",
                               "there is no time zone database; schedules with a zone fail",
                               "install tzdata"));
  } else if (const auto name = context.environment.variable("TZ").value_or("");
             !name.empty() && name.front() != ':' && name.front() != '/' &&
             !std::filesystem::exists("/usr/share/zoneinfo/" + name, ignored)) {
    findings.push_back(warning("TZ",
                               oneLine(name) + " is no time zone; schedules go by the system's",
                               "set TZ to a name like Europe/Berlin, or not at all"));
  }
}

}  // namespace

void checkMachine(const Context& context, Findings& findings) {
  const auto node = nodeOfBuilds(context);
  checkNode(context, node, findings);
  checkToolchain(context, node, findings);
  checkTool(context, "npm", "`svc plugin install npm:…` and `svc plugin new`", findings);
  checkTool(context, "git", "`svc plugin install git:…`", findings);
  checkTool(context, "curl", "installing tarballs and marketplaces", findings);
  checkTime(context, findings);
}

}  // namespace svc::client
