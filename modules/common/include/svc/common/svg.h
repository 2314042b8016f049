#pragma once

#include <string_view>

#include "svc/kernel/result.h"

namespace svc::common {

// Both reject and never rewrite. Pure functions; the error's message is one clause ("line 3: the element <script> is not allowed").

/// Says whether an SVG of a plugin may be shown as part of the window: no script, no foreign content, nothing loaded from elsewhere, and
/// what checkSvgPicture wants.
[[nodiscard]] Status checkSvg(std::string_view bytes);

/// Says whether a browser may draw it as a picture, where nothing runs and nothing is loaded: that it is well-formed and draws no more
/// than limits::kSvgElements, those that are referred to counted each time.
[[nodiscard]] Status checkSvgPicture(std::string_view bytes);

}  // namespace svc::common
