#include "requests.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/terminals.h"
#include "svc/common/shown_text.h"

namespace svc::terminals {
namespace {

using common::BodyReader;
using common::Json;

/// The first line, as far as a title goes. A command may have megabytes: only what can be in the title is looked at.
std::string titleOf(std::string_view command) {
  constexpr std::size_t kLongestCharacter = 4;
  const auto line = command.substr(0, command.find('\n'));
  const auto start = std::min(line.find_first_not_of(" \t\r"), line.size());
  const auto beginning = line.substr(start, (limits::kTerminalTitle + 1) * kLongestCharacter);
  const auto shown = common::shownOnOneLine(beginning);
  std::size_t end = 0;
  for (std::size_t characters = 0; end < shown.size(); ++end) {
    const bool starts = (static_cast<unsigned char>(shown[end]) & 0xC0U) != 0x80U;
    if (starts && ++characters > limits::kTerminalTitle) {
      break;
    }
  }
  return end == 0 ? "Terminal" : shown.substr(0, end);
}

void readStart(BodyReader& reader, NewTerminal& wanted) {
  const auto* start = reader.body().find("start");
  if (start == nullptr) {
    return;
  }
  const auto& mode = (*start)["mode"].asString();
  if (mode == "command" && !(*start)["command"].asString().empty()) {
    wanted.command = (*start)["command"].asString();
  } else if (mode != "shell") {
    reader.issue("Expected { mode: \"shell\" } or { mode: \"command\", command }", {Json("start")});
  }
}

Result<std::string> hostOf(const Json& scope, const machines::IHostRegistry& registry) {
  if (const auto& id = scope["hostId"].asString(); !id.empty()) {
    return registry.find(id)
               ? Result<std::string>(id)
               : Error{errc::kUnknownHost,
                       fmt::format("there is no host \"{}\"; `svc machine list` shows "
                                   "those there are",
                                   id)};
  }
  for (const auto& host : registry.list()) {
    if (host.is_server) {
      return host.id;
    }
  }
  return Error{errc::kHostUnavailable,
               "this server has no machine of its own (hosts.local is off); name one with hostId"};
}

}  // namespace

void readSize(BodyReader& reader, std::int64_t& columns, std::int64_t& rows) {
  for (const auto& [member, target] : {std::pair("cols", &columns), std::pair("rows", &rows)}) {
    const auto& value = reader.body()[member];
    *target = value.asInteger();
    if (!value.isInteger() || *target < 1 || *target > limits::kTerminalSize) {
      reader.issue(fmt::format("Expected a whole number from 1 to {} (limit terminalSize)",
                               limits::kTerminalSize),
                   {Json(member)});
    }
  }
}

std::string readTitle(BodyReader& reader) {
  auto title = common::onOneLine(reader.requiredString("title"));
  if (!reader.body()["title"].isString()) {
    return title;
  }
  if (const auto size = common::countCharacters(title); size < 1 || size > limits::kTerminalTitle) {
    reader.issue(fmt::format("Expected 1 to {} characters (limit terminalTitle), got {}",
                             limits::kTerminalTitle, size),
                 {Json("title")});
  } else if (auto odd = common::oddCharacterOf(title)) {
    reader.issue(*std::move(odd), {Json("title")});
  }
  return title;
}

Result<NewTerminal> readNewTerminal(std::string_view body, const machines::IHostRegistry& registry,
                                    const FindPlace& find_place) {
  auto parsed = BodyReader::parse(body);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& reader = parsed.value();
  const auto& scope = reader.body()[reader.body().find("scope") == nullptr ? "target" : "scope"];
  const auto& kind = scope["kind"].asString();
  if (kind != "host_path" && kind != "environment" && kind != "thread") {
    reader.issue(
        "Expected { kind: \"host_path\", hostId, cwd }, { kind: \"environment\", environmentId } "
        "or "
        "{ kind: \"thread\", threadId }",
        {Json("scope")});
  }
  const auto& place_id = scope[kind + "Id"].asString();
  if ((kind == "environment" || kind == "thread") && place_id.empty()) {
    reader.issue("Expected an id", {Json("scope"), Json(kind + "Id")});
  }
  NewTerminal wanted;
  if (scope["cwd"].isString()) {
    wanted.cwd = scope["cwd"].asString();
  } else if (!scope["cwd"].isNull()) {
    reader.issue("Expected a string or null", {Json("scope"), Json("cwd")});
  }
  if (!scope["hostId"].isNull() && scope["hostId"].asString().empty()) {
    reader.issue("Expected the id of a machine", {Json("scope"), Json("hostId")});
  }
  readSize(reader, wanted.columns, wanted.rows);
  readStart(reader, wanted);
  wanted.title =
      reader.body().find("title") == nullptr ? titleOf(wanted.command) : readTitle(reader);
  if (auto status = reader.finish(); !status) {
    return std::move(status).error();
  }
  if (kind != "host_path") {
    auto place = find_place(kind, place_id);
    if (!place) {
      return std::move(place).error();
    }
    wanted.host_id = place.value().host_id;
    wanted.cwd = place.value().cwd;
    wanted.thread_id = place.value().thread_id;
    wanted.environment_id = place.value().environment_id;
    wanted.project_id = place.value().project_id;
    return wanted;
  }
  auto host = hostOf(scope, registry);
  if (!host) {
    return std::move(host).error();
  }
  wanted.host_id = std::move(host).value();
  return wanted;
}

}  // namespace svc::terminals
