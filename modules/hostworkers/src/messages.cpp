#include "messages.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/json_slices.h"
#include "svc/common/limits/builds.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/protocol.h"
#include "svc/hostworkers/worker_protocol.h"

namespace svc::hostworkers {
namespace {

using common::JsonSlices;
using Type = WorkerMessage::Type;

constexpr std::size_t kLongestName = 512;
/// More than any machine has; the number of bytes still fits.
constexpr std::int64_t kMostHeapMiB = 1LL << 32;

constexpr std::array<std::pair<std::string_view, Type>, 9> kTypes{{
    {from_worker::kResult, Type::kResult},
    {from_worker::kSignal, Type::kSignal},
    {from_worker::kReady, Type::kReady},
    {from_worker::kStartupError, Type::kStartupError},
    {from_worker::kLeaseAcquire, Type::kLeaseAcquire},
    {from_worker::kLeaseRelease, Type::kLeaseRelease},
    {from_worker::kWatchStart, Type::kWatchStart},
    {from_worker::kWatchStop, Type::kWatchStop},
    {from_worker::kWatchAck, Type::kWatchAck},
}};

/// Reads members; remembers the first that does not fit.
class Members {
 public:
  explicit Members(const JsonSlices& slices) : slices_(slices) {}

  std::string name(std::string_view key) {
    auto text = slices_.text(key);
    if (text.empty() || text.size() > kLongestName) {
      note(key, fmt::format("a string of 1 to {} bytes", kLongestName));
    }
    return text;
  }
  std::int64_t integer(std::string_view key, std::int64_t lowest, std::int64_t highest) {
    const auto raw = slices_.raw(key);
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
    if (raw.empty() || failure != std::errc() || end != raw.data() + raw.size() || value < lowest ||
        value > highest) {
      note(key, fmt::format("an integer from {} to {}", lowest, highest));
    }
    return value;
  }
  bool boolean(std::string_view key) {
    const auto raw = slices_.raw(key);
    if (raw != "true" && raw != "false") {
      note(key, "a boolean");
    }
    return raw == "true";
  }
  std::string_view object(std::string_view key) {
    const auto raw = slices_.raw(key);
    if (!raw.starts_with('{')) {
      note(key, "an object");
    }
    return raw;
  }
  void note(std::string_view key, std::string_view expected) {
    if (problem_.empty()) {
      problem_ = fmt::format("\"{}\" must be {}", key, expected);
    }
  }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  const JsonSlices& slices_;
  std::string problem_;
};

/// A message is one line: between its tokens JSON may have line breaks.
void appendOnOneLine(std::string& out, std::string_view json) {
  const auto from = out.size();
  out.append(json);
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(from), out.end(),
      [](char each) { return each == '\n' || each == '\r'; }, ' ');
}

void appendMember(std::string& out, std::string_view key, std::string_view text) {
  out.append(",\"").append(key).append("\":");
  common::appendJsonString(out, text);
}

std::string begin(std::string_view type) {
  return std::string("{\"type\":\"").append(type).append("\"");
}

void readFailure(std::string_view error, bool with_code, Members& members, WorkerMessage& out) {
  const auto slices = JsonSlices::parse(error);
  if (!slices) {
    // Noted already when it is no object.
    members.note("error", "JSON");
    return;
  }
  out.message = slices.value().text("message");
  out.code = slices.value().text("code");
  out.details = slices.value().raw("details");
  if (!slices.value().raw("message").starts_with('"')) {
    members.note("error.message", "a string");
  }
  if (with_code && out.code.empty()) {
    members.note("error.code", "a string");
  }
  if (!out.details.empty() && !out.details.starts_with('{')) {
    members.note("error.details", "an object");
  }
}

void readResult(const JsonSlices& slices, Members& members, WorkerMessage& out) {
  out.id = members.name("callId");
  out.ok = members.boolean("ok");
  if (out.ok) {
    out.payload = slices.raw("output");
  } else {
    readFailure(members.object("error"), true, members, out);
  }
}

void read(const JsonSlices& slices, Members& members, WorkerMessage& out) {
  switch (out.type) {
    case Type::kReady:
      out.number = members.integer("protocolVersion", 0, 1'000'000);
      out.plugin_id = members.name("pluginId");
      out.generation = members.name("generation");
      return;
    case Type::kStartupError:
      readFailure(members.object("error"), false, members, out);
      return;
    case Type::kResult:
      readResult(slices, members, out);
      return;
    case Type::kSignal:
      out.id = members.name("signal");
      out.payload = slices.raw("payload");
      return;
    case Type::kLeaseAcquire:
    case Type::kLeaseRelease:
      out.id = members.name("leaseId");
      return;
    case Type::kWatchStart:
      out.id = members.name("watchId");
      out.payload = members.object("options");
      return;
    case Type::kWatchStop:
      out.id = members.name("watchId");
      return;
    case Type::kWatchAck:
      out.id = members.name("watchId");
      out.number = members.integer("sequence", 0, INT64_MAX);
      return;
  }
}

bool isDigest(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

/// The name of a directory here, too.
bool isPluginId(std::string_view text) {
  constexpr std::size_t kLongestId = 214;  // of npm's package names
  return !text.empty() && text.size() <= kLongestId &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == text.npos;
}

std::string pluginIdMember(Members& members) {
  auto id = members.name("pluginId");
  if (!isPluginId(id)) {
    members.note("pluginId", "the id of a plugin");
  }
  return id;
}

Error invalidCommand(std::string_view command, const std::string& problem) {
  return {errc::kInvalidCommand, fmt::format("{}: {}", command, problem)};
}

Result<HostTarget> parseTarget(std::string_view name, std::string_view command, bool with_call) {
  const auto slices = JsonSlices::parse(command);
  if (!slices) {
    return invalidCommand(name, slices.error().message);
  }
  Members members(slices.value());
  HostTarget target;
  target.plugin_id = pluginIdMember(members);
  target.generation = members.name("generation");
  if (with_call) {
    target.call_id = members.name("callId");
  }
  if (!members.problem().empty()) {
    return invalidCommand(name, members.problem());
  }
  return target;
}

}  // namespace

Result<WorkerMessage> parseWorkerMessage(std::string_view line) {
  // Outputs and payloads are the server's to parse, but text of a WebSocket they must be.
  if (!common::isUtf8(line)) {
    return Error{errc::kInvalidArgument, "it is not UTF-8"};
  }
  const auto slices = JsonSlices::skim(line);
  if (!slices) {
    return slices.error();
  }
  const auto name = slices.value().text("type");
  const auto* known = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&name](const auto& entry) { return entry.first == name; });
  if (known == kTypes.end()) {
    return Error{errc::kInvalidArgument, fmt::format("unknown message type \"{}\"", name)};
  }
  WorkerMessage message;
  message.type = known->second;
  Members members(slices.value());
  read(slices.value(), members, message);
  if (!members.problem().empty()) {
    return Error{errc::kInvalidArgument, fmt::format("{}: {}", name, members.problem())};
  }
  return message;
}

Result<HostCall> parseHostCall(std::string_view command) {
  constexpr auto kName = hostprotocol::command::kCall;
  // The input is the entry's to parse.
  const auto slices = JsonSlices::skim(command);
  if (!slices) {
    return invalidCommand(kName, slices.error().message);
  }
  Members members(slices.value());
  HostCall call;
  call.plugin_id = pluginIdMember(members);
  call.generation = members.name("generation");
  call.call_id = members.name("callId");
  call.method = members.name("method");
  call.input = slices.value().raw("input");
  const auto longest = limits::kHostCallMax.count();
  call.timeout = slices.value().raw("timeoutMs").empty()
                     ? limits::kHostCall
                     : std::chrono::milliseconds(members.integer("timeoutMs", 1, longest));
  if (!slices.value().raw("heapMiB").empty()) {
    call.heap_mib = members.integer("heapMiB", 1, kMostHeapMiB);
  }
  const auto artifact = JsonSlices::parse(members.object("artifact"));
  if (artifact) {
    Members parts(artifact.value());
    call.digest = artifact.value().text("digest");
    call.bytes = static_cast<std::uint64_t>(
        parts.integer("byteLength", 1, static_cast<std::int64_t>(limits::kArtifact)));
    if (!isDigest(call.digest)) {
      members.note("artifact.digest", "a sha256 digest in hex");
    }
    if (!parts.problem().empty()) {
      return invalidCommand(kName, "artifact: " + parts.problem());
    }
  }
  if (!members.problem().empty()) {
    return invalidCommand(kName, members.problem());
  }
  if (call.input.size() > limits::kHostInput) {
    return Error{
        errc::kTooLarge,
        fmt::format("the input has {} bytes as JSON, more than the {} of the limit host-input",
                    call.input.size(), limits::kHostInput)};
  }
  return call;
}

Result<HostTarget> parseCancel(std::string_view command) {
  return parseTarget(hostprotocol::command::kCancel, command, true);
}

Result<HostTarget> parseDispose(std::string_view command) {
  return parseTarget(hostprotocol::command::kDispose, command, false);
}

std::string callMessage(std::string_view call_id, std::string_view method, std::string_view input) {
  constexpr std::size_t kFrame = 64;
  auto out = begin(to_worker::kCall);
  out.reserve(kFrame + call_id.size() + method.size() + input.size());
  appendMember(out, "callId", call_id);
  appendMember(out, "method", method);
  if (!input.empty()) {
    out.append(",\"input\":");
    appendOnOneLine(out, input);
  }
  out.push_back('}');
  return out;
}

std::string simpleMessage(std::string_view type, std::string_view key, std::string_view value) {
  auto out = begin(type);
  appendMember(out, key, value);
  out.push_back('}');
  return out;
}

std::string disposeMessage() { return begin(to_worker::kDispose) + "}"; }

std::string signalMessage(std::string_view plugin_id, std::string_view generation,
                          std::string_view signal, std::string_view payload) {
  auto out = begin(hostprotocol::to_server::kSignal);
  appendMember(out, "pluginId", plugin_id);
  appendMember(out, "generation", generation);
  appendMember(out, "signal", signal);
  if (!payload.empty()) {
    out.append(",\"payload\":").append(payload);
  }
  out.push_back('}');
  return out;
}

std::string exitedMessage(std::string_view plugin_id, std::string_view generation) {
  auto out = begin(hostprotocol::to_server::kWorkerExited);
  appendMember(out, "pluginId", plugin_id);
  appendMember(out, "generation", generation);
  out.push_back('}');
  return out;
}

std::string logMessage(std::string_view plugin_id, std::string_view generation,
                       const std::vector<LogLine>& lines) {
  auto out = begin(hostprotocol::to_server::kLog);
  appendMember(out, "pluginId", plugin_id);
  appendMember(out, "generation", generation);
  out.append(",\"lines\":[");
  for (const auto& line : lines) {
    out.append(line.error ? R"({"stream":"stderr")" : R"({"stream":"stdout")");
    if (line.severe) {
      appendMember(out, "level", "error");
    }
    appendMember(out, "text", line.text);
    out.append(&line == &lines.back() ? "}" : "},");
  }
  out.append("]}");
  return out;
}

}  // namespace svc::hostworkers
