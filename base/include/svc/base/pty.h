#pragma once

#include "svc/base/fd.h"
#include "svc/base/result.h"

namespace svc::base {

struct TerminalSize {
  unsigned short rows = 0;
  unsigned short columns = 0;
};

/// A terminal that a program has instead of a person's. Neither end becomes this process's own terminal.
struct Pty {
  /// What the program writes is read here, which does not block; and the other way round.
  Fd here;
  /// Its standard streams. To be closed here once it runs: only then does reading end with it.
  Fd there;
};

/// Error: `unavailable`.
[[nodiscard]] Result<Pty> openPty(TerminalSize size);

/// Tells the programs, which get SIGWINCH. `here` is that of a Pty.
[[nodiscard]] Status resizePty(int here, TerminalSize size);

}  // namespace svc::base
