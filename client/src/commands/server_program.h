#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dispatch.h"

namespace svc::client {

/// Runs the svcd beside this program with further flags, on the arguments and variables of the running server when there
/// is one, so that it reads the same configuration. `config_file` replaces the one it would read.
[[nodiscard]] Result<ProcessOutcome> askServerProgram(
    const Context& context, const std::vector<std::string>& flags,
    const std::optional<std::string>& config_file = std::nullopt);

/// What svcd says on standard error, without its name and line ends.
[[nodiscard]] std::string complaintOf(const ProcessOutcome& outcome);

/// Whether a server starts, by what `svcd --print-config` has answered. What only is not there now, such as a program, keeps
/// none from it.
[[nodiscard]] Status mayStart(const ProcessOutcome& outcome);

/// The words without `--data-dir`, which becomes the choice of this call: which server is meant depends on it.
[[nodiscard]] std::vector<std::string> takeDataDir(Context& context,
                                                   const std::vector<std::string>& words);

/// The flags among the words, as `--name=value`, that a server with these arguments was not started with.
[[nodiscard]] std::vector<std::string> unknownTo(const std::vector<std::string>& running,
                                                 const std::vector<std::string>& words);

/// The arguments of a server on the data directory of this call.
[[nodiscard]] std::vector<std::string> withDataDir(const Context& context,
                                                   std::vector<std::string> words);

/// Whether a server that this program starts with these arguments takes its configuration. The variables are those of this
/// program, as at a start.
[[nodiscard]] Status checkStart(const Context& context, const std::vector<std::string>& arguments);

}  // namespace svc::client
