#include "log_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "svc/common/json.h"
#include "svc/common/limits/plugins.h"

namespace svc::plugins {
namespace {

constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warn", "error"};

bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Takes `prefix` off the front; false when it is not there.
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

template <class Number>
bool takeNumber(std::string_view& text, Number& out) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (failure != std::errc{}) {
    return false;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::string cutAt(std::size_t limit, std::string_view name, std::string text) {
  if (text.size() <= limit) {
    return text;
  }
  const auto size = text.size();
  auto end = limit;
  while (end > 0 && isContinuation(text[end])) {
    --end;
  }
  text.resize(end);
  text += fmt::format("… [cut: {} bytes, the limit {} is {}]", size, name, limit);
  text.shrink_to_fit();
  return text;
}

}  // namespace

int levelRank(std::string_view level) {
  const auto found = std::find(kLevels.begin(), kLevels.end(), level);
  return found == kLevels.end() ? 1 : static_cast<int>(found - kLevels.begin());
}

std::string cutMessage(std::string message) {
  return cutAt(limits::kLogLine, "logLine", std::move(message));
}

std::string cutStatus(std::string text) {
  return cutAt(limits::kStatusText, "statusText", std::move(text));
}

std::string formatLine(std::uint64_t seq, const LogEntry& entry) {
  auto out =
      fmt::format(R"({{"seq":{},"ts":{},"level":"{}","generation":{},"source":)", seq, entry.at,
                  kLevels.at(static_cast<std::size_t>(levelRank(entry.level))), entry.generation);
  common::appendJsonString(out, entry.source);
  out += R"(,"message":)";
  common::appendJsonString(out, entry.message);
  if (!entry.stack.empty()) {
    out += R"(,"stack":)";
    common::appendJsonString(out, entry.stack);
  }
  out += "}\n";
  return out;
}

std::optional<LineHead> parseHead(std::string_view line) {
  LineHead out;
  std::int64_t at = 0;
  if (!line.ends_with('}') || !take(line, R"({"seq":)") || !takeNumber(line, out.seq) ||
      !take(line, R"(,"ts":)") || !takeNumber(line, at) || !take(line, R"(,"level":")")) {
    return std::nullopt;
  }
  out.level = line.substr(0, line.find('"'));
  return out;
}

}  // namespace svc::plugins
