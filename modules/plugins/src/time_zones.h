#pragma once

#include <string>

#include <cctz/time_zone.h>

#include "svc/kernel/result.h"

namespace svc::plugins {

/// A time zone and its name in the IANA database ("Europe/Berlin").
struct NamedZone {
  std::string name;
  cctz::time_zone zone;
};

/// The zone with this name in the system's database; `invalid_argument` when there is none. An empty name is the zone of
/// the system, or UTC when that has no name. Reads files.
[[nodiscard]] Result<NamedZone> findZone(const std::string& name);

}  // namespace svc::plugins
