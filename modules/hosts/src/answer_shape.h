#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "svc/common/json.h"

namespace svc::hosts {

/// What a value of an answer is. A count is an integer that is not negative.
enum class Kind : std::uint8_t { kText, kFlag, kInteger, kCount, kNumber, kObject, kList, kMap };

/// For Member::most: as many as the command asked for.
inline constexpr std::size_t kAskedFor = SIZE_MAX;

/// One member of an object.
struct Member {
  std::string_view key;
  Kind kind = Kind::kText;
  bool required = true;
  bool nullable = false;
  /// The words that a text may be, with `|` between them; empty: any text.
  std::string_view words{};
  /// What a list or a map has, and how many at most; 0: as many as fit into a message.
  Kind entry = Kind::kObject;
  std::size_t most = 0;
  /// Of an object, or of each entry that is one. Others are allowed: a newer daemon says more.
  std::span<const Member> members{};
};

// How the table says it.
constexpr Member text(std::string_view key) { return {.key = key}; }
constexpr Member oneOf(std::string_view key, std::string_view words) {
  return {.key = key, .words = words};
}
constexpr Member flag(std::string_view key) { return {.key = key, .kind = Kind::kFlag}; }
constexpr Member integer(std::string_view key) { return {.key = key, .kind = Kind::kInteger}; }
constexpr Member count(std::string_view key) { return {.key = key, .kind = Kind::kCount}; }
constexpr Member number(std::string_view key) { return {.key = key, .kind = Kind::kNumber}; }
constexpr Member object(std::string_view key, std::span<const Member> members) {
  return {.key = key, .kind = Kind::kObject, .members = members};
}
constexpr Member list(std::string_view key, std::span<const Member> members, std::size_t most = 0) {
  return {.key = key, .kind = Kind::kList, .most = most, .members = members};
}
constexpr Member listOf(Kind entry, std::string_view key, std::size_t most = 0) {
  return {.key = key, .kind = Kind::kList, .entry = entry, .most = most};
}
constexpr Member mapOf(Kind entry, std::string_view key, std::size_t most = 0) {
  return {.key = key, .kind = Kind::kMap, .entry = entry, .most = most};
}
constexpr Member orNull(Member member) {
  member.nullable = true;
  return member;
}
constexpr Member maybe(Member member) {
  member.required = false;
  return member;
}

/// What is wrong with the object, as "files[2].name: Expected a text"; nothing when it has the members. `asked` is what kAskedFor stands
/// for. Pure.
[[nodiscard]] std::optional<std::string> problemIn(const common::Json& object,
                                                   std::span<const Member> members,
                                                   std::size_t asked = 0);

}  // namespace svc::hosts
