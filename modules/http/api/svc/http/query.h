#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/http/http.h"

namespace svc::http {

/// An `invalid_input` with one issue at a query parameter.
[[nodiscard]] inline Error invalidQuery(const std::string& parameter, const std::string& what) {
  Error error{errc::kInvalidInput,
              "the query parameter \"" + parameter + "\" is not valid: " + what};
  auto issue = common::Json::object();
  issue.set("message", what).set("path", common::Json::Array{common::Json(parameter)});
  error.issues = common::Json(common::Json::Array{std::move(issue)}).dump();
  return error;
}

/// A decimal query parameter of at most `limit`; nullopt when absent.
[[nodiscard]] inline Result<std::optional<std::uint64_t>> queryNumber(const Request& request,
                                                                      const std::string& name,
                                                                      std::uint64_t limit) {
  const auto text = request.queryParameter(name);
  if (!text) {
    return std::optional<std::uint64_t>{};
  }
  std::uint64_t value = 0;
  const auto* end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, value);
  if (text->empty() || parsed.ec != std::errc{} || parsed.ptr != end) {
    return invalidQuery(name, "Expected a whole number, got \"" + *text + "\"");
  }
  if (value > limit) {
    return invalidQuery(name, fmt::format("{} is above the limit {}", value, limit));
  }
  return std::optional(value);
}

}  // namespace svc::http
