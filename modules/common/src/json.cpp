#include "svc/common/json.h"

#include <algorithm>

namespace svc::common {
namespace {

const Json kNull;
const std::string kEmptyString;
const Json::Array kEmptyArray;
const Json::Object kEmptyObject;

}  // namespace

Json Json::raw(RawJson json) {
  Json value;
  value.value_ = RawText{std::move(json).text()};
  return value;
}

bool Json::asBool(bool fallback) const {
  const auto* value = std::get_if<bool>(&value_);
  return value != nullptr ? *value : fallback;
}

std::int64_t Json::asInteger(std::int64_t fallback) const {
  const auto* value = std::get_if<std::int64_t>(&value_);
  return value != nullptr ? *value : fallback;
}

double Json::asNumber(double fallback) const {
  if (const auto* value = std::get_if<double>(&value_)) {
    return *value;
  }
  const auto* integer = std::get_if<std::int64_t>(&value_);
  return integer != nullptr ? static_cast<double>(*integer) : fallback;
}

const std::string& Json::asString() const {
  const auto* value = std::get_if<std::string>(&value_);
  return value != nullptr ? *value : kEmptyString;
}

const Json::Array& Json::items() const {
  const auto* value = std::get_if<Array>(&value_);
  return value != nullptr ? *value : kEmptyArray;
}

const Json::Object& Json::members() const {
  const auto* value = std::get_if<Object>(&value_);
  return value != nullptr ? *value : kEmptyObject;
}

const Json* Json::find(std::string_view key) const {
  const auto& object = members();
  const auto found =
      std::find_if(object.begin(), object.end(), [key](const Member& m) { return m.first == key; });
  return found == object.end() ? nullptr : &found->second;
}

const Json& Json::operator[](std::string_view key) const {
  const auto* found = find(key);
  return found != nullptr ? *found : kNull;
}

Json& Json::set(std::string key, Json value) {
  if (isNull()) {
    value_ = Object{};
  }
  auto* object = std::get_if<Object>(&value_);
  SVC_ASSERT(object != nullptr);
  const auto found = std::find_if(object->begin(), object->end(),
                                  [&key](const Member& member) { return member.first == key; });
  if (found != object->end()) {
    found->second = std::move(value);
  } else {
    object->emplace_back(std::move(key), std::move(value));
  }
  return *this;
}

void Json::push(Json value) {
  if (isNull()) {
    value_ = Array{};
  }
  auto* array = std::get_if<Array>(&value_);
  SVC_ASSERT(array != nullptr);
  array->push_back(std::move(value));
}

bool operator==(const Json& left, const Json& right) { return left.value_ == right.value_; }

std::string jsonString(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  appendJsonString(out, text);
  return out;
}

}  // namespace svc::common
