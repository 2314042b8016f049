#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace svc::files {

/// A part of a file that has `size` bytes.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t length = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

enum class RangeKind : std::uint8_t { kWhole, kPart, kUnsatisfiable };
struct RangeAnswer {
  RangeKind kind = RangeKind::kWhole;
  ByteRange range{};
};

/// What a Range header asks of such a file. One range; what is none, or several, is the whole, as HTTP allows.
[[nodiscard]] RangeAnswer readRange(std::string_view header, std::uint64_t size);

}  // namespace svc::files
