#include "svc/common/source_map.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "svc/common/json.h"

namespace svc::common {

namespace {

int base64Digit(char character) {
  if (character >= 'A' && character <= 'Z') {
    return character - 'A';
  }
  if (character >= 'a' && character <= 'z') {
    return character - 'a' + 26;
  }
  if (character >= '0' && character <= '9') {
    return character - '0' + 52;
  }
  return character == '+' ? 62 : character == '/' ? 63 : -1;
}

/// Reads one base-64 variable-length number; false at the end of the field or on a foreign character.
bool readNumber(std::string_view text, std::size_t& at, std::int64_t& value) {
  std::int64_t bits = 0;
  for (unsigned shift = 0; at < text.size() && shift < 60; shift += 5) {
    const int digit = base64Digit(text[at]);
    if (digit < 0) {
      return false;
    }
    ++at;
    bits |= static_cast<std::int64_t>(digit & 31) << shift;
    if ((digit & 32) == 0) {
      value = (bits & 1) != 0 ? -(bits >> 1) : bits >> 1;
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<SourceMap> SourceMap::parse(std::string_view json, std::string_view generated_path) {
  const auto parsed = Json::parse(json);
  if (!parsed) {
    return std::nullopt;
  }
  const auto folder = std::filesystem::path(generated_path).parent_path();
  SourceMap map;
  for (const auto& source : parsed.value()["sources"].items()) {
    map.sources_.push_back(
        source.asString().empty() ? "" : (folder / source.asString()).lexically_normal().string());
  }
  if (!map.decode(parsed.value()["mappings"].asString())) {
    return std::nullopt;
  }
  return map;
}

bool SourceMap::decode(std::string_view mappings) {
  // generated column, source, source line, source column; a fifth field (name) is skipped.
  std::array<std::int64_t, 5> state{};
  lines_.emplace_back();
  for (std::size_t at = 0; at < mappings.size();) {
    if (mappings[at] == ';') {
      lines_.emplace_back();
      state[0] = 0;
      ++at;
      continue;
    }
    if (mappings[at] == ',') {
      ++at;
      continue;
    }
    std::size_t fields = 0;
    for (std::int64_t delta = 0; fields < state.size() && readNumber(mappings, at, delta);
         ++fields) {
      state[fields] += delta;
    }
    if (fields == 0 ||
        std::any_of(state.begin(), state.end(), [](std::int64_t value) { return value < 0; })) {
      return false;
    }
    if (fields >= 4) {
      lines_.back().push_back(
          {static_cast<std::uint32_t>(state[0]), static_cast<std::uint32_t>(state[1]),
           static_cast<std::uint32_t>(state[2]), static_cast<std::uint32_t>(state[3])});
    }
  }
  return true;
}

std::optional<SourcePosition> SourceMap::find(std::uint32_t line, std::uint32_t column) const {
  if (line == 0 || line > lines_.size() || column == 0) {
    return std::nullopt;
  }
  const auto& segments = lines_[line - 1];
  const auto after = std::upper_bound(
      segments.begin(), segments.end(), column - 1,
      [](std::uint32_t value, const Segment& segment) { return value < segment.column; });
  if (after == segments.begin()) {
    return std::nullopt;
  }
  const auto& segment = *std::prev(after);
  if (segment.source >= sources_.size() || sources_[segment.source].empty()) {
    return std::nullopt;
  }
  return SourcePosition{sources_[segment.source], segment.source_line + 1,
                        segment.source_column + 1};
}

}  // namespace svc::common
