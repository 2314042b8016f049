#include "console.h"

#include <algorithm>
#include <array>
#include <istream>
#include <ostream>
#include <utility>

#include "svc/common/envelope.h"

#include "exit_code.h"
#include "text.h"

namespace svc::client {

void Console::showJson(std::string_view line) const {
  out << (out_terminal ? jsonLine(line) : std::string(line)) << '\n' << std::flush;
}

void Console::complain(std::string_view message, std::string_view hint) const {
  err << "svc: " << manyLines(message) << '\n';
  if (!hint.empty()) {
    err << "hint: " << manyLines(hint) << '\n';
  }
}

void Console::fail(const Error& error, std::string_view hint) const {
  if (json) {
    out << common::errorEnvelope(error) << '\n';
  }
  complain(error.message, hint);
}

bool Console::confirm(std::string_view question) const {
  err << question << ' ' << std::flush;
  std::string answer;
  if (!std::getline(in, answer)) {
    err << '\n';
    return false;
  }
  std::transform(answer.begin(), answer.end(), answer.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  });
  return answer == "y" || answer == "yes";
}

std::string Console::time(long long epoch_ms) const {
  return out_terminal && began_ms != 0 ? relativeTime(epoch_ms, began_ms) : formatTime(epoch_ms);
}

std::string Console::paint(Style style, std::string_view text) const {
  if (!color || style == Style::kPlain) {
    return std::string(text);
  }
  const std::string_view code = style == Style::kGood ? "32" : style == Style::kBad ? "31" : "2";
  std::string result = "\x1b[";
  result.append(code).append("m").append(text).append("\x1b[0m");
  return result;
}

std::optional<std::string> readWhole(std::istream& in) {
  // Not by iterators: those throw what a stream notes.
  constexpr std::size_t kPart = 64UL * 1024;
  std::string text;
  std::size_t size = 0;
  do {
    text.resize(size + kPart);
    in.read(text.data() + size, kPart);
    size += static_cast<std::size_t>(in.gcount());
  } while (in);
  text.resize(size);
  return in.bad() ? std::nullopt : std::optional(std::move(text));
}

int exitCodeFor(std::string_view code) {
  constexpr std::array<std::pair<std::string_view, int>, 10> kTable{{
      {"usage", kExitUsage},
      {"refused", kExitRefused},
      {"unreachable", kExitUnreachable},
      {"unknown_plugin", kExitNotFound},
      {"unknown_command", kExitNotFound},
      {"unknown_host", kExitNotFound},
      {"unknown_route", kExitNotFound},
      {"unknown_method", kExitNotFound},
      {"not_found", kExitNotFound},
      {"incompatible", kExitIncompatible},
  }};
  const auto* const found = std::find_if(kTable.begin(), kTable.end(),
                                         [&](const auto& row) { return row.first == code; });
  return found == kTable.end() ? kExitFailure : found->second;
}

}  // namespace svc::client
