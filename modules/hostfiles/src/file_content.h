#pragma once

#include <string>

#include "svc/kernel/result.h"

#include "places.h"

namespace svc::hostfiles {

// Commands about the content of one file: JSON text of the command object → JSON text of the result, as hostprotocol::command says.
// They block: for workers. Only regular files of a disk are read: not directories, FIFOs, sockets, devices, nor what a
// kernel makes up (/proc, /sys).

[[nodiscard]] Result<std::string> readFile(const Bounds& bounds, const std::string& command);
[[nodiscard]] Result<std::string> fileMetadata(const Bounds& bounds, const std::string& command);
[[nodiscard]] Result<std::string> fileRange(const Bounds& bounds, const std::string& command);

}  // namespace svc::hostfiles
