#include "line_diff.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace svc::agentd {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t kContext = 3;

Lines linesOf(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string range(std::size_t from, std::size_t count) {
  return fmt::format("{},{}", count == 0 ? from : from + 1, count);
}

void put(std::string& out, char mark, const Lines& lines, std::size_t from, std::size_t to) {
  for (auto at = from; at < to; ++at) {
    out += mark;
    out += lines[at];
    out += '\n';
  }
}

}  // namespace

std::string unifiedDiff(std::string_view path, const std::optional<std::string>& before,
                        std::string_view after) {
  const auto old_lines = linesOf(before ? *before : std::string_view());
  const auto new_lines = linesOf(after);
  const auto shorter = std::min(old_lines.size(), new_lines.size());
  std::size_t first = 0;
  while (first < shorter && old_lines[first] == new_lines[first]) {
    ++first;
  }
  std::size_t last = 0;
  while (last < shorter - first &&
         old_lines[old_lines.size() - 1 - last] == new_lines[new_lines.size() - 1 - last]) {
    ++last;
  }
  const auto old_end = old_lines.size() - last;
  const auto new_end = new_lines.size() - last;
  const auto from = first - std::min(first, kContext);
  const auto after_context = std::min(last, kContext);
  auto out =
      fmt::format("--- {}\n+++ b/{}\n", before ? fmt::format("a/{}", path) : "/dev/null", path);
  if (first == old_end && first == new_end) {
    return out;
  }
  out += fmt::format("@@ -{} +{} @@\n", range(from, old_end + after_context - from),
                     range(from, new_end + after_context - from));
  put(out, ' ', old_lines, from, first);
  put(out, '-', old_lines, first, old_end);
  put(out, '+', new_lines, first, new_end);
  put(out, ' ', old_lines, old_end, old_end + after_context);
  return out;
}

}  // namespace svc::agentd
