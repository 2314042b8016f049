#pragma once

#include <memory>
#include <string>

#include "http_client.h"

namespace svc::client {

/// A client of `base_url` ("http://127.0.0.1:4700"), which keeps its connection between requests.
/// `invalid_argument` when the text is not an http URL.
[[nodiscard]] Result<std::unique_ptr<IHttpClient>> connectTo(const std::string& base_url);

}  // namespace svc::client
