#include "manifest_reader.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "manifest.h"

namespace svc::plugins {
namespace {

using common::Json;

std::string_view typeName(const Json& value) {
  if (value.isNull()) {
    return "null";
  }
  if (value.isBool()) {
    return "a boolean";
  }
  if (value.isNumber()) {
    return "a number";
  }
  if (value.isString()) {
    return "a string";
  }
  return value.isArray() ? "an array" : "an object";
}

}  // namespace

const Json& ManifestReader::value() const {
  static const Json kNull;
  return value_ != nullptr ? *value_ : kNull;
}

ManifestReader ManifestReader::member(std::string_view key) const {
  auto path = path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  return {value().find(key), std::move(path), *warnings_};
}

std::vector<ManifestReader> ManifestReader::elements() const {
  if (!value().isArray()) {
    fail(fmt::format("must be an array, is {}", typeName(value())));
  }
  std::vector<ManifestReader> out;
  for (const auto& item : value().items()) {
    out.push_back(ManifestReader(&item, fmt::format("{}[{}]", path_, out.size()), *warnings_));
  }
  return out;
}

std::string ManifestReader::requiredString() const {
  if (absent()) {
    fail("is missing: it must be a non-empty string");
  }
  auto text = optionalString();
  if (text.empty()) {
    fail("must be a non-empty string, is empty");
  }
  return text;
}

std::string ManifestReader::optionalString() const {
  if (!absent() && !value().isString()) {
    fail(fmt::format("must be a string, is {}", typeName(value())));
  }
  return value().asString();
}

std::string ManifestReader::requiredPath() const {
  const auto text = requiredString();
  if (text.find('\0') != std::string::npos || text.find('\\') != std::string::npos) {
    fail("must be a path with forward slashes");
  }
  const std::filesystem::path path(text);
  if (path.is_absolute()) {
    fail(fmt::format("must be relative to the plugin directory, is \"{}\"", text));
  }
  auto normal = path.lexically_normal().generic_string();
  if (normal == ".." || normal.starts_with("../")) {
    fail(fmt::format("leaves the plugin directory: \"{}\"", text), kPathEscape);
  }
  return normal;
}

std::string ManifestReader::optionalPath() const {
  return absent() ? std::string() : requiredPath();
}

const Json::Object& ManifestReader::requiredObject() const {
  if (!value().isObject()) {
    fail(fmt::format("must be an object, is {}", typeName(value())));
  }
  return value().members();
}

const Json::Object& ManifestReader::optionalObject() const {
  return absent() ? value().members() : requiredObject();
}

void ManifestReader::warnUnknown(std::initializer_list<std::string_view> known) const {
  for (const auto& [key, unused] : value().members()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      warnings_->push_back(fmt::format("package.json: {}.{}: unknown key", path_, key));
    }
  }
}

void ManifestReader::fail(std::string_view what, Errc code) const {
  const auto where = path_.empty() ? std::string("package.json") : "package.json: " + path_;
  throw ManifestError(
      Error{code, fmt::format("{}: {}", where, what), Json::object().set("path", path_).dump()});
}

}  // namespace svc::plugins
