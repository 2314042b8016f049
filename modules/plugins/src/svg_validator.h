#pragma once

#include <string_view>

#include "svc/kernel/result.h"

namespace svc::plugins {

/// Says whether an SVG of a plugin may be shown: no script, no foreign content, nothing loaded from elsewhere. Rejects,
/// never rewrites. A pure function; the error's message is one clause ("line 3: the element <script> is not allowed").
[[nodiscard]] Status checkSvg(std::string_view bytes);

}  // namespace svc::plugins
