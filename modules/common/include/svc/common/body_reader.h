#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/kernel/result.h"

namespace svc::common {

/// Reads the JSON object of a request member by member and collects every issue, so that one answer names all of
/// them. Members that are wrong read as empty; ask finish() before using what was read.
class BodyReader {
 public:
  /// `invalid_json` when the text is not JSON.
  [[nodiscard]] static Result<BodyReader> parse(std::string_view text) {
    // The parser skips one; the plugin's side, which gets the same bytes, does not.
    if (text.starts_with("\xEF\xBB\xBF")) {
      return Error{errc::kInvalidJson,
                   "the request body is not JSON: it starts with a byte order mark"};
    }
    auto body = Json::parse(text);
    if (!body) {
      return Error{errc::kInvalidJson, "the request body is not JSON: " + body.error().message};
    }
    return BodyReader(std::move(body).value());
  }

  [[nodiscard]] const Json& body() const { return body_; }

  [[nodiscard]] std::string requiredString(std::string_view key) {
    if (auto value = optionalString(key)) {
      return *std::move(value);
    }
    if (body_.find(key) == nullptr) {
      issue("Required: a string is missing", {Json(key)});
    }
    return {};
  }

  [[nodiscard]] std::optional<std::string> optionalString(std::string_view key) {
    const auto* value = body_.find(key);
    if (value == nullptr) {
      return std::nullopt;
    }
    if (!value->isString()) {
      issue("Expected a string", {Json(key)});
      return std::nullopt;
    }
    return value->asString();
  }

  [[nodiscard]] std::vector<std::string> requiredStrings(std::string_view key) {
    std::vector<std::string> strings;
    if (!body_[key].isArray()) {
      issue("Expected an array of strings", {Json(key)});
    }
    for (std::size_t index = 0; index < body_[key].items().size(); ++index) {
      const auto& item = body_[key].items()[index];
      if (!item.isString()) {
        issue("Expected a string", {Json(key), Json(static_cast<std::int64_t>(index))});
      }
      strings.push_back(item.asString());
    }
    return strings;
  }

  void rejectUnknown(std::initializer_list<std::string_view> known) {
    for (const auto& [key, value] : body_.members()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        issue("Unknown field", {Json(key)});
      }
    }
  }

  void issue(std::string message, Json::Array path) {
    auto entry = Json::object();
    entry.set("message", std::move(message)).set("path", std::move(path));
    issues_.push(std::move(entry));
  }

  /// `invalid_input` with the issues, when there are any.
  [[nodiscard]] Status finish() const {
    if (issues_.items().empty()) {
      return {};
    }
    const auto& first = issues_.items().front();
    std::string where;
    for (const auto& segment : first["path"].items()) {
      where +=
          (where.empty() ? "" : ".") + (segment.isString() ? segment.asString() : segment.dump());
    }
    Error error{errc::kInvalidInput,
                "the request is not valid: " + (where.empty() ? "" : where + ": ") +
                    first["message"].asString()};
    error.issues = issues_.dump();
    return error;
  }

 private:
  explicit BodyReader(Json body) : body_(std::move(body)) {
    if (!body_.isObject()) {
      issue("Expected an object", {});
    }
  }

  Json body_;
  Json issues_ = Json::array();
};

}  // namespace svc::common
