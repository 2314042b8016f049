#include "svc/common/same_json.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "svc/common/json.h"

namespace svc::common {
namespace {

using SameMember = const Json::Object::value_type*;

bool isSame(const Json& left, const Json& right);

std::vector<SameMember> byKey(const Json& object) {
  std::vector<SameMember> out;
  for (const auto& member : object.members()) {
    out.push_back(&member);
  }
  std::sort(out.begin(), out.end(),
            [](SameMember first, SameMember second) { return first->first < second->first; });
  return out;
}

bool haveSameMembers(const Json& left, const Json& right) {
  const auto lefts = byKey(left);
  const auto rights = byKey(right);
  return std::equal(lefts.begin(), lefts.end(), rights.begin(), rights.end(),
                    [](SameMember first, SameMember second) {
                      return first->first == second->first && isSame(first->second, second->second);
                    });
}

bool isSame(const Json& left, const Json& right) {
  if (left.isObject() && right.isObject()) {
    return haveSameMembers(left, right);
  }
  if (left.isArray() && right.isArray()) {
    return std::equal(left.items().begin(), left.items().end(), right.items().begin(),
                      right.items().end(), isSame);
  }
  return left == right;
}

/// Halves of surrogate pairs are written as escapes, and read as U+FFFD whichever half they are.
bool hasSurrogates(std::string_view text) { return text.find("\\ud") != std::string_view::npos; }

}  // namespace

bool isSameJson(std::string_view left, std::string_view right) {
  if (left == right) {
    return true;
  }
  if (left.size() != right.size() || hasSurrogates(left)) {
    return false;
  }
  const auto first = Json::parse(left);
  const auto second = Json::parse(right);
  return first && second && isSame(first.value(), second.value());
}

}  // namespace svc::common
