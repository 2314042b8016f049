#include <cstdint>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "svc/common/limits/plugins.h"

#include "commands/commands.h"
#include "exit_code.h"
#include "log_line.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

void print(const Json& page, const Console& console) {
  for (const auto& line : page["lines"].items()) {
    console.out << (console.out_terminal ? readableLogLine(line.asString(), console)
                                         : line.asString() + "\n");
  }
  console.out.flush();
}

std::string target(const std::string& id, const LogOptions& options,
                   std::optional<std::int64_t> cursor) {
  auto path = "/plugins/" + percentEncode(id) + "/logs";
  path += cursor ? fmt::format("?after={}&tail={}&wait={}", *cursor, limits::kLogTail,
                               limits::kLogWait.count())
                 : fmt::format("?tail={}", options.lines);
  return options.level.empty() ? path : path + "&level=" + percentEncode(options.level);
}

}  // namespace

int pluginLogs(Context& context, const std::string& id, const LogOptions& options) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  std::optional<std::int64_t> cursor;
  do {
    const auto reply = api.value().get(target(id, options, cursor));
    if (!reply) {
      return reportNoAnswer(console, reply.error());
    }
    if (!reply.value().ok()) {
      return reportFailure(console, reply.value());
    }
    if (console.json && !options.follow) {
      console.out << reply.value().text << '\n';
      return kExitOk;
    }
    const auto& page = reply.value().json;
    print(page, console);
    const auto next = page["cursor"].asInteger();
    if (cursor && next == *cursor && page["lines"].items().empty()) {
      // A server that answers at once instead of waiting must not be asked in a tight loop.
      context.sleep(std::chrono::milliseconds(200));
    }
    cursor = next;
  } while (options.follow);
  return kExitOk;
}

}  // namespace svc::client
