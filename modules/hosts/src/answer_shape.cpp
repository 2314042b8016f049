#include "answer_shape.h"

#include <fmt/format.h>

namespace svc::hosts {
namespace {

using common::Json;

/// More than the longest word, so that what is shown of an answer is short.
constexpr std::size_t kShownKey = 64;

std::string_view nameOf(Kind kind) {
  switch (kind) {
    case Kind::kText:
      return "a text";
    case Kind::kFlag:
      return "true or false";
    case Kind::kInteger:
      return "an integer";
    case Kind::kCount:
      return "an integer that is not negative";
    case Kind::kNumber:
      return "a number";
    case Kind::kObject:
      return "an object";
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "an object of names";
  }
  return {};
}

bool isA(Kind kind, const Json& value) {
  switch (kind) {
    case Kind::kText:
      return value.isString();
    case Kind::kFlag:
      return value.isBool();
    case Kind::kInteger:
      return value.isInteger();
    case Kind::kCount:
      return value.isInteger() && value.asInteger() >= 0;
    case Kind::kNumber:
      return value.isNumber();
    case Kind::kObject:
    case Kind::kMap:
      return value.isObject();
    case Kind::kList:
      return value.isArray();
  }
  return false;
}

bool isWordOf(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const auto end = words.find('|');
    if (words.substr(0, end) == word) {
      return true;
    }
    words = end == std::string_view::npos ? std::string_view() : words.substr(end + 1);
  }
  return false;
}

std::string expected(std::string_view where, std::string_view what) {
  return fmt::format("{}: Expected {}", where, what);
}

std::string inside(std::string_view where, const std::string& problem) {
  return fmt::format("{}{}{}", where, problem.starts_with('[') ? "" : ".", problem);
}

std::optional<std::string> problemOfEntry(const Member& member, const Json& entry,
                                          const std::string& where, std::size_t asked) {
  if (!isA(member.entry, entry)) {
    return expected(where, nameOf(member.entry));
  }
  auto problem = problemIn(entry, member.members, asked);
  return problem ? std::optional(inside(where, *problem)) : std::nullopt;
}

std::optional<std::string> problemOfEntries(const Member& member, const Json& value,
                                            std::size_t asked) {
  const auto most = member.most == kAskedFor ? asked : member.most;
  const auto size = member.kind == Kind::kList ? value.items().size() : value.members().size();
  if (most > 0 && size > most) {
    return fmt::format("{}: it has {} entries, and at most {} {}", member.key, size, most,
                       member.most == kAskedFor ? "were asked for" : "fit into an answer");
  }
  for (std::size_t at = 0; at < value.items().size(); ++at) {
    if (auto problem = problemOfEntry(member, value.items()[at],
                                      fmt::format("{}[{}]", member.key, at), asked)) {
      return problem;
    }
  }
  for (const auto& [key, entry] : value.members()) {
    if (auto problem = problemOfEntry(
            member, entry, fmt::format("{}.{}", member.key, key.substr(0, kShownKey)), asked)) {
      return problem;
    }
  }
  return std::nullopt;
}

std::optional<std::string> problemOf(const Member& member, const Json& value, std::size_t asked) {
  if (value.isNull() && member.nullable) {
    return std::nullopt;
  }
  if (!isA(member.kind, value)) {
    return expected(member.key, nameOf(member.kind));
  }
  if (!member.words.empty() && !isWordOf(member.words, value.asString())) {
    return expected(member.key, member.words);
  }
  if (member.kind == Kind::kList || member.kind == Kind::kMap) {
    return problemOfEntries(member, value, asked);
  }
  auto problem = problemIn(value, member.members, asked);
  return problem ? std::optional(inside(member.key, *problem)) : std::nullopt;
}

}  // namespace

std::optional<std::string> problemIn(const Json& object, std::span<const Member> members,
                                     std::size_t asked) {
  for (const auto& member : members) {
    const auto* value = object.find(member.key);
    if (value == nullptr) {
      if (member.required) {
        return fmt::format("{}: it is missing", member.key);
      }
      continue;
    }
    if (auto problem = problemOf(member, *value, asked)) {
      return problem;
    }
  }
  return std::nullopt;
}

}  // namespace svc::hosts
