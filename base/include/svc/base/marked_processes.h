#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "svc/base/fd.h"

namespace svc::base {

/// The variable that programs inherit from who has started them, also when they have left its process group and its tree: who
/// keeps it is known by it. One that is to outlive what has started it is started without it, or with an empty one.
inline constexpr const char* kProcessMark = "SVC_LOAD_ID";

struct MarkedProcess {
  pid_t pid = -1;
  /// A pidfd: a signal through it never reaches another process with the number.
  Fd descriptor;
};

/// Processes of this user that were started with this value of kProcessMark, but for this one; none for an empty value. Reads
/// all of /proc. Not those that hide their environment (other users' rights, a file capability) or were started with another one.
[[nodiscard]] std::vector<MarkedProcess> processesMarked(const std::string& mark);

/// Sends a signal to each of them that still runs; how many those were.
std::size_t signalMarked(const std::string& mark, int number);

/// The same for all whose mark begins so; none for an empty text.
std::size_t signalMarkedBelow(const std::string& prefix, int number);

}  // namespace svc::base
