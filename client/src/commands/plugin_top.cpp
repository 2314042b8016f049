#include <ostream>

#include <fmt/format.h>

#include "commands/commands.h"
#include "exit_code.h"
#include "table.h"

namespace svc::client {
namespace {

using common::Json;

constexpr const char* kClearScreen = "\x1b[H\x1b[2J";

std::string mebibytes(std::int64_t bytes) {
  constexpr double kMebi = 1024.0 * 1024.0;
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / kMebi);
}

/// What is left of environments that were given up.
std::string parked(const Json& row) {
  const auto count = row["parkedEnvironments"].asInteger();
  return count == 0 ? "-"
                    : fmt::format("{} ({})", count, mebibytes(row["parkedBytes"].asInteger()));
}

std::string databases(const Json& row) {
  const auto count = row["databaseConnections"].asInteger();
  const auto bytes = row["databaseBytes"].asInteger();
  return count == 0 && bytes == 0 ? "-" : fmt::format("{} ({})", count, mebibytes(bytes));
}

std::string usageTable(const Json& plugins, Table::Layout layout) {
  Table table;
  table.add({"PLUGIN", "CPU", "CPU TIME", "HEAP", "BUFFERS", "THREADS", "BLOCKING", "FILES",
             "DATABASES", "PARKED", "LOOP P99", "CALLS", "ERRORS", "RESTARTS"});
  for (const auto& row : plugins.items()) {
    constexpr double kMillisecondsPerSecond = 1000;
    table.add({row["id"].asString(), fmt::format("{:.1f} %", row["cpuPercent"].asNumber()),
               fmt::format("{:.1f} s", row["cpuMs"].asNumber() / kMillisecondsPerSecond),
               mebibytes(row["heapBytes"].asInteger()), mebibytes(row["externalBytes"].asInteger()),
               std::to_string(row["workerThreads"].asInteger()),
               std::to_string(row["blockingOperations"].asInteger()),
               std::to_string(row["descriptors"].asInteger()), databases(row), parked(row),
               fmt::format("{:.1f} ms", row["loopDelayP99Ms"].asNumber()),
               std::to_string(row["calls"].asInteger()), std::to_string(row["errors"].asInteger()),
               std::to_string(row["restarts"].asInteger())});
  }
  return table.render(layout);
}

void show(const Console& console, const Reply& reply, bool redraw) {
  if (console.json) {
    console.out << reply.text << '\n';
  } else {
    console.out << (redraw ? kClearScreen : "")
                << (reply.json["plugins"].items().empty()
                        ? std::string("No plugins installed.\n")
                        : usageTable(reply.json["plugins"], layoutFor(console)));
  }
  console.out.flush();
}

}  // namespace

int pluginTop(Context& context, const TopOptions& options) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  // In a pipe nobody watches: there it goes on only when an interval is asked for.
  const bool repeat = !options.once && (console.out_terminal || options.interval);
  for (;;) {
    const auto reply = api.value().get("/plugins/top");
    if (!reply) {
      return reportNoAnswer(console, reply.error());
    }
    if (!reply.value().ok()) {
      return reportFailure(console, reply.value());
    }
    show(console, reply.value(), repeat && console.out_terminal);
    if (!repeat) {
      return kExitOk;
    }
    context.sleep(std::chrono::seconds(options.interval.value_or(kTopInterval)));
  }
}

}  // namespace svc::client
