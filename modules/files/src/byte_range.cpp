#include "byte_range.h"

#include <algorithm>
#include <charconv>

namespace svc::files {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && read.ec == std::errc{} && read.ptr == text.data() + text.size()
             ? std::optional(value)
             : std::nullopt;
}

}  // namespace

RangeAnswer readRange(std::string_view header, std::uint64_t size) {
  const RangeAnswer whole{RangeKind::kWhole, {0, size}};
  constexpr std::string_view kUnit = "bytes=";
  const auto dash = header.find('-');
  if (!header.starts_with(kUnit) || dash == std::string_view::npos ||
      header.find(',') != std::string_view::npos) {
    return whole;
  }
  const auto begin = header.substr(kUnit.size(), dash - kUnit.size());
  const auto end = header.substr(dash + 1);
  const auto first = number(begin);
  const auto last = number(end);
  if (begin.empty() && last) {
    const auto length = std::min(*last, size);
    return length == 0 ? RangeAnswer{RangeKind::kUnsatisfiable, {}}
                       : RangeAnswer{RangeKind::kPart, {size - length, length}};
  }
  if (!first || (!end.empty() && (!last || *last < *first))) {
    return whole;
  }
  if (*first >= size) {
    return {RangeKind::kUnsatisfiable, {}};
  }
  const auto stop = end.empty() ? size - 1 : std::min(*last, size - 1);
  return {RangeKind::kPart, {*first, stop - *first + 1}};
}

}  // namespace svc::files
