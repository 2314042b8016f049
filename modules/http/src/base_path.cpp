#include "base_path.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "guard.h"
#include "unknown_route.h"

namespace svc::http {
namespace {

/// First segments that requests have below any base path: with a proxy that strips, they could not be told apart.
constexpr std::array<std::string_view, 7> kOwnSegments{"api",    "internal", "ws",    "healthz",
                                                       "readyz", "metrics",  "assets"};

bool isPathText(std::string_view path) {
  return std::all_of(path.begin(), path.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/-._~%").find(c) != std::string_view::npos;
  });
}

bool hasEmptyOrDotSegment(std::string_view prefix) {
  while (!prefix.empty()) {
    prefix.remove_prefix(1);
    const auto segment = prefix.substr(0, prefix.find('/'));
    if (segment.empty() || segment == "." || segment == "..") {
      return true;
    }
    prefix.remove_prefix(segment.size());
  }
  return false;
}

Error refused(std::string_view app_url, std::string_view why) {
  return {errc::kInvalidArgument,
          fmt::format("expected an address such as https://example.org/svc/, got \"{}\": {}",
                      app_url, why)};
}

}  // namespace

Result<BasePath> BasePath::of(std::string_view app_url) {
  BasePath out;
  if (app_url.empty()) {
    return out;
  }
  const auto scheme_end = app_url.find("://");
  const auto path_start =
      scheme_end == std::string_view::npos ? scheme_end : app_url.find('/', scheme_end + 3);
  if (path_start == std::string_view::npos) {
    return out;
  }
  auto path = app_url.substr(path_start);
  while (path.ends_with('/')) {
    path.remove_suffix(1);
  }
  if (!isPathText(path) || hasEmptyOrDotSegment(path)) {
    return refused(app_url, "its path has a query, an empty segment or unusual characters");
  }
  const auto first = path.substr(0, path.find('/', 1));
  if (!first.empty() &&
      std::find(kOwnSegments.begin(), kOwnSegments.end(), first.substr(1)) != kOwnSegments.end()) {
    return refused(app_url, fmt::format("{} is a path of the server itself", first));
  }
  out.prefix_ = path;
  out.origin_ = normaliseOrigin(app_url);
  return out;
}

void BasePath::apply(Request& request) const {
  if (prefix_.empty()) {
    return;
  }
  if (isUnder(request.path, prefix_)) {
    request.path.erase(0, prefix_.size());
    if (request.path.empty()) {
      request.path = "/";
    }
    request.base_path = prefix_;
    return;
  }
  const auto* host = request.header("host");
  const auto scheme = origin_.substr(0, origin_.find("://") + 3);
  if (host != nullptr && normaliseOrigin(scheme + *host) == origin_) {
    request.base_path = prefix_;
  }
}

}  // namespace svc::http
