#pragma once

#include <string_view>

namespace svc::plugins {

/// What `engines` of a manifest is compared with.
inline constexpr std::string_view kServiceVersion = "0.43.0";
inline constexpr std::string_view kSdkVersion = "0.4.84";

}  // namespace svc::plugins
