#include <algorithm>
#include <array>
#include <ostream>

#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/examples.h"
#include "commands/open_window.h"
#include "commands/running_server.h"
#include "exit_code.h"
#include "plugin_block.h"
#include "starting.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;
using Words = std::vector<std::string>;

/// The plugins that should run: how many do, and why each of the others does not.
void tellOfPlugins(const Console& console, const Json& envelope) {
  std::size_t wanted = 0;
  std::size_t running = 0;
  std::string others;
  for (const auto& record : envelope["plugins"].items()) {
    const auto& status = record["status"].asString();
    if (!record["enabled"].asBool(true) || status == "disabled") {
      continue;
    }
    ++wanted;
    running += status == "running" ? 1 : 0;
    if (status == "running" && !hasFailedReload(record)) {
      continue;
    }
    const auto id = oneLine(record["id"].asString());
    const auto detail = firstLine(record["statusDetail"].asString());
    others += fmt::format("  {}: {}{}\n    fix: {}\n", id, oneLine(status),
                          detail.empty() ? "" : ": " + detail, fixFor(record));
  }
  if (wanted > 0) {
    console.out << (running == wanted ? fmt::format("{} plugin{} run{}.\n", wanted,
                                                    wanted == 1 ? "" : "s", wanted == 1 ? "s" : "")
                                      : fmt::format("{} of {} plugins run.\n", running, wanted));
  }
  console.err << others;
}

/// What to type next, by what there is.
Words nextSteps(const Json& plugins) {
  Words steps;
  for (const auto& record : plugins.items()) {
    const auto& command = record["cliCommand"];
    if (command.isObject() && !command["shadowed"].asBool()) {
      steps.push_back(fmt::format("svc {} --help", oneLine(command["name"].asString())));
      break;
    }
  }
  if (hasOwnPlugins(plugins)) {
    steps.emplace_back("svc plugin list");
  }
  steps.insert(steps.end(), {"svc plugin new hello", "svc server stop"});
  return steps;
}

std::string whatFor(const std::string& step) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kReasons{{
      {"svc plugin list", "what is installed"},
      {"svc plugin new", "a plugin of your own"},
      {"svc server stop", "ends the server"},
  }};
  const auto* const found = std::find_if(kReasons.begin(), kReasons.end(), [&](const auto& reason) {
    return step.starts_with(reason.first);
  });
  return std::string(found == kReasons.end() ? "what a plugin can do" : found->second);
}

void tellNext(const Console& console, const Json& plugins) {
  console.err << "Next steps:\n";
  for (const auto& step : nextSteps(plugins)) {
    console.err << fmt::format("  {:<24}{}\n", step, whatFor(step));
  }
}

std::string envelope(const RunningServer& server, const Json& plugins, const ShownWindow& window) {
  auto next = Json::array();
  for (const auto& step : nextSteps(plugins)) {
    next.push(step);
  }
  return Json::object()
      .set("ok", true)
      .set("server", Json::object()
                         .set("url", server.url)
                         .set("pid", server.pid)
                         .set("started", server.started))
      .set("plugins", plugins)
      .set("link", window.link)
      .set("nextSteps", std::move(next))
      .dump();
}

/// What is installed, once all of it has been loaded or given up.
Result<Reply> settledPlugins(const Context& context, Api& api, bool started) {
  context.on_interrupt("\nThe server runs on; `svc status` shows it, `svc server stop` ends it.\n");
  auto reply = awaitStarting(context, api);
  if (started) {
    awaitOwnMachine(context, api);
  }
  context.on_interrupt("");
  return reply;
}

}  // namespace

int up(Context& context, bool may_open) {
  const auto& console = context.console;
  if (!context.choice.server.empty()) {
    console.fail(
        {codes::kUsage, "`svc up` starts the server of this machine, and --server names one"},
        fmt::format("`svc --server {} open` shows its window", context.choice.server));
    return kExitUsage;
  }
  const auto server = ensureServer(context, {});
  if (!server) {
    return kExitFailure;
  }
  // The one that runs, also where SVC_SERVER_URL names another.
  context.choice.server = server->url;
  if (!console.json) {
    console.out << fmt::format("svcd {} {} (pid {})\n",
                               server->started ? "is running at" : "already runs at", server->url,
                               server->pid)
                << std::flush;
  }
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  const auto plugins = settledPlugins(context, api.value(), server->started);
  if (!plugins) {
    return reportNoAnswer(console, plugins.error());
  }
  if (!plugins.value().ok()) {
    return reportFailure(console, plugins.value());
  }
  if (!console.json) {
    tellOfPlugins(console, plugins.value().json);
    if (!hasOwnPlugins(plugins.value().json["plugins"])) {
      offerBeginnings(context, plugins.value().json["plugins"]);
    }
  }
  ShownWindow window;
  const auto shown = showWindow(context, api.value(), server->url, may_open, window);
  if (!shown) {
    return reportNoAnswer(console, shown.error());
  }
  if (!shown.value().ok()) {
    return reportFailure(console, shown.value());
  }
  const auto& list = plugins.value().json["plugins"];
  if (console.json) {
    console.out << envelope(*server, list, window) << '\n';
  } else {
    tellOfWindow(console, window);
    tellNext(console, list);
  }
  return kExitOk;
}

}  // namespace svc::client
