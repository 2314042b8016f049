#pragma once

#include <string>

#include "dispatch.h"

namespace svc::client {

struct OwnSize {
  int columns = 80;
  int rows = 24;
};
/// Of the terminal on standard output; a usual one when it is none.
[[nodiscard]] OwnSize ownTerminalSize();

/// Ends an attachment and leaves the terminal running: Ctrl-].
inline constexpr char kDetachKey = '\x1d';

/// Connects this terminal to one of a machine until that ends, the detach key, or a signal; this one is then as it was before.
/// Returns the exit code of its program, 0 when it goes on. Standard input and output are terminals.
[[nodiscard]] int attach(Context& context, const std::string& id);

}  // namespace svc::client
