#pragma once

#include <string_view>

#include "cli/definition.h"

namespace svc::client {

/// `svc __complete <words…> <word being typed>`: what the completion scripts call. Not a command of its own: nobody
/// types it.
inline constexpr std::string_view kCompleteCommand = "__complete";

/// Prints what may stand in place of the last word, one candidate with its help (after a tab) per line; the line
/// `:files` or `:directories` asks the shell for file names. Names of plugins come from the server, asked briefly and
/// silently. Always 0.
[[nodiscard]] int printCandidates(Context& context, const CLI::App& app, const Invocation& in,
                                  const Words& words);

}  // namespace svc::client
