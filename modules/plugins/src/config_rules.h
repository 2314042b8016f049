#pragma once

#include <cstdint>
#include <string_view>

#include "svc/common/json.h"
#include "svc/kernel/config.h"

#include "builtin_plugins.h"

namespace svc::plugins {

// The rules of this module's keys.

/// A smaller heap does not hold the environment of a plugin.
inline constexpr std::int64_t kLeastHeapMiB = 16;
inline constexpr std::int64_t kMostHeapMiB = 1'048'576;
/// 0: twice the heap.
inline constexpr std::int64_t kLeastBufferMiB = 0;
/// 0: no limit.
inline constexpr std::int64_t kLeastTotalMiB = 0;
/// 0: as many as there are cores.
inline constexpr std::int64_t kLeastParallelLoads = 0;
inline constexpr std::int64_t kMostParallelLoads = 64;
/// Below it a plugin that only starts would be reported, or ended.
inline constexpr std::int64_t kLeastPatienceMs = 100;
inline constexpr std::int64_t kMostPatienceMs = 1'000'000'000;
inline constexpr std::int64_t kLeastWorkerThreads = 1;
inline constexpr std::int64_t kMostWorkerThreads = 100'000;
/// An environment alone has some dozen.
inline constexpr std::int64_t kLeastDescriptors = 64;
inline constexpr std::int64_t kMostDescriptors = 1'048'576;
/// Room for a connection or two and the pages that a statement needs.
inline constexpr std::int64_t kLeastDatabaseMiB = 8;
inline constexpr std::int64_t kMostDatabaseMiB = 1'048'576;

[[nodiscard]] Status isTimeZone(const IConfig& config, std::string_view key);
/// A boolean, or an array of names of bundled plugins.
[[nodiscard]] Status areBuiltins(const IConfig& config, std::string_view key);
/// `unavailable` for a name that none of them has: a setting for another version of the service does not keep this one from starting.
[[nodiscard]] Status namesAreThere(const common::Json& setting, const BuiltinPlugins& builtin);
/// An object: plugin id → {heapMiB?, bufferMiB?, watchdogMs?, terminateMs?, workerThreads?, descriptors?, databaseMiB?}, with the bounds of the keys for all plugins.
[[nodiscard]] Status areOverrides(const IConfig& config, std::string_view key);

}  // namespace svc::plugins
