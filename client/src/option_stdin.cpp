#include "option_stdin.h"

#include <algorithm>
#include <istream>
#include <string_view>

#include <fmt/format.h>

#include "svc/common/json.h"
#include "svc/common/limits/cli.h"

#include "console.h"

namespace svc::client {
namespace {

constexpr std::string_view kSuffix = "-stdin";

bool isStdinOption(const std::string& argument) {
  return argument.starts_with("--") && argument.ends_with(kSuffix) &&
         argument.size() > kSuffix.size() + 2 && argument.find('=') == std::string::npos;
}

Error usage(std::string message) { return {codes::kUsage, std::move(message)}; }

/// The one line of the pipe, without its line end.
Result<std::string> readLine(std::istream& in, const std::string& option) {
  // One byte more than allowed tells "exactly the limit" from "too long"; a line end may follow (up to two bytes).
  std::string text(limits::kCliStdin + 3, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.ends_with('\n')) {
    text.pop_back();
    if (text.ends_with('\r')) {
      text.pop_back();
    }
  }
  if (text.size() > limits::kCliStdin) {
    return usage(fmt::format("{}: standard input has more than the {} bytes allowed (cliStdin)",
                             option, limits::kCliStdin));
  }
  if (text.empty()) {
    return usage(option + ": standard input is empty; pipe one line into it");
  }
  if (text.find('\n') != std::string::npos) {
    return usage(option + ": standard input has several lines; pipe exactly one into it");
  }
  if (!common::isUtf8(text)) {
    return usage(option + ": standard input is not UTF-8 text; encode it, as Base64 for example");
  }
  return text;
}

}  // namespace

Result<std::vector<std::string>> expandOptionStdin(std::vector<std::string> argv, std::istream& in,
                                                   bool in_terminal) {
  const auto end = std::find(argv.begin(), argv.end(), "--");
  const auto found = std::find_if(argv.begin(), end, isStdinOption);
  if (found == end) {
    return argv;
  }
  if (const auto second = std::find_if(found + 1, end, isStdinOption); second != end) {
    return usage(*found + " and " + *second + ": only one option can be read from standard input");
  }
  const auto option = found->substr(0, found->size() - kSuffix.size());
  const auto given = std::any_of(argv.begin(), end, [&](const std::string& argument) {
    return argument == option || argument.starts_with(option + "=");
  });
  if (given) {
    return usage(*found + " and " + option + " cannot be used together");
  }
  if (in_terminal) {
    return usage(*found + " reads from a pipe, and standard input is a terminal");
  }
  auto line = readLine(in, *found);
  if (!line) {
    return std::move(line).error();
  }
  *found = option;
  argv.insert(found + 1, std::move(line).value());
  return argv;
}

}  // namespace svc::client
