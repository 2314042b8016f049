#include <cstdint>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "svc/common/limits.h"

#include "commands/commands.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

/// A stored line for people: time, level, message, then the stack.
std::string readable(const std::string& line, const Console& console) {
  const auto parsed = Json::parse(line);
  if (!parsed || !parsed.value().isObject()) {
    return oneLine(line) + "\n";
  }
  const auto& entry = parsed.value();
  const auto& level = entry["level"].asString();
  const auto style = level == "error"   ? Console::Style::kBad
                     : level == "debug" ? Console::Style::kDim
                                        : Console::Style::kPlain;
  auto text =
      fmt::format("{}  {}  {}\n", formatTime(entry["ts"].asInteger(), TimePrecision::kMilliseconds),
                  console.paint(style, fmt::format("{:<5}", oneLine(level))),
                  manyLines(entry["message"].asString()));
  if (const auto& stack = entry["stack"].asString(); !stack.empty()) {
    text += manyLines(stack) + "\n";
  }
  return text;
}

void print(const Json& page, const Console& console) {
  for (const auto& line : page["lines"].items()) {
    console.out << (console.out_terminal ? readable(line.asString(), console)
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
