#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::common {

/// JSON as UTF-8 bytes that are known to be one valid JSON value. On the hot path JSON stays bytes.
class RawJson {
 public:
  RawJson() : text_("null") {}
  /// The caller vouches for validity.
  explicit RawJson(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const std::string& text() const& { return text_; }
  [[nodiscard]] std::string&& text() && { return std::move(text_); }

 private:
  std::string text_;
};

/// A parsed JSON value for code off the hot path (records, manifests, configuration). Objects keep insertion
/// order. Value semantics; copying is deep.
class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;
  // NOLINTBEGIN(google-explicit-constructor): JSON literals convert
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(int value) : value_(static_cast<std::int64_t>(value)) {}
  Json(unsigned value) : value_(static_cast<std::int64_t>(value)) {}
  Json(std::int64_t value) : value_(value) {}
  Json(std::uint64_t value) : value_(static_cast<std::int64_t>(value)) {}
  Json(double value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  // NOLINTEND(google-explicit-constructor)

  /// Strict JSON, depth at most 128. The error message names the byte offset.
  [[nodiscard]] static Result<Json> parse(std::string_view text);
  /// As parse(), also accepting comments and trailing commas (configuration files).
  [[nodiscard]] static Result<Json> parseRelaxed(std::string_view text);
  /// An embedded RawJson member is written as it is: `Json::raw(text)`.
  [[nodiscard]] static Json raw(RawJson json);
  static Json object() { return Json(Object{}); }
  static Json array() { return Json(Array{}); }

  [[nodiscard]] std::string dump() const;
  /// Two-space indentation, for people.
  [[nodiscard]] std::string dumpPretty() const;

  [[nodiscard]] bool isNull() const { return std::holds_alternative<std::monostate>(value_); }
  [[nodiscard]] bool isBool() const { return std::holds_alternative<bool>(value_); }
  [[nodiscard]] bool isInteger() const { return std::holds_alternative<std::int64_t>(value_); }
  [[nodiscard]] bool isNumber() const {
    return isInteger() || std::holds_alternative<double>(value_);
  }
  [[nodiscard]] bool isString() const { return std::holds_alternative<std::string>(value_); }
  [[nodiscard]] bool isArray() const { return std::holds_alternative<Array>(value_); }
  [[nodiscard]] bool isObject() const { return std::holds_alternative<Object>(value_); }

  // Reads with a fallback: a value of another type reads as the fallback, never throws.
  [[nodiscard]] bool asBool(bool fallback = false) const;
  [[nodiscard]] std::int64_t asInteger(std::int64_t fallback = 0) const;
  [[nodiscard]] double asNumber(double fallback = 0) const;
  [[nodiscard]] const std::string& asString() const;  ///< empty when not a string
  [[nodiscard]] const Array& items() const;           ///< empty when not an array
  [[nodiscard]] const Object& members() const;        ///< empty when not an object

  /// The member, or nullptr when absent or when this is not an object.
  [[nodiscard]] const Json* find(std::string_view key) const;
  /// The member, or a null value.
  [[nodiscard]] const Json& operator[](std::string_view key) const;
  /// Sets a member (replacing one of the same key); makes this an object when it is null. Returns *this.
  Json& set(std::string key, Json value);
  void push(Json value);

  friend bool operator==(const Json& left, const Json& right);

 private:
  struct RawText {
    std::string text;
    friend bool operator==(const RawText&, const RawText&) = default;
  };
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object, RawText>
      value_;
  friend struct JsonCodec;
};

/// Appends `text` as a JSON string literal, quotes included. Invalid UTF-8 becomes U+FFFD.
void appendJsonString(std::string& out, std::string_view text);
[[nodiscard]] std::string jsonString(std::string_view text);

/// True when `text` is well-formed UTF-8.
[[nodiscard]] bool isUtf8(std::string_view text);

/// True when `text` is exactly one valid strict JSON value.
[[nodiscard]] bool isValidJson(std::string_view text);

}  // namespace svc::common
