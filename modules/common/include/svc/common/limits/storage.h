#pragma once

#include <chrono>
#include <cstddef>

/// Settings, key-value pairs and SQLite. Durations are milliseconds, sizes bytes. By their names in the contract; tests and messages
/// use these, never literals.
namespace svc::limits {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

inline constexpr std::size_t kSettingValue = 262'144;
inline constexpr std::size_t kKvKey = 512;
inline constexpr std::size_t kKvValue = 262'144;
inline constexpr milliseconds kBusyTimeout = 5s;

}  // namespace svc::limits
