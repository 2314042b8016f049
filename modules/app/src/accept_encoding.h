#pragma once

#include <string_view>

#include "app_bundle.h"

namespace svc::app {

/// The best of what an Accept-Encoding header allows: br, then gzip. A weight of zero forbids.
[[nodiscard]] Encoding bestEncoding(std::string_view accept_encoding);

}  // namespace svc::app
