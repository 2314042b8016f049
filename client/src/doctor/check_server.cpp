#include <filesystem>

#include <fmt/format.h>

#include "doctor/findings.h"
#include "plugin_block.h"
#include "starting.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

constexpr auto kServerPatience = std::chrono::seconds(10);

Result<Reply> ask(Api& api, const std::string& path) {
  auto reply = api.call({"GET", "/api/v1" + path, "", kServerPatience});
  if (reply && !reply.value().ok()) {
    return Error{errc::kInternal, reply.value().message()};
  }
  return reply;
}

void checkPlugins(Api& api, Findings& findings) {
  const auto reply = ask(api, "/plugins");
  if (!reply) {
    findings.push_back(problem("plugins", oneLine(reply.error().message), "svc server logs"));
    return;
  }
  const auto& records = reply.value().json["plugins"].items();
  std::size_t running = 0;
  for (const auto& record : records) {
    const auto id = oneLine(record["id"].asString());
    const auto status = oneLine(record["status"].asString());
    running += status == "running" ? 1 : 0;
    const auto told = oneLine(firstLine(record["statusDetail"].asString()));
    if (status == "running" && hasFailedReload(record)) {
      findings.push_back(
          problem("plugin " + id, told + " (the load before it still runs)", fixFor(record)));
    } else if (status == "running" && !told.empty()) {
      findings.push_back(warning("plugin " + id, told, "svc plugin show " + id));
    }
    if (status == "running" || !record["enabled"].asBool(true) || status == "disabled") {
      continue;
    }
    const auto detail = oneLine(record["statusDetail"].asString());
    findings.push_back(problem("plugin " + id,
                               detail.empty() ? status : fmt::format("{}: {}", status, detail),
                               fixFor(record)));
  }
  findings.push_back(fine("plugins", fmt::format("{} of {} run", running, records.size())));
}

void checkVersion(Api& api, Findings& findings) {
  const auto reply = ask(api, "/system/config");
  if (!reply) {
    return;
  }
  const auto& config = reply.value().json;
  const auto& version = config["version"].asString();
  if (version != SVC_VERSION) {
    findings.push_back(warning(
        "version", fmt::format("the server is {}, this program " SVC_VERSION, oneLine(version)),
        "svc server restart, with svc and svcd of one version"));
  }
  const auto& zone = config["timezone"].asString();
  std::error_code ignored;
  if (!zone.empty()) {
    findings.push_back(std::filesystem::exists("/usr/share/zoneinfo/" + zone, ignored)
                           ? fine("time zone", oneLine(zone))
                           : warning("time zone", "unknown to this machine: " + oneLine(zone),
                                     "svc settings set timezone <zone>"));
  }
  if (config["safeMode"].asBool()) {
    findings.push_back(
        warning("safe mode", "it is on: only bundled plugins run", "svc plugin safe-mode off"));
  }
}

/// What modules cannot do for now.
void checkModules(Api& api, Findings& findings) {
  const auto response = api.raw({"GET", "/readyz", "", kServerPatience});
  const auto ready = response ? Json::parse(response.value().body) : Result<Json>(Json());
  if (!ready) {
    return;  // a server that is too busy for it is told by what is asked before
  }
  for (const auto& module : ready.value()["modules"].items()) {
    const auto detail = oneLine(module["detail"].asString());
    const auto name = oneLine(module["name"].asString());
    const auto& state = module["state"].asString();
    if (state != "ready") {
      findings.push_back(
          problem(name, oneLine(state) + (detail.empty() ? "" : ": " + detail), "svc server logs"));
    } else if (!detail.empty()) {
      findings.push_back(warning(name, detail, "svc server logs"));
    }
  }
}

/// Where the server's own machine is away, so are the agents, terminals, files and projects on it.
void checkOwnMachine(const Context& context, Api& api, Findings& findings) {
  const auto hosts = awaitOwnMachine(context, api);
  for (const auto& host : hosts.items()) {
    const auto told = oneLine(host["stateMessage"].asString());
    if (host["role"].asString() != "server") {
      continue;
    }
    if (host["status"].asString() == "connected") {
      findings.push_back(fine("machine", told.empty() ? "connected" : told));
    } else if (told.find("hosts.local is false") != std::string::npos) {
      findings.push_back(fine("machine", told));
    } else {
      findings.push_back(problem(
          "machine",
          "the server's own is not connected: no agents, terminals, files and projects there" +
              (told.empty() ? "" : "; " + told),
          "svc server logs"));
    }
  }
}

}  // namespace

void checkServer(const Context& context, Findings& findings) {
  constexpr const char* kCheck = "server";
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    findings.push_back(problem(kCheck, api.error().message, "svc server start"));
    return;
  }
  const auto& address = api.value().address();
  const auto version = ask(api.value(), "/system/version");
  if (!version) {
    const bool gone = version.error().code == errc::kUnavailable;
    findings.push_back(problem(
        kCheck,
        fmt::format("{} (address from {})", oneLine(version.error().message), address.origin),
        gone ? "svc server start" : "svc server logs; svc server restart"));
    return;
  }
  findings.push_back(fine(
      kCheck,
      fmt::format("{} runs {}", address.url, oneLine(version.value().json["version"].asString()))));
  checkModules(api.value(), findings);
  checkVersion(api.value(), findings);
  checkPlugins(api.value(), findings);
  checkOwnMachine(context, api.value(), findings);
}

}  // namespace svc::client
