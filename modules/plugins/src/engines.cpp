#include "engines.h"

#include <fmt/format.h>

#include "svc/common/semver.h"

namespace svc::plugins {
namespace {

namespace semver = common::semver;

bool serviceMatches(const std::string& text, std::string_view running) {
  const auto range = semver::Range::parse(text);
  const auto version = semver::Version::parse(running);
  return running == "0.0.0" || (range && version && range->matches(*version));
}

bool sdkMatches(const std::string& text, std::string_view running) {
  const auto range = semver::Range::parse(text);
  const auto version = semver::Version::parse(running);
  if (!range || !version) {
    return false;
  }
  const auto floor = range->minimum();
  return range->matches(*version) ||
         (floor && floor->major == version->major && *floor <= *version);
}

}  // namespace

std::string incompatibility(const Manifest& manifest, std::string_view service_version,
                            std::string_view sdk_version) {
  if (!serviceMatches(manifest.engine_service, service_version)) {
    return fmt::format("needs svc {} (engines.svc); this is svc {}", manifest.engine_service,
                       service_version);
  }
  if (!sdkMatches(manifest.engine_sdk, sdk_version)) {
    return fmt::format("needs plugin SDK {} (engines.svcPluginSdk); this service has {}",
                       manifest.engine_sdk, sdk_version);
  }
  return {};
}

}  // namespace svc::plugins
