#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::common {

/// A position in a text; both numbers count from 1.
struct SourcePosition {
  std::string source;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// The part of a version 3 source map that stacks need: generated position to source position.
class SourceMap {
 public:
  /// `json` is the map's text; relative sources are resolved against the folder of `generated_path`.
  [[nodiscard]] static std::optional<SourceMap> parse(std::string_view json,
                                                      std::string_view generated_path);

  /// The source of a generated position, or nothing when the map does not cover it.
  [[nodiscard]] std::optional<SourcePosition> find(std::uint32_t line, std::uint32_t column) const;

 private:
  struct Segment {
    std::uint32_t column;  // generated, from 0, like the rest
    std::uint32_t source;
    std::uint32_t source_line;
    std::uint32_t source_column;
  };

  bool decode(std::string_view mappings);

  std::vector<std::string> sources_;
  std::vector<std::vector<Segment>> lines_;
};

}  // namespace svc::common
