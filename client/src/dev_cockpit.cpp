#include "dev_cockpit.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "text.h"

namespace svc::client {
namespace {

using common::Json;

/// Of one look: what writes faster than this is not read while it runs past.
constexpr std::size_t kMostLines = 200;
/// The source of what windows report.
constexpr std::string_view kWindowSource = "app";
constexpr std::string_view kServerSource = "server";
constexpr std::string_view kPageMark = "  → ";
constexpr std::string_view kStackIndent = "         ";

struct KeyHelp {
  char key;
  const char* brief;
  const char* what;
};
constexpr std::array<KeyHelp, 7> kKeys{{
    {'o', "page", "open the plugin's page in a browser"},
    {'l', "log", "show the plugin's log or leave it out; failures in windows are always shown"},
    {'r', "reload", "build and reload now"},
    {'t', "tests", "run the plugin's own tests (npm test)"},
    {'i', "inspect", "open the inspector for DevTools"},
    {'h', "help", "this list; ? is the same"},
    {'q', "quit", "end; Ctrl-C is the same"},
}};

Console::Style levelStyle(const std::string& level) {
  return level == "error"   ? Console::Style::kBad
         : level == "debug" ? Console::Style::kDim
                            : Console::Style::kPlain;
}

/// "" of the server entry, "window: " or "host:<id>: ".
std::string originOf(const Json& entry) {
  const auto source = oneLine(entry["source"].asString());
  if (source.empty() || source == kServerSource) {
    return {};
  }
  return (source == kWindowSource ? "window" : source) + ": ";
}

std::string stackText(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    result.append(kStackIndent).append(oneLine(text.substr(0, end))).append("\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

/// Whether a text ends with a line and a column.
bool hasPosition(std::string_view text) {
  for (int number = 0; number < 2; ++number) {
    const auto colon = text.find_last_not_of("0123456789");
    if (colon == std::string_view::npos || colon + 1 == text.size() || text[colon] != ':') {
      return false;
    }
    text = text.substr(0, colon);
  }
  return true;
}

/// Whether a line of a stack names a file of the plugin: neither an address nor a package. V8
/// writes `at name (place)`, others `name@place`.
bool isOwnFrame(std::string_view line) {
  const bool is_frame = line.starts_with("at ") || line.find('@') != std::string_view::npos;
  return is_frame && line.find("://") == std::string_view::npos &&
         line.find("node_modules/") == std::string_view::npos &&
         hasPosition(line.ends_with(')') ? line.substr(0, line.size() - 1) : line);
}

}  // namespace

std::string windowFailureText(const Json& entry) {
  auto text = entry["message"].asString();
  std::string_view stack = entry["stack"].asString();
  while (!stack.empty()) {
    const auto end = std::min(stack.find('\n'), stack.size());
    const auto start = std::min(stack.find_first_not_of(" \t"), end);
    if (const auto line = stack.substr(start, end - start); isOwnFrame(line)) {
      return text.append(" ").append(line);
    }
    stack.remove_prefix(std::min(end + 1, stack.size()));
  }
  return text;
}

bool isWindowFailure(const Json& entry) {
  const auto& level = entry["level"].asString();
  return entry["source"].asString() == kWindowSource && (level == "error" || level == "warn");
}

DevCockpit::DevCockpit(std::string plugin_id, const Console& console, Ports ports)
    : plugin_id_(std::move(plugin_id)), console_(console), ports_(ports) {}

void DevCockpit::begin() {
  std::string keys;
  for (const auto& [key, brief, what] : kKeys) {
    keys += fmt::format("{}{} {}", keys.empty() ? "" : " · ", key, brief);
  }
  say(console_.paint(Console::Style::kDim, "Keys: " + keys));
  // What was written before is not of this session.
  if (const auto page = ports_.server.logAfter(std::nullopt, 0)) {
    last_line_ = page.value()["cursor"].asInteger();
  }
}

std::vector<int> DevCockpit::descriptors() {
  return {ports_.keys.descriptor(), ports_.tests.descriptor()};
}

IDevCockpit::Wish DevCockpit::attend() {
  if (const auto end = ports_.tests.takeEnd()) {
    say(*end);
  }
  if (ports_.keys.descriptor() < 0) {
    return Wish::kNothing;
  }
  for (const char key : ports_.keys.take()) {
    if (const auto wish = press(key); wish != Wish::kNothing) {
      return wish;
    }
  }
  return Wish::kNothing;
}

IDevCockpit::Wish DevCockpit::press(char key) {
  switch (key) {
    case 'o':
      print(ports_.server.openPage());
      break;
    case 'l':
      switchLog();
      break;
    case 'r':
      return Wish::kReload;
    case 't':
      if (ports_.tests.descriptor() >= 0) {
        say("The tests run already.");
      } else if (const auto started = ports_.tests.start(); !started) {
        print(started.error());
      }
      break;
    case 'i':
      print(ports_.server.inspect());
      break;
    case 'h':
    case '?':
      help();
      break;
    case 'q':
      return Wish::kQuit;
    default:
      break;
  }
  return Wish::kNothing;
}

void DevCockpit::help() {
  std::string text;
  for (const auto& [key, brief, what] : kKeys) {
    text += fmt::format("{}  {}  {}", text.empty() ? "" : "\n", key, what);
  }
  say(text);
}

void DevCockpit::switchLog() {
  shows_log_ = !shows_log_;
  say(shows_log_ ? "The plugin's log is shown." : "The plugin's log is left out.");
}

void DevCockpit::print(const Result<std::string>& told) {
  if (told) {
    say(manyLines(told.value()));
  } else {
    console_.complain(told.error().message);
  }
}

void DevCockpit::loaded() {
  told_.clear();
  if (const auto address = ports_.server.pageAddress(); !address.empty()) {
    say(console_.paint(Console::Style::kDim, std::string(kPageMark) + oneLine(address)));
  }
}

void DevCockpit::look() {
  const auto page = ports_.server.logAfter(last_line_, last_line_ ? kMostLines : 0);
  if (!page) {
    return;  // the loop says when there is no server
  }
  const auto before = std::exchange(last_line_, page.value()["cursor"].asInteger());
  const auto& lines = page.value()["lines"].items();
  bool is_first = true;
  for (const auto& line : lines) {
    const auto entry = Json::parse(line.asString());
    if (!entry || !entry.value().isObject()) {
      continue;
    }
    const auto left_out = before ? entry.value()["seq"].asInteger() - *before - 1 : 0;
    if (std::exchange(is_first, false) && left_out > 0 && shows_log_) {
      say(fmt::format("  … {} lines are left out: svc plugin logs {}", left_out,
                      oneLine(plugin_id_)));
    }
    printEntry(entry.value());
  }
  console_.out << std::flush;
}

bool DevCockpit::isShown(const Json& entry) {
  if (isWindowFailure(entry)) {
    return told_.insert(entry["message"].asString()).second;
  }
  return shows_log_;
}

void DevCockpit::printEntry(const Json& entry) {
  if (!isShown(entry)) {
    return;
  }
  const auto& level = entry["level"].asString();
  console_.out << fmt::format(
      "  {}  {}{}\n", console_.paint(levelStyle(level), fmt::format("{:<5}", oneLine(level))),
      originOf(entry), manyLines(entry["message"].asString()));
  console_.out << console_.paint(Console::Style::kDim, stackText(entry["stack"].asString()));
}

void DevCockpit::say(std::string_view text) const { console_.out << text << '\n' << std::flush; }

}  // namespace svc::client
