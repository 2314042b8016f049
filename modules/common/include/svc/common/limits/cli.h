#pragma once

#include <chrono>
#include <cstddef>

/// Commands of plugins. Durations are milliseconds, sizes bytes. By their names in the contract; tests and messages
/// use these, never literals.
namespace svc::limits {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

inline constexpr std::size_t kCliOutput = 1'048'576;
inline constexpr milliseconds kCliKeepAlive = 10s;
inline constexpr milliseconds kCliRun = 60min;
inline constexpr milliseconds kCliClientWait = 65min;
inline constexpr std::size_t kCliStdin = 16UL * 1024;

}  // namespace svc::limits
