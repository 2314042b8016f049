#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/storage.h"
#include "svc/kernel/result.h"

namespace svc::storage {

// What every key-value store refuses, and in which words. Header-only: implementations share it without linking
// each other.

/// A namespace is the id of a plugin; an empty one would mix the data of several.
[[nodiscard]] inline Status checkNamespace(std::string_view name_space) {
  if (name_space.empty()) {
    return Error{errc::kInvalidArgument,
                 "the key-value namespace is empty; it must be the id of a plugin"};
  }
  return {};
}

[[nodiscard]] inline Status checkKey(std::string_view name_space, std::string_view key) {
  if (auto status = checkNamespace(name_space); !status) {
    return status;
  }
  if (key.empty()) {
    return Error{errc::kInvalidArgument, "a key-value key must not be empty"};
  }
  if (key.size() > limits::kKvKey) {
    return Error{errc::kTooLarge,
                 fmt::format("the key has {} bytes; a key-value key has at most {} bytes",
                             key.size(), limits::kKvKey)};
  }
  return {};
}

[[nodiscard]] inline Status checkValue(std::string_view key, const common::RawJson& value) {
  if (value.text().size() > limits::kKvValue) {
    return Error{
        errc::kTooLarge,
        fmt::format(
            "the value of key \"{}\" has {} bytes of JSON; a key-value value has at most {} bytes",
            key, value.text().size(), limits::kKvValue)};
  }
  return {};
}

}  // namespace svc::storage
