#pragma once

#include <chrono>
#include <cstddef>

/// Files of machines and previews of them. Durations are milliseconds, sizes bytes. By their names in the contract; tests and messages
/// use these, never literals.
namespace svc::limits {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

/// Content of one file that is written, and of one that is read from another machine.
inline constexpr std::size_t kFileWrite = 25'000'000;
inline constexpr std::size_t kListingDefault = 100;
inline constexpr std::size_t kListing = 5000;
/// Entries that one listing looks at before it says that there is more.
inline constexpr std::size_t kListingScan = 200'000;
inline constexpr milliseconds kFileCommand = 30s;
inline constexpr milliseconds kPreviewTtl = 10min;
inline constexpr milliseconds kPreviewTtlMax = 24h;
inline constexpr std::size_t kPreviews = 1000;

}  // namespace svc::limits
