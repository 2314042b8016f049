#pragma once

#include <string>
#include <string_view>

#include "manifest.h"

namespace svc::plugins {

/// Why this service cannot run the plugin; empty when it can. The service range is an npm range,
/// the SDK range a floor inside the major. A development build (service version 0.0.0) skips the
/// service range.
[[nodiscard]] std::string incompatibility(const Manifest& manifest,
                                          std::string_view service_version,
                                          std::string_view sdk_version);

}  // namespace svc::plugins
