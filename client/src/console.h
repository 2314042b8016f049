#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "svc/kernel/error.h"

namespace svc::client {

/// The standard streams and how to use them: data to `out`, messages to `err`, a prompt only on a terminal.
struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool in_terminal = false;
  bool out_terminal = false;
  bool err_terminal = false;
  /// Colours are for a terminal and off with NO_COLOR or --no-color.
  bool color = false;
  /// --json: stdout carries envelopes only.
  bool json = false;
  /// Of the terminal that `out` is; 0 = unknown.
  std::size_t columns = 0;
  /// When the command began, in milliseconds since the epoch; 0 = unknown.
  long long began_ms = 0;

  /// A point in time as `out` shows it: how far away it is on a terminal, exactly elsewhere.
  [[nodiscard]] std::string time(long long epoch_ms) const;
  /// A line of JSON on stdout; on a terminal with escapes for what a terminal would obey or hide (jsonLine()).
  void showJson(std::string_view line) const;
  /// `svc: <message>` and `hint: <hint>` on stderr; with --json also the error envelope on stdout.
  void fail(const Error& error, std::string_view hint = {}) const;
  /// The two lines alone.
  void complain(std::string_view message, std::string_view hint = {}) const;
  /// Asks on stderr and reads one line; true for y or yes. Only call it when `in_terminal`.
  [[nodiscard]] bool confirm(std::string_view question) const;

  enum class Style { kPlain, kGood, kBad, kDim };
  [[nodiscard]] std::string paint(Style style, std::string_view text) const;
};

/// All of a stream; nullopt where it cannot be read, such as a closed standard input or a directory.
[[nodiscard]] std::optional<std::string> readWhole(std::istream& in);

/// The process's exit code for an error code of the service or of this program.
[[nodiscard]] int exitCodeFor(std::string_view code);

/// Codes of failures that happen before a server is asked.
namespace codes {
inline constexpr Errc kUsage{"usage"};
inline constexpr Errc kRefused{"refused"};
inline constexpr Errc kUnreachable{"unreachable"};
}  // namespace codes

}  // namespace svc::client
