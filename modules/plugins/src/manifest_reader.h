#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/error.h"

namespace svc::plugins {

/// Leaves parseManifest() only as an Error.
class ManifestError : public std::runtime_error {
 public:
  explicit ManifestError(Error error)
      : std::runtime_error(error.message), error_(std::move(error)) {}
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  Error error_;
};

/// One place in package.json: its value and its JSON path. Reads throw ManifestError naming the
/// path.
class ManifestReader {
 public:
  ManifestReader(const common::Json& value, std::vector<std::string>& warnings)
      : ManifestReader(&value, {}, warnings) {}

  [[nodiscard]] const common::Json& value() const;
  [[nodiscard]] bool absent() const { return value_ == nullptr; }
  [[nodiscard]] ManifestReader member(std::string_view key) const;
  [[nodiscard]] std::vector<ManifestReader> elements() const;

  [[nodiscard]] std::string requiredString() const;  ///< not empty
  [[nodiscard]] std::string optionalString() const;  ///< empty when absent
  /// A relative path that stays inside the plugin root, normalised.
  [[nodiscard]] std::string requiredPath() const;
  [[nodiscard]] std::string optionalPath() const;
  // Also called for the check alone.
  const common::Json::Object& requiredObject() const;  // NOLINT(modernize-use-nodiscard)
  const common::Json::Object& optionalObject() const;  // NOLINT(modernize-use-nodiscard)
  /// One warning for every key that is not in `known`.
  void warnUnknown(std::initializer_list<std::string_view> known) const;
  [[noreturn]] void fail(std::string_view what, Errc code = errc::kInvalidArgument) const;

 private:
  ManifestReader(const common::Json* value, std::string path, std::vector<std::string>& warnings)
      : value_(value), path_(std::move(path)), warnings_(&warnings) {}

  const common::Json* value_;
  std::string path_;
  std::vector<std::string>* warnings_;
};

}  // namespace svc::plugins
