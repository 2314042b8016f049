#pragma once

#include <string>
#include <string_view>

#include "svc/http/http.h"

namespace svc::http {

/// The page of the app window, made from its index.html: with the base path in its <base>, and with the headers that say what
/// it may do. `base_path` as in Request.
[[nodiscard]] Response windowPage(std::string_view html, std::string_view base_path);

/// The Content-Security-Policy of a page: its inline scripts are allowed by their digests, no others are.
[[nodiscard]] std::string contentSecurityPolicy(std::string_view html);

}  // namespace svc::http
