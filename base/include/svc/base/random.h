#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace svc::base {

// All from the system's generator, which is good enough for keys. Thread-safe. A system that gives no random bytes ends the
// process: nothing that is asked for here can be made without them.

void fillRandom(void* bytes, std::size_t count);
[[nodiscard]] std::uint64_t randomNumber();
/// `bytes` random bytes in hexadecimal: twice as many digits, in lower case.
[[nodiscard]] std::string randomHex(std::size_t bytes);
/// From 0 to below 1, for waits that are not to end at once everywhere.
[[nodiscard]] double randomShare();

}  // namespace svc::base
