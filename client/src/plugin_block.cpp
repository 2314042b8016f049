#include "plugin_block.h"

#include <algorithm>
#include <ostream>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

std::string text(const Json& object, std::string_view key) {
  return oneLine(object[key].asString());
}

Console::Style styleOf(std::string_view status) {
  if (status == "running") {
    return Console::Style::kGood;
  }
  return status == "disabled" || status == "starting" ? Console::Style::kDim : Console::Style::kBad;
}

std::string headLine(const Json& record, const Console& console) {
  const auto status = text(record, "status");
  const auto detail = firstLine(record["statusDetail"].asString());
  return fmt::format("{}@{}  {}{}\n", text(record, "id"), text(record, "version"),
                     console.paint(styleOf(status), status),
                     detail.empty() ? "" : "  (" + detail + ")");
}

/// A plugin may have thousands: whoever wants them all reads JSON.
constexpr std::size_t kMostSchedules = 20;

std::string handlerLine(const Json& stats) {
  const auto errors = stats["errorCount"].asInteger();
  return fmt::format("  handlers: {} calls / {} / {}{}\n", stats["count"].asInteger(),
                     formatDuration(stats["totalMs"].asNumber()),
                     formatDuration(stats["maxMs"].asNumber()),
                     errors > 0 ? fmt::format(", {} errors", errors) : "");
}

std::string serviceLine(const Json& service) {
  const auto restarts = service["restarts"].asInteger();
  const auto error = text(service["lastError"], "message");
  return fmt::format("  service {}: {}{}{}\n", text(service, "name"), text(service, "state"),
                     restarts > 0 ? fmt::format(", {} restarts", restarts) : "",
                     error.empty() ? "" : " (" + error + ")");
}

std::string scheduleLine(const Json& schedule, const Console& console) {
  const auto last = text(schedule, "lastStatus");
  const auto error = text(schedule, "lastError");
  const auto& next = schedule["nextRunAt"];
  return fmt::format("  schedule {} ({}): next {}{}{}{}\n", text(schedule, "name"),
                     text(schedule, "cron"), next.isNumber() ? console.time(next.asInteger()) : "-",
                     last.empty() ? "" : ", last: " + last,
                     schedule["lastRunMissed"].asBool() ? ", missed" : "",
                     error.empty() ? "" : " (" + error + ")");
}

std::string_view afterFirstLine(std::string_view text) {
  const auto end = text.find('\n');
  return end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
}

std::string indented(std::string_view untrusted) {
  std::string result;
  const auto lines = manyLines(untrusted);
  for (std::size_t start = 0; start < lines.size();) {
    const auto end = std::min(lines.find('\n', start), lines.size());
    result += "    " + lines.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return result;
}

std::string lastErrorLines(const Json& error, const Console& console) {
  if (!error.isObject()) {
    return {};
  }
  auto result = fmt::format("  last error: {} in {}: {}\n", console.time(error["at"].asInteger()),
                            text(error, "source"), firstLine(error["message"].asString()));
  const auto& stack = error["stack"].asString();
  return result + indented(stack.empty() ? afterFirstLine(error["message"].asString()) : stack);
}

std::string resourcesLine(const Json& held) {
  constexpr double kMebi = 1024.0 * 1024.0;
  return held.isObject()
             ? fmt::format(
                   "  resources: {} worker threads, {} open files, {} database connections "
                   "with {:.1f} MiB\n",
                   held["workerThreads"].asInteger(), held["descriptors"].asInteger(),
                   held["databaseConnections"].asInteger(),
                   static_cast<double>(held["databaseBytes"].asInteger()) / kMebi)
             : std::string();
}

/// What is typed behind `svc`.
std::string commandOf(const Json& record) {
  const auto& command = record["cliCommand"];
  // Its name is one of svc's own commands, or another plugin's.
  return command["shadowed"].asBool() ? "plugin run " + text(record, "id") : text(command, "name");
}

}  // namespace

std::string pluginBlock(const Json& record, const Console& console) {
  auto result = headLine(record, console);
  result += fmt::format("  source: {}\n", text(record, "source"));
  result += handlerLine(record["handlerStats"]);
  for (const auto& service : record["services"].items()) {
    result += serviceLine(service);
  }
  const auto& schedules = record["schedules"].items();
  const auto shown = std::min(schedules.size(), kMostSchedules);
  for (std::size_t at = 0; at < shown; ++at) {
    result += scheduleLine(schedules[at], console);
  }
  if (schedules.size() > shown) {
    result += fmt::format("  and {} more schedules (svc --json plugin show {})\n",
                          schedules.size() - shown, text(record, "id"));
  }
  if (const auto& command = record["cliCommand"]; command.isObject()) {
    const auto summary = text(command, "summary");
    result += fmt::format("  command: svc {}{}\n", commandOf(record),
                          summary.empty() ? "" : " — " + summary);
  }
  return result;
}

std::string pluginDetails(const Json& record, const Console& console) {
  auto result = pluginBlock(record, console);
  if (const auto& detail = record["statusDetail"].asString(); !afterFirstLine(detail).empty()) {
    result += "  detail:\n" + indented(detail);
  }
  result += fmt::format("  directory: {}\n", text(record, "rootDir"));
  result += fmt::format("  generation: {}\n", record["generation"].asInteger());
  const auto& counters = record["counters"];
  result +=
      fmt::format("  counters: {} out-of-band errors, {} stalls, {} terminations, {} held calls\n",
                  counters["outOfBandErrors"].asInteger(), counters["watchdogStalls"].asInteger(),
                  counters["terminations"].asInteger(), counters["heldCalls"].asInteger());
  result += resourcesLine(record["resources"]);
  result += lastErrorLines(record["lastError"], console);
  for (const auto& problem : record["problems"].items()) {
    result += fmt::format("  problem {}: {}\n", text(problem, "code"), text(problem, "message"));
  }
  for (const auto& member : record["unsupported"].items()) {
    result += fmt::format("  unsupported: {}\n", oneLine(member.asString()));
  }
  return result;
}

bool hasFailedReload(const Json& record) {
  return record["statusDetail"].asString().starts_with("reload failed");
}

std::string fixFor(const Json& record) {
  const auto id = text(record, "id");
  const auto& status = record["status"].asString();
  if (status == "needs-configuration") {
    return "svc plugin config " + id;
  }
  if (status == "incompatible") {
    return "svc plugin update " + id + ", or remove it";
  }
  if (status == "missing") {
    return text(record, "source").starts_with("path:")
               ? "put its directory back, or: svc plugin remove " + id
               : "svc plugin update " + id;
  }
  return "svc plugin show " + id + "; then svc plugin reload " + id;
}

void tellNextSteps(const Console& console, const Json& record, const std::string& url) {
  if (console.json || !console.out_terminal) {
    return;
  }
  std::vector<std::string> steps;
  if (const auto& status = record["status"].asString(); status != "running") {
    if (status != "disabled" && status != "starting") {
      steps.push_back(fixFor(record));
    }
  } else {
    if (record["app"]["hasApp"].asBool()) {
      steps.push_back(fmt::format("open {}/plugins/{}", url, percentEncode(text(record, "id"))));
    }
    if (record["cliCommand"].isObject()) {
      steps.push_back(fmt::format("svc {} --help", commandOf(record)));
    }
    if (record["hasSettings"].asBool()) {
      steps.push_back("svc plugin config " + text(record, "id"));
    }
  }
  if (!steps.empty()) {
    console.err << fmt::format("Next: {}\n", fmt::join(steps, "\n      "));
  }
}

int exitCodeForStatus(const Json& record) {
  const auto& status = record["status"].asString();
  if (status == "running") {
    return kExitOk;
  }
  return status == "incompatible" ? kExitIncompatible : kExitFailure;
}

}  // namespace svc::client
