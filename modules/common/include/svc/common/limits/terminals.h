#pragma once

#include <chrono>
#include <cstddef>

/// Terminals of machines. Durations are milliseconds, sizes bytes. By their names in the contract; tests and messages
/// use these, never literals.
namespace svc::limits {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

/// Output of one terminal that is kept.
inline constexpr std::size_t kTerminalRing = 1024UL * 1024;
inline constexpr milliseconds kTerminalOpen = 30s;
/// How long the record of a terminal that has ended is kept.
inline constexpr milliseconds kTerminalKeep = 24h;
/// Live ones of one machine.
inline constexpr std::size_t kTerminals = 64;
/// Bytes of one message of input.
inline constexpr std::size_t kTerminalInput = 64UL * 1024;
/// Rows and columns.
inline constexpr int kTerminalSize = 1000;
/// Characters.
inline constexpr std::size_t kTerminalTitle = 200;

}  // namespace svc::limits
