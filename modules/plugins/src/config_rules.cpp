#include "config_rules.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "svc/common/json.h"
#include "svc/kernel/config_rules.h"

#include "manifest.h"
#include "time_zones.h"

namespace svc::plugins {
namespace {

using common::Json;

struct Bounds {
  std::string_view name;
  std::int64_t least;
  std::int64_t most;
};

constexpr std::array kLimits{Bounds{"heapMiB", kLeastHeapMiB, kMostHeapMiB},
                             Bounds{"bufferMiB", kLeastBufferMiB, kMostHeapMiB},
                             Bounds{"watchdogMs", kLeastPatienceMs, kMostPatienceMs},
                             Bounds{"terminateMs", kLeastPatienceMs, kMostPatienceMs},
                             Bounds{"workerThreads", kLeastWorkerThreads, kMostWorkerThreads},
                             Bounds{"descriptors", kLeastDescriptors, kMostDescriptors},
                             Bounds{"databaseMiB", kLeastDatabaseMiB, kMostDatabaseMiB}};

Error refusedKey(std::string_view where, std::string_view why) {
  return {errc::kInvalidArgument, fmt::format("{}: {}", where, why)};
}

Status checkLimit(const std::string& name, const Json& value) {
  const auto* const bounds = std::find_if(kLimits.begin(), kLimits.end(),
                                          [&](const auto& each) { return each.name == name; });
  if (bounds == kLimits.end()) {
    return Error{
        errc::kInvalidArgument,
        "expected heapMiB, bufferMiB, watchdogMs, terminateMs, workerThreads, descriptors or "
        "databaseMiB"};
  }
  if (!value.isInteger()) {
    return Error{errc::kInvalidArgument, fmt::format("expected a number, got {}", value.dump())};
  }
  return config_rules::integerWithin(value.asInteger(), bounds->least, bounds->most);
}

}  // namespace

Status isTimeZone(const IConfig& config, std::string_view key) {
  const auto zone = findZone(config.getString(key));
  return zone ? Status() : Status(zone.error());
}

Status areBuiltins(const IConfig& config, std::string_view key) {
  const auto json = Json::parse(config.getJson(key));
  const auto isName = [](const Json& each) { return each.isString(); };
  const bool right =
      json && (json.value().isBool() ||
               (json.value().isArray() &&
                std::all_of(json.value().items().begin(), json.value().items().end(), isName)));
  if (!right) {
    return Error{
        errc::kInvalidArgument,
        fmt::format(R"(expected true, false or an array such as ["plugin-author"], got {})",
                    config.getJson(key))};
  }
  // As the kernel finds `share`: a rule is given nothing but the configuration.
  std::error_code unknown;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  return namesAreThere(json.value(),
                       BuiltinPlugins(program.parent_path().parent_path() / "share/svc/builtin"));
}

Status namesAreThere(const Json& setting, const BuiltinPlugins& builtin) {
  for (const auto& name : setting.items()) {
    if (builtin.directoryOf(name.asString()).empty()) {
      const auto names = builtin.names();
      return Error{
          errc::kUnavailable,
          fmt::format("there is no bundled plugin {}; {}", name.dump(),
                      names.empty() ? std::string("this installation has none")
                                    : fmt::format("there are {}", fmt::join(names, ", ")))};
    }
  }
  return {};
}

Status areOverrides(const IConfig& config, std::string_view key) {
  const auto json = Json::parse(config.getJson(key));
  if (!json || (!json.value().isObject() && !json.value().isNull())) {
    return Error{errc::kInvalidArgument,
                 fmt::format(R"(expected an object such as {{"todo":{{"heapMiB":128}}}}, got {})",
                             config.getJson(key))};
  }
  for (const auto& [id, limits] : json.value().members()) {
    if (!isPluginId(id)) {
      return refusedKey(id,
                        "no plugin has such an id; expected one as `svc plugin list` shows it, of "
                        "lower-case letters, digits and \"-\"");
    }
    if (!limits.isObject()) {
      return refusedKey(id, fmt::format("expected an object, got {}", limits.dump()));
    }
    for (const auto& [name, value] : limits.members()) {
      if (const auto status = checkLimit(name, value); !status) {
        return refusedKey(fmt::format("{}.{}", id, name), status.error().message);
      }
    }
  }
  return {};
}

}  // namespace svc::plugins
