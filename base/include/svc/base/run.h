#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "svc/base/result.h"
#include "svc/base/spawn.h"

namespace svc::base {

/// Which streams of a program are read.
enum class Capture : std::uint8_t {
  kSeparate,  ///< out and err, each for itself
  kJoined,    ///< both into out, as they come
  kOutput,    ///< out; what it says of errors is dropped
};

/// What happens to more output than there is room for.
enum class Overflow : std::uint8_t { kEnd, kKeepFirst, kKeepLast };

/// What happens to processes of its group when the program has ended by itself.
enum class Descendants : std::uint8_t { kEnd, kLeave };

struct RunOptions {
  /// Its out and err are not used.
  SpawnOptions program{};
  Capture capture = Capture::kSeparate;
  /// Bytes of each stream.
  std::size_t output_limit = std::size_t{1} << 20U;
  Overflow overflow = Overflow::kEnd;
  Descendants descendants = Descendants::kEnd;
  /// Without one it may run for ever.
  std::optional<std::chrono::milliseconds> time_limit{};
  /// Readable when the program is to be ended; -1 for nothing.
  int interrupt = -1;
  /// Between SIGTERM and SIGKILL when it is ended; 0 is SIGKILL at once.
  std::chrono::milliseconds grace{};
  /// Called about once a second while it runs.
  std::function<void(std::chrono::milliseconds elapsed)> tick{};
};

enum class RunEnd : std::uint8_t { kExited, kTimeout, kInterrupted, kOverflow };

struct RunOutcome {
  /// Whether the program has ended by itself, or why it was ended, with its whole group.
  RunEnd end = RunEnd::kExited;
  ExitStatus status;
  /// What it had written by then.
  std::string out;
  std::string err;
};

/// Runs a program to its end, which is that of its first process: a descendant that keeps the streams open is not waited for.
/// Errors are those of spawn(). Blocks.
[[nodiscard]] Result<RunOutcome> run(const RunOptions& options);

}  // namespace svc::base
