#include "daemon_message.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "svc/common/json.h"
#include "svc/common/json_slices.h"
#include "svc/hostprotocol/agents.h"
#include "svc/hostprotocol/protocol.h"

namespace svc::hosts {
namespace {

using common::JsonSlices;

enum class Shape : std::uint8_t { kText, kBoolean, kCount, kObject, kArray, kAny };

/// More than any count has.
constexpr std::size_t kDigits = 18;

struct Member {
  std::string_view key;
  Shape shape;
  bool required = true;
};

constexpr std::array<Member, 0> kHeartbeatMembers{};
constexpr std::array kResultMembers{Member{"requestId", Shape::kText},
                                    Member{"commandType", Shape::kText},
                                    Member{"ok", Shape::kBoolean}, Member{"result", Shape::kAny}};
constexpr std::array kErrorMembers{
    Member{"requestId", Shape::kText},    Member{"commandType", Shape::kText},
    Member{"ok", Shape::kBoolean},        Member{"errorCode", Shape::kText},
    Member{"errorMessage", Shape::kText}, Member{"errorDetails", Shape::kObject, false}};
constexpr std::array kSignalMembers{
    Member{"pluginId", Shape::kText}, Member{"generation", Shape::kText},
    Member{"signal", Shape::kText}, Member{"payload", Shape::kAny, false}};
constexpr std::array kExitMembers{Member{"pluginId", Shape::kText},
                                  Member{"generation", Shape::kText}};
constexpr std::array kLogMembers{Member{"pluginId", Shape::kText},
                                 Member{"generation", Shape::kText},
                                 Member{"lines", Shape::kArray}};

constexpr std::array kTerminalOutputMembers{Member{"terminalId", Shape::kText},
                                            Member{"seq", Shape::kCount},
                                            Member{"dataBase64", Shape::kText}};
constexpr std::array kTerminalTakenMembers{Member{"terminalId", Shape::kText},
                                           Member{"bytes", Shape::kCount}};
constexpr std::array kTerminalExitMembers{Member{"terminalId", Shape::kText},
                                          Member{"exitCode", Shape::kCount}};

constexpr std::array kAgentEventsMembers{Member{"sessionId", Shape::kText},
                                         Member{"threadId", Shape::kText},
                                         Member{"events", Shape::kArray}};

bool fits(Shape shape, std::string_view raw) {
  switch (shape) {
    case Shape::kText:
      return raw.starts_with('"') && common::isValidJson(raw);
    case Shape::kBoolean:
      return raw == "true" || raw == "false";
    case Shape::kCount:
      return !raw.empty() && raw.size() < kDigits &&
             raw.find_first_not_of("0123456789") == std::string_view::npos;
    case Shape::kObject:
      return raw.starts_with('{') && common::isValidJson(raw);
    case Shape::kArray:
      return raw.starts_with('[') && common::isValidJson(raw);
    case Shape::kAny:
      return true;
  }
  return false;
}

template <std::size_t Count>
Status checkMembers(const JsonSlices& message, const std::array<Member, Count>& expected) {
  for (const auto& member : expected) {
    const auto raw = message.raw(member.key);
    if (raw.empty() ? member.required : !fits(member.shape, raw)) {
      return Error{errc::kInvalidArgument,
                   fmt::format("{} is {}", member.key,
                               raw.empty() ? "missing" : "of another type, or no JSON")};
    }
  }
  for (const auto& [key, raw] : message.members()) {
    const auto known = [&key = key](const Member& member) { return member.key == key; };
    if (key != "type" && std::none_of(expected.begin(), expected.end(), known)) {
      return Error{errc::kInvalidArgument, "it has an unknown member"};
    }
  }
  return {};
}

Result<DaemonMessage> readAnswer(const JsonSlices& message) {
  CommandAnswer answer;
  answer.ok = message.raw("ok") == "true";
  if (auto status =
          answer.ok ? checkMembers(message, kResultMembers) : checkMembers(message, kErrorMembers);
      !status) {
    return std::move(status).error();
  }
  answer.request_id = message.text("requestId");
  answer.command_type = message.text("commandType");
  if (answer.ok) {
    answer.result = message.raw("result");
  } else {
    answer.error_code = message.text("errorCode");
    answer.error_message = message.text("errorMessage");
    answer.error_details = message.raw("errorDetails");
  }
  return DaemonMessage(std::move(answer));
}

Result<DaemonMessage> readSignal(const JsonSlices& message) {
  if (auto status = checkMembers(message, kSignalMembers); !status) {
    return std::move(status).error();
  }
  return DaemonMessage(HostSignal{.plugin_id = message.text("pluginId"),
                                  .generation = message.text("generation"),
                                  .name = message.text("signal"),
                                  .payload = message.raw("payload")});
}

Result<DaemonMessage> readExit(const JsonSlices& message) {
  if (auto status = checkMembers(message, kExitMembers); !status) {
    return std::move(status).error();
  }
  return DaemonMessage(
      WorkerExit{.plugin_id = message.text("pluginId"), .generation = message.text("generation")});
}

Result<DaemonMessage> readLog(const JsonSlices& message) {
  if (auto status = checkMembers(message, kLogMembers); !status) {
    return std::move(status).error();
  }
  WorkerLog log{.plugin_id = message.text("pluginId"), .generation = message.text("generation")};
  auto lines = common::Json::parse(message.raw("lines"));
  if (!lines) {
    return std::move(lines).error();
  }
  for (const auto& line : lines.value().items()) {
    const auto& stream = line["stream"].asString();
    const bool is_error = line["level"].asString() == "error";
    if (line.members().size() != (is_error ? 3U : 2U) ||
        (stream != "stdout" && stream != "stderr") || !line["text"].isString()) {
      return Error{errc::kInvalidArgument, "a line is not { stream, level?, text }"};
    }
    log.lines.push_back({.is_error_stream = stream == "stderr",
                         .is_error = is_error,
                         .text = line["text"].asString()});
  }
  return DaemonMessage(std::move(log));
}

Result<DaemonMessage> readHeartbeat(const JsonSlices& message) {
  if (auto status = checkMembers(message, kHeartbeatMembers); !status) {
    return std::move(status).error();
  }
  return DaemonMessage(Heartbeat{});
}

template <auto& Members>
Result<DaemonMessage> forward(const JsonSlices& message) {
  if (auto status = checkMembers(message, Members); !status) {
    return std::move(status).error();
  }
  return DaemonMessage(ForwardedMessage{});
}

struct Reader {
  std::string_view type;
  Result<DaemonMessage> (*read)(const JsonSlices& message);
};

constexpr std::array kReaders{
    Reader{hostprotocol::to_server::kResponse, readAnswer},
    Reader{hostprotocol::to_server::kSignal, readSignal},
    Reader{hostprotocol::to_server::kTerminalOutput, forward<kTerminalOutputMembers>},
    Reader{hostprotocol::to_server::kAgentEvents, forward<kAgentEventsMembers>},
    Reader{hostprotocol::to_server::kHeartbeat, readHeartbeat},
    Reader{hostprotocol::to_server::kLog, readLog},
    Reader{hostprotocol::to_server::kWorkerExited, readExit},
    Reader{hostprotocol::to_server::kTerminalTaken, forward<kTerminalTakenMembers>},
    Reader{hostprotocol::to_server::kTerminalExit, forward<kTerminalExitMembers>},
};

}  // namespace

Result<DaemonMessage> parseDaemonMessage(std::string_view text) {
  // Results and payloads may have megabytes, and every client waits for this thread.
  const auto message = JsonSlices::skim(text);
  if (!message) {
    return message.error();
  }
  const auto type = message.value().text("type");
  const auto* reader = std::find_if(kReaders.begin(), kReaders.end(),
                                    [&type](const Reader& entry) { return entry.type == type; });
  if (reader == kReaders.end()) {
    return Error{errc::kInvalidArgument, "its type is unknown"};
  }
  auto read = reader->read(message.value());
  if (!read) {
    return Error{errc::kInvalidArgument, fmt::format("{}: {}", reader->type, read.error().message)};
  }
  if (auto* forwarded = std::get_if<ForwardedMessage>(&read.value())) {
    *forwarded = {reader->type, text};
  }
  return read;
}

}  // namespace svc::hosts
