#pragma once

#include <string>
#include <utility>

#include "svc/common/json.h"
#include "svc/kernel/error.h"

namespace svc::common {

/// The error with `key` in its details; a value that is already there stays.
[[nodiscard]] inline Error withDetail(Error error, std::string key, Json value) {
  auto parsed = Json::parse(error.details);
  auto details = parsed && parsed.value().isObject() ? std::move(parsed).value() : Json::object();
  if (details.find(key) == nullptr) {
    details.set(std::move(key), std::move(value));
    error.details = details.dump();
  }
  return error;
}

}  // namespace svc::common
