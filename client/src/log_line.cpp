#include "log_line.h"

#include <fmt/format.h>

#include "svc/common/json.h"

#include "text.h"

namespace svc::client {

using common::Json;

namespace {

/// What follows the first line is set in: a line break in a message begins no line that looks like another one's.
std::string setIn(const std::string& text) {
  std::string out;
  for (const char each : manyLines(text)) {
    out += each;
    if (each == '\n') {
      out += "    ";
    }
  }
  return out;
}

}  // namespace

std::string readableLogLine(const std::string& line, const Console& console) {
  const auto parsed = Json::parse(line);
  if (!parsed || !parsed.value().isObject()) {
    return oneLine(line) + "\n";
  }
  const auto& entry = parsed.value();
  const auto& level = entry["level"].asString();
  const auto style = level == "error"   ? Console::Style::kBad
                     : level == "debug" ? Console::Style::kDim
                                        : Console::Style::kPlain;
  const auto logger = oneLine(entry["logger"].asString());
  auto text = fmt::format("{}  {}  {}{}\n",
                          formatTime(entry["ts"].asInteger(), TimePrecision::kMilliseconds),
                          console.paint(style, fmt::format("{:<5}", oneLine(level))),
                          logger.empty() ? "" : logger + ": ", setIn(entry["message"].asString()));
  if (const auto& stack = entry["stack"].asString(); !stack.empty()) {
    text += "    " + setIn(stack) + "\n";
  }
  return text;
}

}  // namespace svc::client
